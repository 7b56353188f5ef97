// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "cli/bench_command.hpp"
#include "cli/failure.hpp"
#include "cli/info_command.hpp"
#include "cli/pending_file.hpp"
#include "cli/scan_command.hpp"

namespace {

using cli::exit_status;

constexpr const char* examples = R"(
Examples:
  upsweep scan counts.txt --exclusive --total     offsets from counts
  upsweep scan x.npy --axis 0 -o sums.npy         sums down the columns of an array
  upsweep scan --help                             formats, types and everything else
Exit status: 0 done, 1 run-time failure, 2 usage, 3 verification failed.
)";

int fail(exit_status status, const std::string& message) {
  std::fprintf(stderr, "upsweep: %s\n", message.c_str());
  return static_cast<int>(status);
}

// Parses the command line and runs the subcommand, whose exceptions pass through.
int run(int argc, char** argv) {
  CLI::App app("Prefix sums of files, with the same bits on every machine", "upsweep");
  app.set_version_flag("--version", "upsweep " + cli::version());
  app.require_subcommand(1);
  app.footer(examples);
  cli::add_scan_command(app);
  cli::add_bench_command(app);
  cli::add_info_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)
      return fail(exit_status::usage, std::string(error.what()) + " (upsweep --help tells more)");
    app.exit(error);  // --help and --version, which end the parse
  }
  // Text may still be on its way to a full disk or a closed pipe.
  if (!std::cout.flush() || std::fflush(stdout) != 0)
    return fail(exit_status::run_time_failure, "standard output: cannot write");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  cli::install_signal_handlers();
  try {
    return run(argc, argv);
  } catch (const cli::failure& failure) {
    return fail(failure.status, failure.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_status::run_time_failure, "not enough memory");
  } catch (const std::exception& error) {
    return fail(exit_status::run_time_failure, error.what());
  }
}
