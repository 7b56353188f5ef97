// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace cli {

bool is_terminal(int file);

// The text in the colour of errors where the descriptor is a terminal that has colours and the user
// wants them (NO_COLOR is unset or empty, TERM is not dumb), else as it is.
std::string in_error_colour(std::string_view text, int file);

}  // namespace cli
