// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As much of the CUDA runtime as a workspace needs: memory is the host's, streams never wait.
#pragma once

#include <cstdlib>
#include <cstring>

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorInsufficientDriver,
  cudaErrorIllegalAddress,
  cudaErrorMisalignedAddress,
  cudaErrorIllegalInstruction,
  cudaErrorLaunchFailure,
  cudaErrorAssert,
  cudaErrorNoDevice,
  cudaErrorNoKernelImageForDevice,
  cudaErrorUnsupportedPtxVersion
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrMaxSharedMemoryPerBlockOptin
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline constexpr unsigned cudaEventDisableTiming = 2, cudaEnableDefault = 0;
using cudaStream_t = void*;
using cudaEvent_t = void*;

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
  *value = what == cudaDevAttrComputeCapabilityMajor         ? 9
           : what == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 * 1024
                                                             : 4;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return std::memset(to, value, bytes), cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return std::memcpy(to, from, bytes), cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = nullptr, cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long* id) {
  return *id = 0, cudaSuccess;
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status,
                                            unsigned long long* id) {
  return *status = cudaStreamCaptureStatusNone, *id = 0, cudaSuccess;
}
