// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "cli/bench_command.hpp"
#include "cli/failure.hpp"
#include "cli/info_command.hpp"
#include "cli/lab_command.hpp"
#include "cli/pending_file.hpp"
#include "cli/printable.hpp"
#include "cli/scan_command.hpp"
#include "cli/standard_streams.hpp"

namespace {

using cli::exit_status;

constexpr const char* examples = R"(Examples:
  upsweep scan counts.txt --exclusive --total     offsets from counts
  upsweep scan x.npy --axis 0 -o sums.npy         sums down the columns of an array
  upsweep scan --help                             formats, types and everything else
Exit status: 0 done, 1 run-time failure, 2 usage, 3 verification failed.)";

// Names of files and words of the command line come through here: whatever is in them, a message
// is one line.
int fail(exit_status status, const std::string& message) {
  std::fprintf(stderr, "upsweep: %s\n", cli::on_one_line(message).c_str());
  return static_cast<int>(status);
}

// What the first word of the command line has to be. Throws if it is another one.
void check_subcommand(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.starts_with('-')) return;
  std::string names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return;
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  const std::string what = argc > 1 ? "'" + word + "' is no subcommand" : "a subcommand is missing";
  throw cli::usage_failure(what + ": " + names + " (upsweep --help tells more)");
}

// No option of the tool has a use for an empty value, which is what a shell makes of a variable
// that was not set; CLI11 would take it for an option that is not there.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](std::string& value) { return value.empty() ? "'' is empty" : std::string(); }, "");
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    for (CLI::Option* option : sub->get_options())
      if (option->get_items_expected_max() > 0) option->check(not_empty);
}

// What was wrong, and where to read on. CLI11 has a word of its own for a flag that has a value.
std::string message_of(const CLI::ParseError& error, const std::string& first_word) {
  std::string what = error.what();
  if (const std::size_t at = what.find(" was given a disallowed flag override"); at != what.npos)
    what = "--" + what.substr(0, at) + " takes no value";
  const std::string sub = first_word.starts_with('-') ? "" : first_word + " ";
  return what + " (upsweep " + sub + "--help tells more)";
}

// Parses the command line and runs the subcommand, whose exceptions pass through.
int run(int argc, char** argv) {
  CLI::App app("Prefix sums of files, with the same bits on every machine", "upsweep");
  app.set_version_flag("--version", "upsweep " + cli::version());
  app.require_subcommand(1);
  app.footer(examples);
  cli::add_scan_command(app);
  cli::add_bench_command(app);
  cli::add_lab_command(app);
  cli::add_info_command(app);
  refuse_empty_values(app);
  check_subcommand(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return fail(exit_status::usage, message_of(error, argv[1]));
    app.exit(error);  // --help and --version, which end the parse
  }
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
    return fail(exit_status::run_time_failure, what.substr(what.starts_with("upsweep: ") ? 9 : 0));
  }
}
