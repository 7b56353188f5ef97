// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole page.
#pragma once

#include <string>

#include "report/documents.hpp"

namespace upsweep::report {

// One HTML document that needs nothing else: style, pictures and script are inside. It has the
// sections that the files have something for, and a warning where they are of several machines.
// Throws bad_input when nothing in them can be shown.
std::string page_of(const documents& all);

// What a reader has to know before comparing: each a line. Empty where all is of one machine.
std::vector<std::string> warnings_of(const documents& all);

}  // namespace upsweep::report
