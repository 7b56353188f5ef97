// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cli/scan_request.hpp"

namespace cli {

// Reads the input, scans or reduces it, checks the result where asked for and writes the output.
// Throws failure; then there is no output. The report of the check goes to standard error.
void run_scan_task(scan_request request);

}  // namespace cli
