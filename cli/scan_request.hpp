// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "cli/array_file.hpp"
#include "cli/device_choice.hpp"
#include "cli/scan_job.hpp"

namespace cli {

// What the command line asked for, word for word where a word depends on the dtype.
struct scan_request {
  std::string input, output = "-";
  operation op = operation::sum;
  bool reduce = false;  // one value a line instead of a scan
  bool exclusive = false, total = false, reverse = false;
  bool verify = false, checked = false, quiet = false;
  std::optional<std::string> init, in_type, out_type, byte_order;
  std::optional<int> axis;  // none: the array as one sequence, in C order
  unsigned threads = 0;
  device_choice device;
  read_options reading;  // its dtype is made of in_type and byte_order
  std::optional<file_format> out_format;
  std::optional<std::string> stats;  // json, or json:FILE
};

}  // namespace cli
