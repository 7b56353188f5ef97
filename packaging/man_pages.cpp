// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packaging/man_pages.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace packaging {
namespace {

// Text that troff prints as it is: - and ^ and ~ and ' are otherwise signs of print, and a line
// that begins with . or ' is a command.
std::string escaped(const std::string& text) {
  std::string to;
  for (const char c : text) {
    if (c == '\\')
      to += "\\e";
    else if (c == '-')
      to += "\\-";
    else if (c == '^')
      to += "\\(ha";
    else if (c == '~')
      to += "\\(ti";
    else if (c == '\'')
      to += "\\(aq";
    else if (c == '`')
      to += "\\(ga";
    else
      to += c;
  }
  return to.starts_with('.') ? "\\&" + to : to;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// Takes the footer of --help apart, line by line.
class footer_sections {
 public:
  explicit footer_sections(const std::string& footer) {
    std::istringstream lines(footer);
    for (std::string line; std::getline(lines, line);) take(line);
    if (in_examples_) examples += ".EE\n";
  }

  std::string details, exit_status, examples;

 private:
  void take(const std::string& line) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) return;
    const std::string text = line.substr(indent);
    if (line == "Examples:") {
      in_examples_ = true;
      examples += ".EX\n";
    } else if (in_examples_ && indent != 0) {
      examples += escaped(text) + "\n";
    } else if (indent == 0) {
      paragraph(text);
    } else {
      item_or_more(text, indent);
    }
  }

  void paragraph(const std::string& text) {
    if (in_examples_) examples += ".EE\n";
    in_examples_ = in_list_ = false;
    constexpr std::string_view status = "Exit status: ";
    if (text.starts_with(status))
      exit_status += escaped(text.substr(status.size())) + "\n";
    else
      details += ".PP\n" + escaped(text) + "\n";
  }

  // "  .npy    NumPy arrays": a term and what it means; a deeper line goes on with it.
  void item_or_more(const std::string& text, std::size_t indent) {
    const std::size_t gap = text.find("  ");
    if (indent <= 4 && gap != text.npos) {
      in_list_ = true;
      const std::string meaning = text.substr(text.find_first_not_of(' ', gap));
      details += ".TP\n.B " + escaped(text.substr(0, gap)) + "\n" + escaped(meaning) + "\n";
      return;
    }
    if (in_list_ && indent <= 4) {  // back to the text around the list
      details += ".PP\n";
      in_list_ = false;
    }
    details += escaped(text) + "\n";
  }

  bool in_examples_ = false, in_list_ = false;
};

std::string synopsis(const command_entry& command, bool is_tool) {
  std::string line = is_tool ? "\\fBupsweep\\fP [\\fIOPTIONS\\fP] \\fISUBCOMMAND\\fP"
                             : "\\fBupsweep " + command.name + "\\fP [\\fIOPTIONS\\fP]";
  for (const option_entry& option : command.options)
    if (option.positional)
      line += option.required ? " \\fI" + option.names.front() + "\\fP"
                              : " [\\fI" + option.names.front() + "\\fP]";
  return line + (command.subcommands.empty() ? "" : " \\fISUBCOMMAND\\fP");
}

// .TP of one option: its names and what stands for its value, then the help.
std::string option_item(const option_entry& option) {
  std::string names, notes;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + ("\\fB" + escaped(name) + "\\fP");
  if (option.kind != value_kind::none && !option.positional)
    names += " \\fI" + option.placeholder() + (option.list ? ",...\\fP" : "\\fP");
  if (!option.choices.empty() && option.help.find(option.choices.back()) == std::string::npos)
    notes += (option.others ? " Such as: " : " One of: ") + joined(option.choices, ", ") + ".";
  if (!option.default_value.empty()) notes += " Default: " + option.default_value + ".";
  if (!option.needs.empty()) notes += " Needs " + joined(option.needs, " and ") + ".";
  if (!option.excludes.empty()) notes += " Not with " + joined(option.excludes, " or ") + ".";
  const std::string stop = option.help.ends_with('.') ? "" : ".";
  return ".TP\n" + names + "\n" + escaped(option.help + stop + notes) + "\n";
}

std::string command_list(const std::vector<command_entry>& commands) {
  std::string text;
  for (const command_entry& command : commands)
    if (&command != &commands.front())
      text +=
          ".TP\n\\fBupsweep\\-" + command.name + "\\fP(1)\n" + escaped(command.description) + ".\n";
  return text;
}

// The subcommands of a subcommand, each with all there is to say.
std::string own_subcommands(const command_entry& command) {
  std::string text;
  for (const command_entry& sub : command.subcommands) {
    text += ".SS " + synopsis(sub, false) + "\n" + escaped(sub.description) + ".\n";
    for (const option_entry& option : sub.options) text += option_item(option);
    const footer_sections footer(sub.footer);
    text += footer.details;
    if (!footer.examples.empty()) text += ".PP\n" + footer.examples;
  }
  return text;
}

std::string section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : ".SH " + title + "\n" + text;
}

}  // namespace

std::string page_name(const std::vector<command_entry>& commands, const command_entry& command) {
  return &command == &commands.front() ? "upsweep" : "upsweep-" + command.name;
}

std::string man_page(const std::vector<command_entry>& commands, const command_entry& command,
                     const std::string& version) {
  const bool is_tool = &command == &commands.front();
  const std::string name = page_name(commands, command);
  const footer_sections footer(command.footer);
  std::string options, others;
  for (const option_entry& option : command.options) options += option_item(option);
  for (const command_entry& other : commands)
    if (&other != &command)
      others +=
          (others.empty() ? "" : ",\n") + (".BR " + escaped(page_name(commands, other)) + " (1)");
  return ".\\\" Made from the declarations that --help is made of.\n.TH " + escaped(upper(name)) +
         " 1 \"\" \"upsweep " + version + "\" \"User Commands\"\n" +
         section("NAME", escaped(name) + " \\- " + escaped(command.description) + "\n") +
         section("SYNOPSIS", synopsis(command, is_tool) + "\n") +
         section("COMMANDS", is_tool ? command_list(commands) : "") + section("OPTIONS", options) +
         section("SUBCOMMANDS", own_subcommands(command)) + section("DETAILS", footer.details) +
         section("EXIT STATUS", footer.exit_status) + section("EXAMPLES", footer.examples) +
         section("SEE ALSO", others + "\n");
}

}  // namespace packaging
