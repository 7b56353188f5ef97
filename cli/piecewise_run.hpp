// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cli/progress.hpp"
#include "cli/scan_job.hpp"

namespace cli {

// Runs the job on the CPU a piece at a time where somebody watches, and at once where nobody does:
// pieces cost a little. The bits are the same.
void run_scan_watched(const scan_job& job, progress& shown);

}  // namespace cli
