// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace cli {

// All subcommands and options of the tool, declared once: for the tool, its manual page, its
// completions, and the fuzzer. Parsing a line with it runs the subcommand.
std::unique_ptr<CLI::App> make_command_line();

// Parses a command line and so runs its subcommand, whose exceptions pass through, or prints the
// help that it asks for. Throws usage_failure for a wrong one.
void parse_command_line(CLI::App& app, int argc, const char* const* argv);

// Both: what the tool does.
void run_command_line(int argc, const char* const* argv);

}  // namespace cli
