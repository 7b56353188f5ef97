// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the CUDA runtime in the tool: a failure is one line and the status 1.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>

#include "cli/failure.hpp"

namespace cli {

// Throws failure unless code is cudaSuccess, and clears the runtime's last error. what: what the
// program was about, such as "memory of 5 MiB on the GPU".
inline void check_cuda(cudaError_t code, const std::string& what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  std::string message = what + ": " + cudaGetErrorString(code);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorUnsupportedPtxVersion)
    message += ": build the tool with -DCMAKE_CUDA_ARCHITECTURES for this GPU";
  throw run_time_failure(message);
}

// Memory of the current device, not initialised.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes != 0 ? bytes : 1),
               std::to_string((bytes >> 20) + 1) + " MiB of memory on the GPU");
    memory_.reset(static_cast<std::byte*>(memory));
  }
  std::byte* data() const { return memory_.get(); }

 private:
  struct release {
    void operator()(std::byte* memory) const { cudaFree(memory); }
  };
  std::unique_ptr<std::byte, release> memory_;
};

// A stream of the current device that does not wait for the default one.
class device_stream {
 public:
  device_stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream on the GPU");
  }
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;
  ~device_stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "work on the GPU"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class device_event {
 public:
  explicit device_event(unsigned flags = cudaEventDefault) {
    check_cuda(cudaEventCreateWithFlags(&event_, flags), "an event on the GPU");
  }
  device_event(const device_event&) = delete;
  device_event& operator=(const device_event&) = delete;
  ~device_event() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }
  void record(const device_stream& stream) const {
    check_cuda(cudaEventRecord(event_, stream.get()), "an event on the GPU");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace cli
