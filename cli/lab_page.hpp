// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "cli/lab_session.hpp"

namespace cli::lab {

// Writes a trace as a page of its own, with a drawing: complete or not at all. "-" is standard
// output. Throws failure if the file cannot be written.
void write_page(const std::string& file, const request& what, const outcome& o);

}  // namespace cli::lab
