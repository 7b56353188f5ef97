// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that nvcc knows and the kernels use, for the compiler of the CPU. To be included before
// any .cuh. What can race is touched here, by code that ThreadSanitizer sees.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "../emulator.hpp"

#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ thread_local  // a block is a thread

#define threadIdx (::emulator::thread_index)
#define blockIdx (::emulator::block_index)
#define blockDim (::emulator::block_size)
#define gridDim (::emulator::grid_size)

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

inline unsigned __shfl_sync(unsigned, unsigned value, int from, int width) {
  const unsigned segment = (threadIdx.x & 31) & ~(static_cast<unsigned>(width) - 1);
  return emulator::shuffle(value, segment | static_cast<unsigned>(from));
}
template <class Byte, class Word>
Word dot_of_bytes(Word a, Word b, Word sum) {
  for (int i = 0; i < 32; i += 8)
    sum +=
        static_cast<Word>(static_cast<Byte>(a >> i)) * static_cast<Word>(static_cast<Byte>(b >> i));
  return sum;
}
inline int __dp4a(int a, int b, int sum) { return dot_of_bytes<signed char>(a, b, sum); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return dot_of_bytes<unsigned char>(a, b, sum);
}
inline unsigned __shfl_xor_sync(unsigned, unsigned value, int mask) {
  return emulator::shuffle(value, (threadIdx.x & 31) ^ static_cast<unsigned>(mask));
}
inline unsigned __shfl_down_sync(unsigned, unsigned value, unsigned by) {
  const unsigned lane = threadIdx.x & 31;
  return emulator::shuffle(value, lane + by < 32 ? lane + by : lane);
}
inline bool __any_sync(unsigned, bool value) { return emulator::any(value); }
inline void __syncwarp() { emulator::sync_warp(); }
inline void __syncthreads() { emulator::sync_block(); }
inline void __barrier_sync_count(unsigned barrier, unsigned threads) {
  emulator::sync_some(barrier, threads);
}
inline void __threadfence() { emulator::fence(); }

// Relaxed, as on the device.
inline unsigned atomicAdd(unsigned* at, unsigned value) {
  emulator::before_atomic();
  const unsigned before = __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
  emulator::after_atomic();
  return before;
}

inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (by & 31));
}
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
