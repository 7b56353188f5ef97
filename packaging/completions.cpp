// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packaging/completions.hpp"

#include <algorithm>
#include <span>

namespace packaging {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// With a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string to;
  for (const char c : text) {
    if (characters.find(c) != characters.npos) to += '\\';
    to += c;
  }
  return to;
}

// Between single quotes, as zsh and bash read it.
std::string quoted(const std::string& text) {
  std::string to = "'";
  for (const char c : text) to += c == '\'' ? "'\\''" : std::string(1, c);
  return to + "'";
}

std::span<const command_entry> subcommands(const std::vector<command_entry>& commands) {
  return std::span(commands).subspan(1);
}

std::string subcommand_names(const std::vector<command_entry>& commands) {
  std::vector<std::string> names;
  for (const command_entry& command : subcommands(commands)) names.push_back(command.name);
  return joined(names, " ");
}

std::string option_names(const command_entry& command) {
  std::vector<std::string> names;
  for (const option_entry& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names, " ");
}

bool takes_file(const command_entry& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const option_entry& o) {
    return o.positional && o.kind == value_kind::file;
  });
}

// One branch of the case on "subcommand option": what may follow that option.
std::string bash_values(const command_entry& command, const option_entry& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names)
    patterns.push_back("'" + command.name + " " + name + "'");
  std::string values = "return";
  if (option.kind == value_kind::choice) values = "words='" + joined(option.choices, " ") + "'";
  if (option.kind == value_kind::file) values = "files=yes";
  return "    " + joined(patterns, " | ") + ") " + values + " ;;\n";
}

constexpr const char* bash_begin = R"(# bash completion for upsweep
_upsweep() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command=${COMP_WORDS[1]} words= files=
  # bash takes --option=value for three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  ((COMP_CWORD > 1)) || command=
  case "$command $before" in
)";

constexpr const char* bash_end = R"(  esac
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}
complete -F _upsweep upsweep
)";

// What may stand where no option waits for its value.
std::string bash_words(const command_entry& command, const std::string& pattern,
                       const std::string& other) {
  return "    " + pattern + ")\n      if [[ $word == -* ]]; then words='" + option_names(command) +
         "'; else " + other + "; fi\n      ;;\n";
}

std::string zsh_value(const option_entry& option) {
  switch (option.kind) {
    case value_kind::none:
      return "";
    case value_kind::choice:
      return ":" + option.placeholder() + ":(" + joined(option.choices, " ") + ")";
    case value_kind::file:
      return ":" + option.placeholder() + ":_files";
    default:
      return ":" + option.placeholder() + ": ";
  }
}

std::string zsh_option(const option_entry& option, const std::string& indent) {
  const std::string rest = zsh_value(option);
  if (option.positional) return indent + quoted("1" + rest);
  const std::string help = "[" + escaped(option.help, "[]:\\") + "]" + rest;
  std::string names;
  for (const std::string& name : option.names) {
    const bool long_value = name.starts_with("--") && option.kind != value_kind::none;
    names += (names.empty() ? "" : ",") + name + (long_value ? "=" : "");
  }
  if (option.names.size() == 1) return indent + quoted(names + help);
  return indent + quoted("(" + joined(option.names, " ") + ")") + "{" + names + "}" + quoted(help);
}

std::string zsh_options(const command_entry& command, const std::string& indent) {
  std::string text;
  for (const option_entry& option : command.options) text += " \\\n" + zsh_option(option, indent);
  return text;
}

// The words of a line of fish that say what an option is.
std::string fish_option(const option_entry& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.kind == value_kind::choice) text += " -x -a '" + joined(option.choices, " ") + "'";
  if (option.kind == value_kind::file) text += " -r -F";
  if (option.kind == value_kind::number || option.kind == value_kind::other) text += " -x";
  return text + " -d '" + escaped(option.help, "\\'") + "'";
}

}  // namespace

std::string bash_completion(const std::vector<command_entry>& commands) {
  std::string text = bash_begin;
  for (const command_entry& command : subcommands(commands))
    for (const option_entry& option : command.options)
      if (!option.positional && option.kind != value_kind::none)
        text += bash_values(command, option);
  for (const command_entry& command : subcommands(commands))
    text +=
        bash_words(command, "'" + command.name + " '*", takes_file(command) ? "files=yes" : ":");
  const std::string names = "words='" + subcommand_names(commands) + "'";
  return text + bash_words(commands.front(), "' '*", names) + bash_end;
}

std::string zsh_completion(const std::vector<command_entry>& commands) {
  std::string text =
      "#compdef upsweep\n"
      "local curcontext=$curcontext state line\n"
      "typeset -A opt_args\n"
      "_arguments -C" +
      zsh_options(commands.front(), "  ") +
      " \\\n  '1:subcommand:->subcommand' '*::argument:->argument' && return\n"
      "case $state in\n"
      "  subcommand)\n"
      "    local -a subcommands=(";
  for (const command_entry& command : subcommands(commands))
    text += "\n      " + quoted(command.name + ":" + escaped(command.description, ":\\"));
  text +=
      ")\n"
      "    _describe subcommand subcommands\n"
      "    ;;\n"
      "  argument)\n"
      "    case $line[1] in\n";
  for (const command_entry& command : subcommands(commands))
    text += "      " + command.name + ")\n        _arguments -s" +
            zsh_options(command, "          ") + "\n        ;;\n";
  return text + "    esac\n    ;;\nesac\n";
}

std::string fish_completion(const std::vector<command_entry>& commands) {
  std::string text =
      "# fish completion for upsweep\n"
      "complete -c upsweep -f\n";
  for (const option_entry& option : commands.front().options)
    text += "complete -c upsweep -n __fish_use_subcommand" + fish_option(option) + "\n";
  for (const command_entry& command : subcommands(commands)) {
    text += "complete -c upsweep -n __fish_use_subcommand -a " + command.name + " -d '" +
            escaped(command.description, "\\'") + "'\n";
    const std::string begin =
        "complete -c upsweep -n '__fish_seen_subcommand_from " + command.name + "'";
    if (takes_file(command)) text += begin + " -F\n";
    for (const option_entry& option : command.options)
      if (!option.positional) text += begin + fish_option(option) + "\n";
  }
  return text;
}

}  // namespace packaging
