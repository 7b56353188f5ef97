// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "upsweep/error.hpp"

namespace upsweep {

// A call of the CUDA runtime that failed: what() names the call, the reason, and where there is
// one a remedy. A workspace stays usable, unless the device itself was lost.
struct cuda_error : error {
  cuda_error(cudaError_t why, const std::string& what) : error(what), code(why) {}
  cudaError_t code;
};

namespace cuda {

inline bool no_driver() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version == 0;
}

// What a user can do about a failure; empty where there is nothing to say.
inline const char* remedy(cudaError_t code) {
  switch (code) {
    case cudaErrorNoDevice:
      return "; this machine has no NVIDIA GPU: use upsweep::par";
    case cudaErrorInsufficientDriver:
      return no_driver() ? "; no NVIDIA driver is installed: install one, or use upsweep::par"
                         : "; the driver is older than the CUDA runtime: update it, or use "
                           "upsweep::par";
    case cudaErrorMemoryAllocation:
      return "; free device memory, or scan the array in parts, each with the last total as init";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "; compile for this device's architecture (nvcc -arch=native)";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
      return "; a kernel of this program failed, maybe an earlier one: see compute-sanitizer";
    default:
      return "";
  }
}

// Throws cuda_error unless code is cudaSuccess, and clears the runtime's last error.
inline void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  throw cuda_error(
      code, std::string("upsweep: ") + call + ": " + cudaGetErrorString(code) + remedy(code));
}

}  // namespace cuda
}  // namespace upsweep
