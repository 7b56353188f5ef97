// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

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

int fail_otherwise(const std::exception& error) {
  const std::string what = error.what();  // the library names itself
  if (what.starts_with("pthread_create"))
    return fail(exit_status::run_time_failure,
                "cannot start threads: " + what + ": --threads 1 needs no others");
  return fail(exit_status::run_time_failure, what.substr(what.starts_with("upsweep: ") ? 9 : 0));
}

// Runs the subcommand of a command line; exceptions pass through.
void run(int argc, char** argv) {
  cli::run_command_line(argc, argv);
  cli::flush_output();  // text may still be on its way to a full disk or a closed pipe
}

}  // namespace

int main(int argc, char** argv) {
  cli::occupy_closed_streams();
  cli::install_signal_handlers();
  try {
    run(argc, argv);
    return 0;
  } catch (const cli::failure& failure) {
    if (failure.closed_pipe) return static_cast<int>(failure.status);
    return fail(failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_status::run_time_failure, "not enough memory");
  } catch (const std::system_error& error) {
    if (!std::string_view(error.what()).starts_with("cannot write to file"))
      return fail_otherwise(error);
    if (error.code() == std::errc::broken_pipe)
      return static_cast<int>(exit_status::run_time_failure);
    return fail(exit_status::run_time_failure,  // of fmt::print
                "standard output: cannot write: " + error.code().message());
  } catch (const std::exception& error) {
    return fail_otherwise(error);
  }
}
