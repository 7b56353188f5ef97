// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// "0.1.0".
std::string version();

// upsweep info: what the tool is and what it found on this machine.
void add_info_command(CLI::App& app);

}  // namespace cli
