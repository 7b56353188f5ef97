// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPUs that the CUDA runtime finds.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "cli/device_choice.hpp"

namespace cli {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Why the runtime counts no device.
void explain(cudaError_t code, int driver, device_survey& to) {
  to.remedy = "use --device cpu";
  if (driver == 0) {
    to.reason = "no NVIDIA driver is installed";
    to.remedy = "install one, or use --device cpu";
  } else if (code == cudaErrorInsufficientDriver) {
    to.reason = fmt::format("the driver is for CUDA {} and the tool for {}", to.driver, to.runtime);
    to.remedy = "update the driver, or use --device cpu";
  } else if (code == cudaSuccess || code == cudaErrorNoDevice) {
    to.reason = "this machine has no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
  } else {
    to.reason = fmt::format("the CUDA runtime says '{}'", cudaGetErrorString(code));
  }
}

device_description describe(int index) {
  cudaDeviceProp p{};
  if (cudaGetDeviceProperties(&p, index) != cudaSuccess) {
    cudaGetLastError();
    return {.name = "does not answer"};
  }
  return {p.name,           p.major,
          p.minor,          p.multiProcessorCount,
          p.totalGlobalMem, static_cast<std::size_t>(p.l2CacheSize)};
}

}  // namespace

device_survey find_devices() {
  device_survey found;
  int driver = 0, runtime = 0, count = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) found.runtime = version_text(runtime);
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0)
    found.driver = version_text(driver);
  const cudaError_t code = cudaGetDeviceCount(&count);
  cudaGetLastError();  // what was found out is no error of a later call
  if (code != cudaSuccess || count == 0) {
    explain(code, driver, found);
    return found;
  }
  for (int i = 0; i < count; ++i) found.devices.push_back(describe(i));
  return found;
}

}  // namespace cli
