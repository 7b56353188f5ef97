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

using entries = std::span<const command_entry>;

entries subcommands(const std::vector<command_entry>& commands) {
  return std::span(commands).subspan(1);
}

std::string subcommand_names(entries commands) {
  std::vector<std::string> names;
  for (const command_entry& command : commands) names.push_back(command.last_word());
  return joined(names, " ");
}

// Words that stand for an argument without an option, where there is a list of them.
std::string argument_choices(const command_entry& command) {
  for (const option_entry& option : command.options)
    if (option.positional && !option.choices.empty()) return joined(option.choices, " ");
  return "";
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
  case $command in
)";

constexpr const char* bash_cases = R"(  esac
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

// Where a subcommand has some of its own, the command is both words.
std::string bash_second_word(entries commands) {
  std::string text;
  for (const command_entry& command : commands)
    if (!command.subcommands.empty())
      text +=
          "    '" + command.name + "') ((COMP_CWORD < 3)) || command+=\" ${COMP_WORDS[2]}\" ;;\n";
  return text;
}

std::string bash_options(entries commands) {
  std::string text;
  for (const command_entry& command : commands) {
    for (const option_entry& option : command.options)
      if (!option.positional && option.kind != value_kind::none)
        text += bash_values(command, option);
    text += bash_options(command.subcommands);
  }
  return text;
}

// Those with two words first: they match a pattern of the first word too.
std::string bash_commands(entries commands) {
  std::string text;
  for (const command_entry& command : commands) {
    text += bash_commands(command.subcommands);
    const std::string names = subcommand_names(command.subcommands) + argument_choices(command);
    const std::string other = takes_file(command) ? "files=yes"
                              : names.empty()     ? ":"
                                                  : "words='" + names + "'";
    text += bash_words(command, "'" + command.name + " '*", other);
  }
  return text;
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

// What _arguments does where subcommands follow the options; state is a name of its own.
std::string zsh_subcommands(const command_entry& command, entries commands,
                            const std::string& state, const std::string& indent) {
  std::string text = indent + "_arguments -C" + zsh_options(command, indent + "  ") + " \\\n" +
                     indent + "  '1:subcommand:->" + state + "' '*::argument:->" + state +
                     "_argument' && return\n" + indent + "case $state in\n" + indent + "  " +
                     state + ")\n" + indent + "    local -a " + state + "s=(";
  for (const command_entry& sub : commands)
    text +=
        "\n" + indent + "      " + quoted(sub.last_word() + ":" + escaped(sub.description, ":\\"));
  text += ")\n" + indent + "    _describe subcommand " + state + "s\n" + indent + "    ;;\n" +
          indent + "  " + state + "_argument)\n" + indent + "    case $line[1] in\n";
  for (const command_entry& sub : commands) {
    text += indent + "      " + sub.last_word() + ")\n";
    text += sub.subcommands.empty()
                ? indent + "        _arguments -s" + zsh_options(sub, indent + "          ") + "\n"
                : zsh_subcommands(sub, sub.subcommands, state + "_" + sub.last_word(),
                                  indent + "        ");
    text += indent + "        ;;\n";
  }
  return text + indent + "    esac\n" + indent + "    ;;\n" + indent + "esac\n";
}

// Lines of fish for the subcommands of one level, where condition holds.
std::string fish_subcommands(entries commands, const std::string& condition) {
  std::string text;
  for (const command_entry& command : commands) {
    const std::string name = command.last_word();
    const bool first_level = condition.empty();
    const std::string seen =
        condition + (first_level ? "" : "; and ") + "__fish_seen_subcommand_from " + name;
    const std::string none_seen = first_level
                                      ? "__fish_use_subcommand"
                                      : "'" + condition + "; and not __fish_seen_subcommand_from " +
                                            subcommand_names(commands) + "'";
    text += "complete -c upsweep -n " + none_seen + " -a " + name + " -d '" +
            escaped(command.description, "\\'") + "'\n";
    const std::string begin = "complete -c upsweep -n '" + seen + "'";
    if (takes_file(command)) text += begin + " -F\n";
    if (const std::string words = argument_choices(command); !words.empty())
      text += begin + " -a '" + words + "'\n";
    for (const option_entry& option : command.options)
      if (!option.positional) text += begin + fish_option(option) + "\n";
    text += fish_subcommands(command.subcommands, seen);
  }
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<command_entry>& commands) {
  const entries subs = subcommands(commands);
  const std::string names = "words='" + subcommand_names(subs) + "'";
  return bash_begin + bash_second_word(subs) + bash_cases + bash_options(subs) +
         bash_commands(subs) + bash_words(commands.front(), "' '*", names) + bash_end;
}

std::string zsh_completion(const std::vector<command_entry>& commands) {
  return "#compdef upsweep\n"
         "local curcontext=$curcontext state line\n"
         "typeset -A opt_args\n" +
         zsh_subcommands(commands.front(), subcommands(commands), "subcommand", "");
}

std::string fish_completion(const std::vector<command_entry>& commands) {
  std::string text =
      "# fish completion for upsweep\n"
      "complete -c upsweep -f\n";
  for (const option_entry& option : commands.front().options)
    text += "complete -c upsweep -n __fish_use_subcommand" + fish_option(option) + "\n";
  return text + fish_subcommands(subcommands(commands), "");
}

}  // namespace packaging
