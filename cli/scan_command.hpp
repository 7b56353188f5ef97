// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace cli {

// upsweep scan: prefix sums of a file.
void add_scan_command(CLI::App& app);

}  // namespace cli
