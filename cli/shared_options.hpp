// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that scan and reduce have in common.
#pragma once

#include <string>

#include "cli/scan_request.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cli {

// Where the parser of the command line leaves what it found; words that are no values of the
// request yet stand beside it.
struct scan_options {
  scan_request request;
  std::string op = "sum", device = "auto", simd = "auto", format, out_format, delimiter;
};

// A flag that takes no value.
CLI::Option* add_plain_flag(CLI::App& command, const char* name, bool& value, const char* help);

// Declares them. The object must live as long as the command.
void add_input_options(CLI::App& command, scan_options& options);
void add_other_options(CLI::App& command, scan_options& options);

// The words become values, and the request is run. Throws failure.
void run_request(const scan_options& options);

// Paragraphs of the help that both commands have: files and formats; types.
extern const char* const help_on_files;
extern const char* const help_on_types;

}  // namespace cli
