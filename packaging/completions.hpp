// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts that complete the tool's command line in a shell. Subcommands, options and words that an
// option chooses from are offered; names of files where a file is wanted; nothing where a number or
// another value is.
#pragma once

#include <string>
#include <vector>

#include "packaging/tool_description.hpp"

namespace packaging {

std::string bash_completion(const std::vector<command_entry>& commands);
std::string zsh_completion(const std::vector<command_entry>& commands);
std::string fish_completion(const std::vector<command_entry>& commands);

}  // namespace packaging
