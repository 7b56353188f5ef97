// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.hpp"
#include "cli/lab_gpu.hpp"
#include "cli/lab_model_gpu.hpp"

namespace cli::lab {

namespace {

failure no_cuda() { return run_time_failure("lab: this upsweep was built without CUDA"); }

}  // namespace

gpu_outcome run_on_gpu(const request&, unsigned) { throw no_cuda(); }

upsweep::lab::model::device_spec describe_gpu() { throw no_cuda(); }
double registers_of(const request&) { throw no_cuda(); }
std::vector<std::pair<std::string, double>> measurements() { throw no_cuda(); }

}  // namespace cli::lab
