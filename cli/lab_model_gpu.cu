// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_model_gpu.hpp"

#include <cuda_runtime.h>

#include "cli/failure.hpp"
#include "cli/lab_gpu.hpp"
#include "lab/gpu/gpu_device.cuh"
#include "lab/gpu/measure_device.hpp"

namespace cli::lab {

namespace {

namespace gpu = upsweep::lab::gpu;

void answered(cudaError_t status) {
  if (status != cudaSuccess)
    throw run_time_failure(std::string("lab: the GPU: ") + cudaGetErrorString(status));
}

}  // namespace

upsweep::lab::model::device_spec describe_gpu() {
  need_gpu();
  cudaDeviceProp p{};
  int kilohertz = 0, memory_kilohertz = 0;
  answered(cudaGetDeviceProperties(&p, 0));
  answered(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  answered(cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, 0));
  upsweep::lab::model::device_spec d;
  d.name = "this", d.about = p.name;
  d.processors = p.multiProcessorCount, d.clock_hz = 1e3 * kilohertz;
  d.threads = p.maxThreadsPerMultiProcessor, d.blocks = p.maxBlocksPerMultiProcessor;
  d.block_threads = p.maxThreadsPerBlock, d.registers = p.regsPerMultiprocessor;
  d.shared_bytes = static_cast<double>(p.sharedMemPerMultiprocessor);
  d.block_shared_bytes = static_cast<double>(p.sharedMemPerBlockOptin);
  d.reserved_shared_bytes = static_cast<double>(p.reservedSharedMemPerBlock);
  // Two transfers a clock, over a bus of so many bits.
  d.dram_bytes_per_s = 2e3 * memory_kilohertz * p.memoryBusWidth / 8;
  d.l2_bytes = p.l2CacheSize;
  d.compute_capability = p.major + p.minor / 10.0;
  return d;
}

std::vector<std::pair<std::string, double>> measurements() {
  need_gpu();
  std::vector<std::pair<std::string, double>> all;
  try {
    for (const gpu::measurement& m : gpu::measure_device()) all.emplace_back(m.name, m.value);
  } catch (const gpu::cuda_failure& error) {
    throw run_time_failure(error.what());
  }
  return all;
}

}  // namespace cli::lab
