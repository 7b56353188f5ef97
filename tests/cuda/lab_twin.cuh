// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hillis-steele for floats as one writes it without a machine, with everything that the lab's
// kernel can do: what the machine is compared with.
#pragma once

#include <cstdint>

#include "lab/gpu/gpu_machine.cuh"
#include "lab/kernels/hillis_steele.hpp"

namespace lab_twin {

using kernel = upsweep::lab::scan_tiles<upsweep::lab::hillis_steele, float, upsweep::plus>;

struct arguments {
  const float* x;
  std::uint64_t n, unused_x;
  float* y;
  std::uint64_t y_size, unused_y;
  float* totals;
  std::uint64_t totals_size, unused[2];
  std::uint32_t unused_index;
  bool exclusive;
};

__global__ void __launch_bounds__(1024) by_hand(const arguments a) {
  extern __shared__ uint4 twin_memory[];
  const unsigned t = threadIdx.x, threads = blockDim.x;
  float* src = reinterpret_cast<float*>(twin_memory);
  float* dst = src + (threads * 4 + 15) / 16 * 4;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * threads, i = begin + t;
  float value = i < a.n ? a.x[i] : -0.0f;
  src[t] = value;
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    value = src[t];
    if (t >= stride) value = src[t - stride] + value;
    dst[t] = value;
    float* const read = src;
    src = dst, dst = read;
  }
  const std::uint64_t left = a.n - begin;
  const unsigned count = left < threads ? static_cast<unsigned>(left) : threads;
  if (t >= count) return;
  if (!a.exclusive) {
    a.y[i] = value;
  } else {
    if (i + 1 < a.y_size) a.y[i + 1] = value;
    if (i == 0) a.y[0] = 0;
  }
  if (t + 1 == count && a.totals_size != 0) a.totals[blockIdx.x] = value;
}

}  // namespace lab_twin
