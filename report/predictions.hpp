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

// Of each run on a GPU its own prediction, else that of the first model that has one; by kernel and
// n. Refers to the documents.
std::vector<paired> pairs_of(const documents& all);

// Why the two times are what they are, in numbers.
std::string reason_of(const paired& pair);

}  // namespace upsweep::report
