// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "cli/device_choice.hpp"
#include "cli/scan_job.hpp"

namespace cli {

// What the command line asked for, word for word where a word depends on the dtype.
struct scan_request {
  std::string input, output = "-";
  operation op = operation::sum;
  bool exclusive = false, total = false, reverse = false, verify = false;
  std::optional<std::string> init, in_type, out_type;
  std::optional<int> axis;  // none: the array as one sequence, in C order
  unsigned threads = 0;
  device_choice device;
};

// Reads the input, scans it, checks the result where asked for and writes the output. Throws
// failure; then there is no output. The report of the check goes to standard error.
void run_scan_task(const scan_request& request);

}  // namespace cli
