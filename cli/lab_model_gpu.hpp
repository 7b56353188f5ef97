// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the model asks the GPU of this machine. All throw failure where there is none, or the tool
// was built without CUDA.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/lab_session.hpp"
#include "lab/model/device_spec.hpp"

namespace cli::lab {

// What the runtime knows of it; the other fields are 0.
upsweep::lab::model::device_spec describe_gpu();

// The most that one of the kernels of the request has.
double registers_of(const request& what);

// What lab/gpu/measure_device.hpp measures; takes some seconds.
std::vector<std::pair<std::string, double>> measurements();

}  // namespace cli::lab
