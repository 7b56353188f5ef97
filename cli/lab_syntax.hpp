// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of an integer expression, before muParser reads it.
#pragma once

#include <string>

namespace cli::lab {

// All values of an expression are smaller: they are exact as doubles, here and in what reads JSON.
inline constexpr double most_of_expressions = 9007199254740992.0;  // 2^53
inline constexpr const char* beyond_most = "the value is beyond 2^53";

// Throws failure, with the option that the text is of, the position and the reason, if the text is
// no expression in the variable.
void check_syntax(const std::string& option, const std::string& text, const std::string& variable);

// An integer as C writes it: 31, 0x1f, 037. Where it ends, or nullptr if it is none; value may be
// beyond 2^53.
const char* read_literal(const char* text, double& value);

// The text as a message repeats it: of a long one, what lies around a place.
std::string shown_around(const std::string& text, std::size_t at);

}  // namespace cli::lab
