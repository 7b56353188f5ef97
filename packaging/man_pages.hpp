// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "packaging/tool_description.hpp"

namespace packaging {

// The manual page of one of the commands, the first of which is the tool itself, in the man macros
// of roff. The footer of --help becomes its sections: "Examples:" and "Exit status:" have their
// own, an indented line whose first words stand apart from the rest becomes an item of a list.
std::string man_page(const std::vector<command_entry>& commands, const command_entry& command,
                     const std::string& version);

// upsweep for the tool, upsweep-scan for its subcommand scan.
std::string page_name(const std::vector<command_entry>& commands, const command_entry& command);

}  // namespace packaging
