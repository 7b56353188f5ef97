// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and reductions of device memory in the canonical order: the calls of scan.hpp with the
// policy upsweep::cuda::on(stream, workspace). The bits are those of the CPU. Operators are
// functors or lambdas with a __device__ operator()(left, right). Input and output may be the same;
// other overlap is refused, judged by the bytes from the first element to the last. Arrays may
// begin at any element. Compile with nvcc in C++20.
#pragma once

#include <cstddef>
#include <iterator>
#include <ranges>

#include "upsweep/composites.hpp"
#include "upsweep/cuda/call.cuh"

namespace upsweep {

// out[i] = x[0] (+) ... (+) x[i], after init where given. The accumulator is accumulator_t<Op,
// value of out, Init>, at most 64 bytes. Returns the end of the output; the results are there when
// the stream gets there. Throws argument_error (overlap, workspace too small or of another device)
// and cuda_error before anything was launched. Cost: one launch, one read and one write of memory.
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out inclusive_scan(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  const std::size_t n = detail::length_of(first, last);
  detail::device_scan<cuda::result::inclusive>(who, first, detail::length_of_call(n), out,
                                               detail::total::none, op, init);
  return out + (last - first);
}

// out[i] = x[0] (+) ... (+) x[i - 1], after init where given; out[0] is init, or else the
// operator's empty value.
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out exclusive_scan(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  const std::size_t n = detail::length_of(first, last);
  detail::device_scan<cuda::result::exclusive>(who, first, detail::length_of_call(n), out,
                                               detail::total::none, op, init);
  return out + (last - first);
}

// Exclusive scan with n + 1 outputs, the last of which is the total: counts to offsets.
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out exclusive_scan_with_total(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  const std::size_t n = detail::length_of(first, last);
  detail::device_scan<cuda::result::exclusive>(who, first, detail::length_of_call(n), out,
                                               detail::total::after, op, init);
  return out + (last - first) + 1;
}

// *out = the last value of the inclusive scan, in device memory. The accumulator is the type of
// init, else the value type of the input, widened to float for the 16-bit floats. Of no elements:
// init, or else the operator's empty value; throws argument_error when there may be neither.
template <cuda_policy P, std::random_access_iterator In, class Out, class Op = plus,
          class Init = detail::no_init>
void reduce(P&& who, In first, In last, Out* out, Op op = {}, Init init = {}) {
  const std::size_t n = detail::length_of(first, last);
  detail::device_reduce(who, first, detail::length_of_call(n), out, op, init);
}

// The same with a number of elements that is in device memory when the scan runs: nobody waits for
// it. Cost: as for the upper bound in blocks launched, as for the number itself in memory read.
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
void inclusive_scan(P&& who, In first, cuda::device_length n, Out out, Op op = {}, Init init = {}) {
  detail::device_scan<cuda::result::inclusive>(who, first, n, out, detail::total::none, op, init);
}
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
void exclusive_scan(P&& who, In first, cuda::device_length n, Out out, Op op = {}, Init init = {}) {
  detail::device_scan<cuda::result::exclusive>(who, first, n, out, detail::total::none, op, init);
}
template <cuda_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
void exclusive_scan_with_total(P&& who, In first, cuda::device_length n, Out out, Op op = {},
                               Init init = {}) {
  detail::device_scan<cuda::result::exclusive>(who, first, n, out, detail::total::after, op, init);
}
template <cuda_policy P, std::random_access_iterator In, class Out, class Op = plus,
          class Init = detail::no_init>
void reduce(P&& who, In first, cuda::device_length n, Out* out, Op op = {}, Init init = {}) {
  detail::device_reduce(who, first, n, out, op, init);
}

// The same over spans of device memory. The output has as many elements as the input, or for an
// exclusive scan one more, which takes the total; anything else throws argument_error.
template <cuda_policy P, std::ranges::contiguous_range In, std::ranges::contiguous_range Out,
          class Op = plus, class Init = detail::no_init>
void inclusive_scan(P&& who, In&& in, Out&& out, Op op = {}, Init init = {}) {
  if (std::ranges::size(out) != std::ranges::size(in))
    throw argument_error("upsweep: an inclusive scan has as many outputs as inputs");
  const auto [first, last] = detail::ends(in);
  inclusive_scan(who, first, last, std::ranges::begin(out), op, init);
}
template <cuda_policy P, std::ranges::contiguous_range In, std::ranges::contiguous_range Out,
          class Op = plus, class Init = detail::no_init>
void exclusive_scan(P&& who, In&& in, Out&& out, Op op = {}, Init init = {}) {
  const std::size_t n = std::ranges::size(in), m = std::ranges::size(out);
  if (m != n && m != n + 1)
    throw argument_error("upsweep: an exclusive scan has n outputs, or n + 1 with the total");
  const auto [first, last] = detail::ends(in);
  detail::device_scan<cuda::result::exclusive>(
      who, first, detail::length_of_call(n), std::ranges::begin(out),
      m == n ? detail::total::none : detail::total::after, op, init);
}
template <cuda_policy P, std::ranges::contiguous_range In, class Out, class Op = plus,
          class Init = detail::no_init>
void reduce(P&& who, In&& in, Out* out, Op op = {}, Init init = {}) {
  const auto [first, last] = detail::ends(in);
  reduce(who, first, last, out, op, init);
}

// Scans every line of an array in device memory along one axis (negative axes count from the end),
// each in its own canonical order from index 0. Shapes must agree; along the axis, an exclusive
// scan may have one more output, the line's total. Throws argument_error for shapes that differ, an
// axis out of range, or overlap. Cost: one launch (more for arrays of over 2^30 lines, or over 4
// dimensions besides the axis that do not join), one read and one write of memory.
template <cuda_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void inclusive_scan(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {},
                    Init init = {}) {
  detail::device_array_scan<cuda::result::inclusive>(who, in, out, axis, op, init);
}
template <cuda_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void exclusive_scan(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {},
                    Init init = {}) {
  detail::device_array_scan<cuda::result::exclusive>(who, in, out, axis, op, init);
}

// Reduces every line along one axis to one value: along it, the output's extent is 1.
template <cuda_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void reduce(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {}, Init init = {}) {
  detail::device_array_scan<cuda::result::none>(who, in, out, axis, op, init);
}

}  // namespace upsweep
