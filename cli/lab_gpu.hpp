// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "cli/lab_session.hpp"

namespace cli::lab {

// Times in milliseconds, by events of the device.
struct gpu_launch {
  std::string kernel;
  double median = 0, least = 0;
};

struct gpu_outcome {
  std::string device;
  std::vector<gpu_launch> launches;
  double median = 0, least = 0;  // of a whole scan, with what it does to its words
  double copy = 0;               // of a copy of the elements on the device, median
  outcome result;                // how right it is; no counts
};

// Throws failure where there is no GPU, or the tool was built without CUDA.
void need_gpu();

// Runs a scan of floats by sum on the GPU: warm-up, so many repetitions, and one more run whose
// result is checked. Throws failure as need_gpu does.
gpu_outcome run_on_gpu(const request& what, unsigned repeat);

}  // namespace cli::lab
