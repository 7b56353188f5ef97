// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace cli {

// Registers `upsweep bench`: scans of Upsweep beside copies of the same bytes and beside the scans
// of others, interleaved in one run, as a table and as JSON.
void add_bench_command(CLI::App& app);

}  // namespace cli
