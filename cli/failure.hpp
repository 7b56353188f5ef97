// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a subcommand ends other than well. Each subcommand is a pair of files <name>_command.hpp and
// .cpp in namespace cli with one function, void add_<name>_command(CLI::App& app), which registers
// the subcommand and, as its callback, what it does. The callback returns when all is done.
#pragma once

#include <stdexcept>
#include <string>

namespace cli {

enum class exit_status {
  done = 0,
  run_time_failure = 1,
  usage = 2,
  verification_failed = 3,
  faults_found = 4
};

// Thrown to end the program: main prints "upsweep: " and the message on standard error and exits
// with the status. The message is one line that names the file and the place, and the remedy.
struct failure : std::runtime_error {
  failure(exit_status why, const std::string& message) : std::runtime_error(message), status(why) {}
  exit_status status;
  bool closed_pipe = false;  // whoever read the output has left: main says nothing
};

// What could not be done with this file or this machine.
inline failure run_time_failure(const std::string& message) {
  return {exit_status::run_time_failure, message};
}

// What could not be asked for: options that contradict each other, the file or its type.
inline failure usage_failure(const std::string& message) { return {exit_status::usage, message}; }

}  // namespace cli
