// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

// KERNEL, one of the names; --n, from least on; --block and --tile-kernel.
CLI::Option* add_kernel(CLI::App& sub, std::string& kernel);
CLI::Option* add_size(CLI::App& sub, request& what, std::uint64_t least, const char* help);
void add_block(CLI::App& sub, request& what);
// What --op means, for the end of a --help.
extern const char* const help_on_operators;

// KERNEL and the options that all runs have: --op, --exclusive, --block, --tile-kernel, --input.
void add_run_options(CLI::App& sub, request& what);

}  // namespace lab
}  // namespace cli
