// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine of a thread on a GPU: see lab/machine.hpp for what each operation means. Each is the
// CUDA construct itself; sites, steps and what is shown leave no instruction.
#pragma once

#include <cooperative_groups.h>

#include <cstring>
#include <cuda/atomic>

#include "lab/machine.hpp"

namespace upsweep::lab::gpu {

extern __shared__ uint4 shared_memory[];

class machine {
 public:
  __device__ unsigned thread() const { return threadIdx.x; }
  __device__ unsigned threads() const { return blockDim.x; }
  __device__ unsigned block() const { return blockIdx.x; }
  __device__ unsigned blocks() const { return gridDim.x; }

  template <class T, class Pad = no_padding>
  __device__ shared_array<T, Pad> shared(element_type<T>, std::uint32_t count, Pad = {}) {
    shared_array<T, Pad> array;
    array.size = count;
    array.data = reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(shared_memory) + used_);
    used_ += shared_bytes<T, Pad>(count);
    return array;
  }

  template <class T, class Pad, class Site>
  __device__ T load(const shared_array<T, Pad>& a, std::uint32_t i, Site) const {
    return a.data[Pad::place(i)];
  }
  template <class T, class Pad, class Site>
  __device__ void store(const shared_array<T, Pad>& a, std::uint32_t i,
                        const std::type_identity_t<T>& value, Site) const {
    a.data[Pad::place(i)] = value;
  }
  template <class T, class Site>
  __device__ std::remove_const_t<T> load(const global<T>& a, std::uint64_t i, Site) const {
    return a.data[i];
  }
  template <class T, class Site>
  __device__ void store(const global<T>& a, std::uint64_t i, const std::type_identity_t<T>& value,
                        Site) const {
    a.data[i] = value;
  }
  template <class T, class Site>
  __device__ pack<std::remove_const_t<T>> load4(const global<T>& a, std::uint64_t i, Site) const {
    return *reinterpret_cast<const pack<std::remove_const_t<T>>*>(a.data + i);
  }
  template <class T, class Site>
  __device__ void store4(const global<T>& a, std::uint64_t i, const pack<T>& p, Site) const {
    *reinterpret_cast<pack<T>*>(a.data + i) = p;
  }

  template <class Site>
  __device__ void barrier(Site) const {
    __syncthreads();
  }
  template <class Site>
  __device__ void grid_barrier(Site) const {
    cooperative_groups::this_grid().sync();
  }

  template <class T, class Site>
  __device__ T shuffle(const T& value, unsigned from, Site) const {
    return by_words(value, [from](unsigned word) { return __shfl_sync(all_lanes, word, from); });
  }
  template <class T, class Site>
  __device__ T shuffle_up(const T& value, unsigned distance, Site) const {
    return by_words(
        value, [distance](unsigned word) { return __shfl_up_sync(all_lanes, word, distance); });
  }
  template <class Site>
  __device__ std::uint32_t vote(bool flag, Site) const {
    return __ballot_sync(all_lanes, flag);
  }

  template <class Site>
  __device__ std::uint32_t add(const words& a, std::uint64_t i, std::uint32_t value, Site) const {
    return atomicAdd(a.data + i, value);
  }
  template <class Site>
  __device__ void publish(const words& a, std::uint64_t i, std::uint32_t value, Site) const {
    word(a.data[i]).store(value, cuda::memory_order_release);
  }
  template <class Site>
  __device__ std::uint32_t observe(const words& a, std::uint64_t i, Site) const {
    return word(a.data[i]).load(cuda::memory_order_acquire);
  }

  template <class Op, class T>
  __device__ T apply(const Op& op, const T& left, const T& right) const {
    return op(left, right);
  }
  template <class Phase>
  __device__ void step(Phase, std::uint64_t, bool) const {}
  template <class T>
  __device__ void show(std::uint64_t, const T&, std::uint64_t = 0, std::uint64_t = 0) const {}

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  template <class T, class Exchange>
  __device__ static T by_words(const T& value, const Exchange& exchange) {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    std::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned& w : words) w = exchange(w);
    T got;
    std::memcpy(static_cast<void*>(&got), words, sizeof(T));
    return got;
  }

  std::uint32_t used_ = 0;
};

template <class Kernel>
__global__ void __launch_bounds__(1024) run_kernel(const Kernel kernel) {
  machine m;
  kernel(m);
}

}  // namespace upsweep::lab::gpu
