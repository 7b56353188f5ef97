// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_gpu.hpp"
#include "cli/lab_model_gpu.hpp"

namespace cli::lab {

upsweep::lab::model::device_spec describe_gpu() {
  need_gpu();
  return {};
}

std::vector<std::pair<std::string, double>> measurements() {
  need_gpu();
  return {};
}

}  // namespace cli::lab
