// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "cli/command_line.hpp"
#include "cli/failure.hpp"
#include "cli/pending_file.hpp"
#include "cli/printable.hpp"
#include "cli/standard_streams.hpp"
#include "cli/terminal.hpp"

namespace {

using cli::exit_status;

// Names of files and words of the command line come through here: whatever is in them, a message
// is one line.
int fail(exit_status status, const std::string& message) {
  std::fprintf(stderr, "%s %s\n", cli::in_error_colour("upsweep:", STDERR_FILENO).c_str(),
               cli::on_one_line(message).c_str());
  return static_cast<int>(status);
}

// Runs the subcommand of a command line; exceptions pass through.
int run(int argc, char** argv) {
  cli::run_command_line(argc, argv);
  // Text may still be on its way to a full disk or a closed pipe, or have failed before.
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return fail(exit_status::run_time_failure, "standard output: cannot write");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cli::occupy_closed_streams();
  cli::install_signal_handlers();
  try {
    return run(argc, argv);
  } catch (const cli::failure& failure) {
    return fail(failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_status::run_time_failure, "not enough memory");
  } catch (const std::exception& error) {
    const std::string what = error.what();  // the library names itself
    if (what.starts_with("pthread_create"))
      return fail(exit_status::run_time_failure,
                  "cannot start threads: " + what + ": --threads 1 needs no others");
    return fail(exit_status::run_time_failure, what.substr(what.starts_with("upsweep: ") ? 9 : 0));
  }
}
