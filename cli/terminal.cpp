// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/terminal.hpp"

#include <stdlib.h>
#include <unistd.h>

namespace cli {
namespace {

std::string_view environment(const char* name) {
  const char* const value = ::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool is_terminal(int file) { return ::isatty(file) == 1; }

std::string in_error_colour(std::string_view text, int file) {
  const bool colours =
      is_terminal(file) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return colours ? "\x1b[1;31m" + std::string(text) + "\x1b[0m" : std::string(text);
}

}  // namespace cli
