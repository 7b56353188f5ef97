// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace cli {

// Registers `upsweep report`: one page of pictures and tables from the JSON of bench and lab.
void add_report_command(CLI::App& app);

}  // namespace cli
