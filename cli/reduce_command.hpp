// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace CLI {
class App;
}

namespace cli {

// upsweep reduce: the sum, product, minimum and so on of a file.
void add_reduce_command(CLI::App& app);

}  // namespace cli
