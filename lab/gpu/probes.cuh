// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The small kernels by which measure_device finds what a device takes. Those with a span write the
// clock cycles of their chain, those without are timed from outside.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>
#include <cuda/atomic>

namespace upsweep::lab::gpu::probes {

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int chain = 512;  // operations that depend on each other, of one span

struct span {
  long long cycles;
  unsigned sink;  // what was computed, so that it is
};

// Calls body(value) chain times, each with what the last one returned.
template <class Body>
__device__ void time_chain(span* out, unsigned value, const Body& body) {
  for (int warm = 0; warm < 2; ++warm) {
    const long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < chain; ++i) value = body(value);
    const long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0) *out = {end - begin, value};
  }
}

__global__ void empty() {}
__global__ void empty_shared() {
  extern __shared__ unsigned s[];
  if (threadIdx.x > 4096) s[0] = 1;
}

__global__ void adds(span* out, float by) {
  time_chain(out, threadIdx.x,
             [by](unsigned v) { return __float_as_uint(__uint_as_float(v) + by); });
}
__global__ void shuffles(span* out) {
  time_chain(out, threadIdx.x, [](unsigned v) { return __shfl_up_sync(all_lanes, v, 1); });
}
__global__ void votes(span* out) {
  time_chain(out, threadIdx.x, [](unsigned v) { return __ballot_sync(all_lanes, v != 7) + v; });
}
__global__ void barriers(span* out) {
  time_chain(out, 0, [](unsigned v) {
    __syncthreads();
    return v;
  });
}
// A lane's next place is where it is: no bank conflicts.
__global__ void shared_chain(span* out) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  time_chain(out, threadIdx.x, [](unsigned v) { return s[v]; });
}
// What one step of a block does in shared memory: store, barrier, load.
__global__ void shared_steps(span* out) {
  __shared__ unsigned s[1024];
  time_chain(out, threadIdx.x, [](unsigned v) {
    s[threadIdx.x] = v;
    __syncthreads();
    v = s[threadIdx.x ^ 32];
    __syncthreads();
    return v;
  });
}

// nodes of 128 bytes, a power of two, in a cycle that jumps about
__global__ void link_nodes(unsigned* next, unsigned nodes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nodes) next[i * 32ull] = (i * 1664525u + 1013904223u) & (nodes - 1);
}
template <bool Cached>
__global__ void global_chain(span* out, const unsigned* next, unsigned first) {
  time_chain(out, first, [next](unsigned at) {
    return Cached ? __ldca(next + at * 32ull) : __ldcg(next + at * 32ull);
  });
}

__global__ void atomics(span* out, unsigned* word) {
  time_chain(out, 0, [word](unsigned v) { return atomicAdd(word, v & 1u); });
}
__global__ void tickets(unsigned* word, unsigned* sink) {
  if (atomicAdd(word, 1) == all_lanes) *sink = 1;
}

using device_word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// A value and its flag, as look-back publishes them; the writer alone.
__global__ void publishes(span* out, unsigned* value, unsigned* flag) {
  time_chain(out, 0, [=](unsigned v) {
    *value = v;
    device_word(*flag).store(v, cuda::memory_order_release);
    return v + 1;
  });
}
// The same between two blocks, there and back: the warp that waits observes the flag, votes, and
// reads the value. words[0] and words[64] are the flags of the two, [32] and [96] their values.
__global__ void ping_pong(span* out, unsigned* words) {
  unsigned* const mine = words + 64 * blockIdx.x;
  const unsigned* const theirs = words + 64 * (1 - blockIdx.x);
  unsigned turn = 0;
  const auto tell = [&](unsigned value) {
    if (threadIdx.x == 0) {
      mine[32] = value;
      device_word(mine[0]).store(turn, cuda::memory_order_release);
    }
  };
  const auto hear = [&] {
    while (__ballot_sync(all_lanes, device_word(const_cast<unsigned&>(theirs[0]))
                                            .load(cuda::memory_order_acquire) != turn) != 0) {
    }
    return *const_cast<const volatile unsigned*>(theirs + 32);
  };
  time_chain(out, 0, [&](unsigned v) {
    ++turn;
    if (blockIdx.x == 0) tell(v);
    v = hear() + 1;
    if (blockIdx.x == 1) tell(v);
    return v;
  });
}

// Each block waits for the word of the one before it and publishes its own: hops one after the
// other, with all of a full device looking on.
__global__ void relay(unsigned* flags, unsigned* values, unsigned turn) {
  if (threadIdx.x >= 32) return;
  const unsigned b = blockIdx.x;
  unsigned value = 0;
  if (b > 0) {
    while (__ballot_sync(all_lanes,
                         device_word(flags[b - 1]).load(cuda::memory_order_acquire) != turn) != 0) {
    }
    value = *const_cast<const volatile unsigned*>(values + b - 1);
  }
  if (threadIdx.x == 0) {
    values[b] = value + 1;
    device_word(flags[b]).store(turn, cuda::memory_order_release);
  }
}

__global__ void grid_barriers(int times) {
  for (int i = 0; i < times; ++i) cooperative_groups::this_grid().sync();
}

// Warps that load words of shared memory, lane l at stride l; eight loads in flight.
__global__ void shared_rate(span* out, unsigned stride) {
  extern __shared__ unsigned s[];
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < 1024 + 256; i += blockDim.x) s[i] = i;
  __syncthreads();
  const unsigned at = threadIdx.x % 32 * stride;
  const long long begin = clock64();
  for (int i = 0; i < chain / 8; ++i)
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      unsigned got;
      asm volatile("ld.volatile.shared.u32 %0, [%1];"
                   : "=r"(got)
                   : "r"(static_cast<unsigned>(__cvta_generic_to_shared(s + at + k * 32))));
      sum += got;
    }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) *out = {clock64() - begin, sum};
  if (sum == 1) out->sink = sum;
}
// Four chains of additions a thread.
__global__ void add_rate(span* out, float by) {
  float a = by, b = by + 1, c = by + 2, d = by + 3;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < chain; ++i) a += by, b += by, c += by, d += by;
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) *out = {clock64() - begin, 0};
  if (a + b + c + d == 1) out->sink = 1;
}

template <class T>
__global__ void copy(T* y, const T* x) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
__global__ void update(float* y, float by) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] += by;
}
__global__ void read(const uint4* x, unsigned* sink) {
  const uint4 v = x[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x];
  if ((v.x ^ v.y ^ v.z ^ v.w) == 0x12345678u) *sink = 1;
}
__global__ void spin(span* out, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  if (threadIdx.x == 0) *out = {clock64() - begin, 0};
}

}  // namespace upsweep::lab::gpu::probes
