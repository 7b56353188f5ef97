// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.hpp"
#include "cli/lab_gpu.hpp"
#include "cli/lab_model_gpu.hpp"

namespace cli::lab {

void need_gpu() { throw run_time_failure("lab: this upsweep was built without CUDA"); }

gpu_outcome run_on_gpu(const request&, unsigned) {
  need_gpu();
  return {};
}

double registers_of(const request&) {
  need_gpu();
  return 0;
}

}  // namespace cli::lab
