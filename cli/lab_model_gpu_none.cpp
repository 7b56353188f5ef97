// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.hpp"
#include "cli/lab_model_gpu.hpp"

namespace cli::lab {

upsweep::lab::model::device_spec describe_gpu() {
  throw run_time_failure("lab: this upsweep was built without CUDA");
}

std::vector<std::pair<std::string, double>> measurements() {
  throw run_time_failure("lab: this upsweep was built without CUDA");
}

}  // namespace cli::lab
