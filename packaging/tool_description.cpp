// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packaging/tool_description.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "cli/command_line.hpp"
#include "cli/option_checks.hpp"

namespace packaging {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  } else {
    names.push_back(option.get_name());
  }
  return names;
}

std::vector<std::string> names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(names_of(*option).back());
  return names;
}

// A list of words is the name of a check, or part of the type's name: TEXT:{sum,prod}.
std::vector<std::string> choices_of(CLI::Option& option, bool& others) {
  others = false;
  for (int i = 0;; ++i) {
    std::string name;
    try {
      name = option.get_validator(i)->get_name();
    } catch (const CLI::OptionNotFound&) {
      break;  // there are no more
    }
    for (const std::string_view mark : {cli::offered, cli::all_offered})
      if (name.starts_with(mark)) {
        others = mark == cli::offered;
        return CLI::detail::split(name.substr(mark.size()), ',');
      }
  }
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// Text is a file's name where the help speaks of a file.
value_kind kind_of(const CLI::Option& option, bool has_choices) {
  if (option.get_items_expected_max() == 0) return value_kind::none;
  if (has_choices) return value_kind::choice;
  const std::string type = option.get_type_name();
  if (!type.starts_with("TEXT")) return value_kind::number;
  const bool file = CLI::detail::to_lower(option.get_description()).find("file") != type.npos;
  return file ? value_kind::file : value_kind::other;
}

// CLI11 writes the default of a list in brackets.
std::string default_of(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  return text;
}

command_entry describe(CLI::App& app, const std::string& name) {
  command_entry command{name, app.get_description(), app.get_footer(), {}, {}};
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) {
    if (option->get_group().empty()) continue;  // hidden
    option_entry entry;
    entry.names = names_of(*option);
    entry.help = option->get_description();
    entry.choices = choices_of(*option, entry.others);
    entry.kind = kind_of(*option, !entry.choices.empty());
    entry.default_value = default_of(*option);
    entry.needs = names_of(option->get_needs());
    entry.excludes = names_of(option->get_excludes());
    entry.positional = !option->nonpositional();
    entry.required = option->get_required();
    entry.list = option->get_delimiter() != '\0';
    command.options.push_back(std::move(entry));
  }
  const std::string in_front = app.get_parent() == nullptr ? "" : name + " ";
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
    if (!sub->get_group().empty())
      command.subcommands.push_back(describe(*sub, in_front + sub->get_name()));
  return command;
}

}  // namespace

std::string option_entry::placeholder() const {
  switch (kind) {
    case value_kind::none:
      return "";
    case value_kind::choice:
      return "WORD";
    case value_kind::file:
      return "FILE";
    case value_kind::number:
      return "N";
    case value_kind::other:
      return "VALUE";
  }
  return "";
}

std::vector<command_entry> describe_tool() {
  const std::unique_ptr<CLI::App> app = cli::make_command_line();
  std::vector<command_entry> commands{describe(*app, app->get_name())};
  for (command_entry& sub : std::exchange(commands.front().subcommands, {}))
    commands.push_back(std::move(sub));
  return commands;
}

}  // namespace packaging
