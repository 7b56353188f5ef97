// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as an algorithm's host part sees it: arrays and launches, on the default stream.
// simulator::device has the same members. Errors are exceptions of type cuda_failure.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/gpu/gpu_machine.cuh"

namespace upsweep::lab::gpu {

struct cuda_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw cuda_failure(std::string("upsweep: ") + call + ": " + cudaGetErrorString(status));
}

// The sample in the middle; of an even number the larger of two.
inline double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

// The time of one launch.
struct timed_launch {
  std::string kernel;
  float milliseconds = 0;
};

class device {
 public:
  device() = default;
  device(const device&) = delete;
  ~device() {
    for (const block& b : blocks_) cudaFree(b.memory);
    for (const mark& m : marks_) cudaEventDestroy(m.begin), cudaEventDestroy(m.end);
  }

  template <class T>
  global<T> array(const char*, std::uint64_t size) {
    return {static_cast<T*>(take(size * sizeof(T))), size, 0};
  }
  // Words begin at 0.
  lab::words words(const char*, std::uint64_t size) {
    auto* const memory = static_cast<std::uint32_t*>(take(size * sizeof(std::uint32_t)));
    check(cudaMemsetAsync(memory, 0, size * sizeof(std::uint32_t)), "cudaMemsetAsync");
    return {memory, size, 0};
  }
  // The next scan takes the arrays of the last one again: for repetitions of the same scan.
  void again() { next_ = 0; }

  template <class Kernel>
  void launch(const char* name, const shape& form, const Kernel& kernel) {
    allow_shared(run_kernel<Kernel>, form.shared_bytes);
    if (timed_) begin(name);
    void* arguments[] = {const_cast<Kernel*>(&kernel)};
    const dim3 blocks(static_cast<unsigned>(form.blocks)), threads(form.threads);
    const auto* const function = reinterpret_cast<const void*>(&run_kernel<Kernel>);
    if (form.cooperative)
      check(cudaLaunchCooperativeKernel(function, blocks, threads, arguments, form.shared_bytes,
                                        nullptr),
            "cudaLaunchCooperativeKernel");
    else
      check(cudaLaunchKernel(function, blocks, threads, arguments, form.shared_bytes, nullptr),
            "cudaLaunchKernel");
    if (timed_) check(cudaEventRecord(marks_.back().end), "cudaEventRecord");
  }

  // Blocks that a cooperative launch of so many threads each may have.
  template <class Kernel>
  std::uint64_t cooperative_blocks(const Kernel&, unsigned threads, std::uint32_t bytes) const {
    int which = 0, processors = 0, each = 0;
    check(cudaGetDevice(&which), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, which),
          "cudaDeviceGetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, run_kernel<Kernel>,
                                                        static_cast<int>(threads), bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return static_cast<std::uint64_t>(processors) * static_cast<std::uint64_t>(each);
  }

  // Whether each launch is timed by events from now on.
  void time_launches(bool on) { timed_ = on; }
  // The times since the last call; waits for the launches to end.
  std::vector<timed_launch> times() {
    std::vector<timed_launch> all;
    for (const mark& m : marks_) {
      timed_launch t{m.kernel};
      check(cudaEventSynchronize(m.end), "cudaEventSynchronize");
      check(cudaEventElapsedTime(&t.milliseconds, m.begin, m.end), "cudaEventElapsedTime");
      cudaEventDestroy(m.begin), cudaEventDestroy(m.end);
      all.push_back(t);
    }
    marks_.clear();
    return all;
  }

 private:
  struct block {
    void* memory;
    std::uint64_t bytes;
  };
  struct mark {
    std::string kernel;
    cudaEvent_t begin, end;
  };

  void* take(std::uint64_t bytes) {
    if (next_ == blocks_.size()) blocks_.push_back({nullptr, 0});
    block& b = blocks_[next_++];
    if (b.bytes < bytes) {
      check(cudaFree(b.memory), "cudaFree");
      b = {nullptr, 0};
      check(cudaMalloc(&b.memory, bytes), "cudaMalloc");
      b.bytes = bytes;
    }
    return b.memory;
  }
  template <class Function>
  static void allow_shared(Function* function, std::uint32_t bytes) {
    constexpr std::uint32_t without_asking = 48u << 10;
    if (bytes > without_asking)
      check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)),
            "cudaFuncSetAttribute");
  }
  void begin(const char* name) {
    mark m{name, nullptr, nullptr};
    check(cudaEventCreate(&m.begin), "cudaEventCreate");
    check(cudaEventCreate(&m.end), "cudaEventCreate");
    marks_.push_back(m);
    check(cudaEventRecord(m.begin), "cudaEventRecord");
  }

  std::vector<block> blocks_;
  std::size_t next_ = 0;
  std::vector<mark> marks_;
  bool timed_ = false;
};

}  // namespace upsweep::lab::gpu
