// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sections on models have in common.
#pragma once

#include <string>
#include <vector>

#include "report/lab_data.hpp"
#include "report/plot.hpp"

namespace upsweep::report {

// The curve of a kernel in a plot, which gets one where it has none; joined as its marks are then.
curve& curve_of(plot& p, const std::string& kernel, bool joined);

// Microseconds.
std::string micro(double seconds);

// The terms that any of the kernels has, in the order they came.
std::vector<std::string> terms_of(const std::vector<const model_kernel*>& kernels);

// A cell for each of these terms: microseconds, or "–" where the kernel does not have it.
void add_terms(std::vector<std::string>& cells, const model_kernel& k,
               const std::vector<std::string>& terms);

// What a reader has to know of all figures of a model, below them: which kernels the device could
// not run, and how many figures of the device are assumed. Nothing where there is neither.
std::string reservations(const lab_model& m);

}  // namespace upsweep::report
