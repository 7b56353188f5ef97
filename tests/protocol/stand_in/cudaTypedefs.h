// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one function of the driver that is asked for, and how.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

using PFN_cuTensorMapEncodeTiled_v12000 = decltype(&cuTensorMapEncodeTiled);

inline cudaError_t cudaGetDriverEntryPoint(const char*, void** function, unsigned,
                                           cudaDriverEntryPointQueryResult* result) {
  *function = reinterpret_cast<void*>(&cuTensorMapEncodeTiled);
  return *result = cudaDriverEntryPointSuccess, cudaSuccess;
}
