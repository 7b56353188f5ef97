// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device memory a scan needs besides its arrays, owned by the caller.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "upsweep/cuda/error.cuh"
#include "upsweep/cuda/word.cuh"

namespace upsweep::cuda {

// What every launch finds at the start of a workspace, and leaves as it should be found.
struct launch_state {
  unsigned ticket;  // the next tile to be taken
  unsigned left;    // blocks that have finished
  unsigned epoch;   // of this launch; words of other epochs count as unpublished
};

// Sums of tiles: level q holds those of 32^q tiles, for each line of an array on its own.
inline constexpr int max_levels = 6;
struct levels {
  granule* words = nullptr;
  launch_state* state = nullptr;
  std::size_t capacity = 0;               // granules that may ever have been written
  std::size_t line_words = 0;             // words of a line
  unsigned level_start[max_levels] = {};  // where each level begins, in words
};

// Device memory for scans on the current device. It is allocated and cleared here and in reserve()
// only. Any sizes, types and operators may follow each other in it; calls on several streams that
// share it run one after another. A call that needs more throws argument_error. After a call was
// captured into a graph, the workspace belongs to that graph's launches: do not use it elsewhere
// while one runs; it cannot grow any more. Host threads may share it. Not copyable; must outlive
// the work that uses it.
class workspace {
 public:
  // The default serves a line of 2^32 elements of 8 bytes, and arrays of 2^28 of 4 along any axis
  // where 7 lines or more lie side by side.
  static constexpr std::size_t default_bytes = std::size_t{32} << 20;

  // Throws cuda_error when there is no device, or not enough memory. Cost: one allocation, one
  // synchronisation.
  explicit workspace(std::size_t bytes = default_bytes) {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_),
          "cudaDeviceGetAttribute");
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device_),
          "cudaDeviceGetAttribute");
    int shared = 0;  // small Blackwell devices (12.x) have bulk copies, but less than half of this
    check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_),
          "cudaDeviceGetAttribute");
    bulk_copies_ = major >= 9 && shared >= 227 * 1024;
    memory_ = allocate(bytes);
    bytes_ = bytes;
    for (cudaEvent_t* event : {&done_, &captured_}) {
      const cudaError_t code = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
      if (code != cudaSuccess) release();
      check(code, "cudaEventCreate");
    }
  }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;
  ~workspace() { release(); }

  // Grows to at least that many bytes, after waiting for the last call; never shrinks. Throws
  // cuda_error, or argument_error where another device is current or a captured graph holds the
  // memory; the workspace is then as before.
  void reserve(std::size_t bytes) {
    check_device();
    const std::lock_guard lock(mutex_);
    if (bytes <= bytes_) return;
    if (last_captured_.any)
      throw argument_error(
          "upsweep: a captured graph holds this workspace's memory: make another workspace");
    check(cudaEventSynchronize(done_), "cudaEventSynchronize");
    void* const larger = allocate(bytes);
    cudaFree(memory_);
    memory_ = larger;
    bytes_ = bytes;
  }

  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  int device() const { return device_; }
  // Throws argument_error unless the workspace's device is the current one.
  void check_device() const {
    int current = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    if (current != device_)
      throw argument_error("upsweep: the workspace is on device " + std::to_string(device_) +
                           ", the current device is " + std::to_string(current));
  }
  int processors() const { return processors_; }
  // Whether kernels with a ring in 227 KB of shared memory can be used.
  bool has_bulk_copies() const { return bulk_copies_; }

  // For the engine: calls launch(levels) with the words for `lines` lines of `tiles` tiles, each of
  // `granules` granules, after everything that used the workspace before.
  template <class Launch>
  void use(cudaStream_t stream, std::size_t lines, std::size_t tiles, int granules,
           Launch&& launch) {
    const std::lock_guard lock(mutex_);
    const levels found = layout(lines, tiles, granules);
    cudaStreamCaptureStatus status{};
    unsigned long long stream_id = 0, capture_id = 0;
    check(cudaStreamGetCaptureInfo(stream, &status, &capture_id), "cudaStreamGetCaptureInfo");
    const bool capturing = status == cudaStreamCaptureStatusActive;
    // A stream's number is never used again, as its handle may be; captures allow no such question.
    if (capturing)
      stream_id = reinterpret_cast<std::uintptr_t>(stream);
    else
      check(cudaStreamGetId(stream, &stream_id), "cudaStreamGetId");
    last_call& last = capturing ? last_captured_ : last_run_;
    const cudaEvent_t event = capturing ? captured_ : done_;
    // Nothing can be waited for across captures: their launches come later, in the user's order.
    const bool other_capture = capturing && last.capture != capture_id;
    if (last.any && last.stream != stream_id && !other_capture)
      check(cudaStreamWaitEvent(stream, event), "cudaStreamWaitEvent");
    launch(found);
    check(cudaEventRecord(event, stream), "cudaEventRecord");
    last = {true, stream_id, capture_id};
  }

 private:
  static constexpr std::size_t state_bytes = 256;
  struct last_call {
    bool any = false;
    unsigned long long stream = 0, capture = 0;
  };

  static void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, state_bytes + bytes), "cudaMalloc of a workspace");
    const launch_state first{0, 0, 1};
    cudaError_t code = cudaMemset(memory, 0, state_bytes + bytes);
    if (code == cudaSuccess)
      code = cudaMemcpy(memory, &first, sizeof first, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = cudaDeviceSynchronize();
    if (code != cudaSuccess) cudaFree(memory);
    check(code, "cudaMemset of a workspace");
    return memory;
  }

  void release() {
    if (done_ != nullptr) cudaEventSynchronize(done_);
    cudaFree(memory_);
    if (done_ != nullptr) cudaEventDestroy(done_);
    if (captured_ != nullptr) cudaEventDestroy(captured_);
  }

  levels layout(std::size_t lines, std::size_t tiles, int granules) const {
    levels found;
    found.state = static_cast<launch_state*>(memory_);
    found.words = reinterpret_cast<granule*>(static_cast<char*>(memory_) + state_bytes);
    found.capacity = bytes_ / sizeof(granule);
    std::size_t words = 0;
    for (int q = 0; q < max_levels; ++q, tiles /= 32) {
      found.level_start[q] = static_cast<unsigned>(words);
      words += tiles;
    }
    found.line_words = words;
    const std::size_t needed = lines * words * static_cast<std::size_t>(granules) * sizeof(granule);
    if (needed > bytes_)
      throw argument_error("upsweep: the workspace has " + std::to_string(bytes_) +
                           " bytes and this call needs " + std::to_string(needed) +
                           ": call reserve(" + std::to_string(needed) + ") before");
    return found;
  }

  int device_ = 0, processors_ = 0;
  bool bulk_copies_ = false;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  cudaEvent_t done_ = nullptr, captured_ = nullptr;
  mutable std::mutex mutex_;
  last_call last_run_, last_captured_;
};

}  // namespace upsweep::cuda
