// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cli {

// upsweep lab: kernels of the textbooks, step by step, on a simulated GPU.
void add_lab_command(CLI::App& app);

namespace lab {

struct request;

// The subcommands, each in a file of its own.
void add_list(CLI::App& lab);
void add_trace(CLI::App& lab);
void add_banks(CLI::App& lab);
void add_check(CLI::App& lab);
void add_pitfalls(CLI::App& lab);
void add_run(CLI::App& lab);
void add_lecture(CLI::App& lab);
void add_model(CLI::App& lab);

// KERNEL and the options that all runs have: --op, --exclusive, --block, --tile-kernel, --input.
void add_run_options(CLI::App& sub, request& what, bool with_input);

}  // namespace lab
}  // namespace cli
