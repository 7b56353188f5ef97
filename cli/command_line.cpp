// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <string>

#include "cli/bench_command.hpp"
#include "cli/failure.hpp"
#include "cli/info_command.hpp"
#include "cli/lab_command.hpp"
#include "cli/reduce_command.hpp"
#include "cli/report_command.hpp"
#include "cli/scan_command.hpp"

namespace cli {
namespace {

constexpr const char* examples = R"(Examples:
  upsweep scan counts.txt --exclusive --total     offsets from counts
  upsweep scan x.npy --axis 0 -o sums.npy         sums down the columns of an array
  upsweep reduce x.npy --op max                   one value
  upsweep report bench.json -o report.html        a page of pictures
  upsweep scan --help                             formats, types and everything else
Exit status: 0 done, 1 run-time failure, 2 usage, 3 --verify or --baseline says no, 4 lab faults.)";

// What the first word of the command line has to be. Throws if it is another one.
void check_subcommand(const CLI::App& app, int argc, const char* const* argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.starts_with('-')) return;
  std::string names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return;
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  const std::string what = argc > 1 ? "'" + word + "' is no subcommand" : "a subcommand is missing";
  throw usage_failure(what + ": " + names + " (upsweep --help tells more)");
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

}  // namespace

std::unique_ptr<CLI::App> make_command_line() {
  auto app = std::make_unique<CLI::App>("Prefix sums of files, with the same bits on every machine",
                                        "upsweep");
  app->set_version_flag("--version", "upsweep " + version());
  app->require_subcommand(1);
  app->footer(examples);
  add_scan_command(*app);
  add_reduce_command(*app);
  add_bench_command(*app);
  add_lab_command(*app);
  add_report_command(*app);
  add_info_command(*app);
  refuse_empty_values(*app);
  return app;
}

void parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  check_subcommand(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw usage_failure(message_of(error, argv[1]));
    app.exit(error);  // --help and --version, which end the parse
  }
}

void run_command_line(int argc, const char* const* argv) {
  parse_command_line(*make_command_line(), argc, argv);
}

}  // namespace cli
