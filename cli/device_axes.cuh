// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tool calls the library's scans of device arrays along an axis.
#pragma once

#include "upsweep/array_view.hpp"
#include "upsweep/scan.cuh"

namespace cli {

// Every line along the axis. The output may have one element more along it, for the totals of an
// exclusive scan.
template <class T, class Op, class... Init>
void scan_axis_on_device(const upsweep::cuda::device_policy& gpu,
                         const upsweep::array_view<const T>& in, const upsweep::array_view<T>& out,
                         int axis, bool exclusive, Op op, Init... init) {
  if (exclusive)
    upsweep::exclusive_scan(gpu, in, out, axis, op, init...);
  else
    upsweep::inclusive_scan(gpu, in, out, axis, op, init...);
}

}  // namespace cli
