// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool's command line as plain data, taken from the declarations that parse it. The manual
// pages and the completions are made of this, so that they cannot differ from --help.
#pragma once

#include <string>
#include <vector>

namespace packaging {

enum class value_kind { none, choice, file, number, other };

struct option_entry {
  std::vector<std::string> names;  // with their dashes; a positional has its placeholder alone
  std::string help;
  value_kind kind = value_kind::none;
  std::vector<std::string> choices;
  bool others = false;  // whether it takes other words than the choices
  std::string default_value;
  std::vector<std::string> needs, excludes;  // names of other options
  bool positional = false, required = false, list = false;

  // What stands for the value in a synopsis: FILE, N, WORD or VALUE.
  std::string placeholder() const;
};

struct command_entry {
  std::string name, description;  // of a subcommand of lab: "lab trace"
  std::string footer;             // what stands below the options in --help
  std::vector<option_entry> options;
  std::vector<command_entry> subcommands;

  std::string last_word() const { return name.substr(name.rfind(' ') + 1); }
};

// The tool itself first, then its subcommands in the order of --help. Theirs are within them.
std::vector<command_entry> describe_tool();

}  // namespace packaging
