// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// page.css and page.js as text; the build makes a source of them.
#pragma once

namespace upsweep::report {

extern const char* const page_style;
extern const char* const page_script;

}  // namespace upsweep::report
