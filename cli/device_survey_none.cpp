// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPUs that a tool built without CUDA can find.
#include "cli/device_choice.hpp"

namespace cli {

device_survey find_devices() {
  device_survey none;
  none.reason = "this tool was built without CUDA";
  none.remedy = "build it where nvcc is found, or use --device cpu";
  return none;
}

}  // namespace cli
