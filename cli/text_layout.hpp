// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace cli {

// Where the numbers of a text are.
struct text_layout {
  std::string comment;  // what begins a comment, which ends with the line; empty: none
  std::optional<std::string> column;  // of delimited records: a name of the header, or 1, 2, ...
  char delimiter = ',';               // between the fields of a record
};

}  // namespace cli
