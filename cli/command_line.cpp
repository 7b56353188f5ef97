// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench_command.hpp"
#include "cli/failure.hpp"
#include "cli/info_command.hpp"
#include "cli/lab_command.hpp"
#include "cli/printable.hpp"
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

std::vector<CLI::App*> subcommands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

// The subcommand that the first words of the command line name, with its name in full. Throws if
// one of them has to be a subcommand and is not.
std::pair<CLI::App*, std::string> subcommand_of(CLI::App& app, int argc, const char* const* argv) {
  std::pair<CLI::App*, std::string> found{&app, "upsweep"};
  for (int i = 1; !subcommands_of(*found.first).empty(); ++i) {
    const std::string word = i < argc ? argv[i] : "";
    if (word.starts_with('-')) break;
    CLI::App* next = nullptr;
    std::string names;
    for (CLI::App* sub : subcommands_of(*found.first)) {
      if (sub->get_name() == word) next = sub;
      names += (names.empty() ? "" : ", ") + sub->get_name();
    }
    const std::string of = i == 1 ? "" : " of " + found.first->get_name();
    if (next == nullptr)
      throw usage_failure((i < argc ? in_quotes(word) + " is no subcommand" + of
                                    : "a subcommand" + of + " is missing") +
                          ": " + names + " (" + found.second + " --help tells more)");
    found = {next, found.second + " " + word};
  }
  return found;
}

// No option of the tool has a use for an empty value, which is what a shell makes of a variable
// that was not set; CLI11 would take it for an option that is not there.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](std::string& value) { return value.empty() ? "'' is empty" : std::string(); }, "");
  for (CLI::App* sub : subcommands_of(app)) {
    for (CLI::Option* option : sub->get_options())
      if (option->get_items_expected_max() > 0) option->check(not_empty);
    refuse_empty_values(*sub);
  }
}

// CLI11 begins a subcommand with the footer of what it belongs to: examples of other commands.
void drop_inherited_footers(CLI::App& app) {
  for (CLI::App* sub : subcommands_of(app)) {
    drop_inherited_footers(*sub);
    if (sub->get_footer() == app.get_footer()) sub->footer(std::string());
  }
}

// Text in which no word of the command line is longer than a message repeats, also as
// --option=word.
std::string with_short_words(std::string text, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word.starts_with("--") && text.find(word) == text.npos)
      word.remove_prefix(std::min(word.size(), word.find('=') + 1));
    if (word.size() <= most_repeated) continue;
    const std::string shown = printable(word, most_repeated);
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += shown.size())
      text.replace(at, word.size(), shown);
  }
  return text;
}

// What was wrong. CLI11 has a word of its own for a flag that has a value, and turns round the
// words that it knows no use for.
std::string message_of(const CLI::ParseError& error, const CLI::App& app) {
  std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    if (const std::vector<std::string> words = app.remaining(true); words.size() > 1)
      what = "The following arguments were not expected: " + CLI::detail::join(words, " ");
  if (const std::size_t at = what.find(" was given a disallowed flag override"); at != what.npos)
    what = "--" + what.substr(0, at) + " takes no value";
  return what;
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
  drop_inherited_footers(*app);
  return app;
}

void parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  const std::string subcommand = subcommand_of(app, argc, argv).second;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0)  // and where to read on
      throw usage_failure(with_short_words(message_of(error, app), argc, argv) + " (" + subcommand +
                          " --help tells more)");
    app.exit(error);  // --help and --version, which end the parse
  }
}

void run_command_line(int argc, const char* const* argv) {
  parse_command_line(*make_command_line(), argc, argv);
}

}  // namespace cli
