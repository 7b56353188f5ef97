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

// Registers of a thread where no GPU tells: what nvcc gave the largest of the kernels for
// compute capability 9.0. None of the smaller ones is held back by so many.
inline constexpr double default_registers = 32;

// What the runtime knows of it; the other fields are 0.
upsweep::lab::model::device_spec describe_gpu();

// The most that one of the kernels of the request has.
double registers_of(const request& what);

// What lab/gpu/measure_device.hpp measures; takes some seconds.
std::vector<std::pair<std::string, double>> measurements();

}  // namespace cli::lab
