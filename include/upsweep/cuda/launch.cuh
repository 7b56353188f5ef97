// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How kernels are launched: early, where the device can. A kernel on compute capability 9.0 and
// later may begin while those before it in the stream end, so that its blocks are there and its
// barriers set up when they have (stream_order.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>

#include "upsweep/cuda/error.cuh"

namespace upsweep::cuda {

// True where the code of this kernel that runs on the device was compiled for compute capability
// 9.0 or later. A program may hold older code only, which the driver translates: that has no bulk
// copies, no clusters and does not wait for earlier kernels. Throws cuda_error.
template <auto kernel>
bool has_new_code(int device) {
  static std::atomic<std::uint64_t> asked{0}, found{0};
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((asked.load(std::memory_order_acquire) & bit) != 0)
    return (found.load(std::memory_order_relaxed) & bit) != 0;
  cudaFuncAttributes code{};
  check(cudaFuncGetAttributes(&code, kernel), "cudaFuncGetAttributes");
  const bool is_new = code.ptxVersion >= 90;
  if (is_new) found.fetch_or(bit, std::memory_order_relaxed);
  asked.fetch_or(bit, std::memory_order_release);
  return is_new;
}

// Raises a kernel's limit of shared memory, once a device.
template <auto kernel>
void allow_shared(int device, std::size_t bytes) {
  static std::atomic<std::uint64_t> done{0};
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((done.load(std::memory_order_relaxed) & bit) != 0) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
  done.fetch_or(bit, std::memory_order_relaxed);
}

struct launch_shape {
  unsigned blocks;
  int threads;
  std::size_t shared = 0;  // bytes; the same in every launch of a kernel that needs more than 48 KB
  unsigned cluster = 1;    // blocks of a cluster
};

template <auto kernel, class... Arguments>
void launch(int device, cudaStream_t stream, const launch_shape& shape,
            const Arguments&... arguments) {
  if (shape.shared > 48 * 1024) allow_shared<kernel>(device, shape.shared);
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared;
  config.stream = stream;
  config.attrs = attributes;
  if (shape.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = shape.cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  }
  if (has_new_code<kernel>(device)) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, arguments...), "cudaLaunchKernelEx");
}

}  // namespace upsweep::cuda
