// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which prediction belongs to which measurement.
#pragma once

#include <string>
#include <vector>

#include "report/documents.hpp"

namespace upsweep::report {

// A run on a GPU and what a model said about the same kernel, n and device.
struct paired {
  const lab_run* run = nullptr;
  const model_kernel* predicted = nullptr;
  double ratio() const { return run->median_s / predicted->time_s; }
};

// Of each run on a GPU its own prediction, else that of the first model of the same device,
// operator, kernel, n and, where the run says it, padding; by kernel and n. Refers to the
// documents.
std::vector<paired> pairs_of(const documents& all);

// Why runs that a model might be thought to be of have no prediction: a line for each.
std::vector<std::string> unpaired(const documents& all);

// Kernels that a model has twice with the same n and padding: a line for each.
std::vector<std::string> repeated(const documents& all);

// Why the two times are what they are, in numbers: the term that bounds the prediction first.
std::string reason_of(const paired& pair);

}  // namespace upsweep::report
