// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single numbers as text, in both directions, whatever the locale.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/dtype.hpp"

namespace cli {

enum class parsed { number, not_a_number, out_of_range };

// Reads the whole word as a value of the dtype: decimal integers exactly, never through a float;
// floats rounded to nearest, with inf, infinity and nan in any case; bool as 0, 1, true or false;
// complex numbers as 1, 2j, 1+2j or (1+2j). A sign, + too, may come first. On anything but number,
// to is as it was.
template <dtype D>
parsed parse_number(std::string_view word, stored_t<D>& to);

// Optional sign and decimal digits: an integer of any size.
bool is_integer_word(std::string_view word);

// Enough characters for any number.
inline constexpr std::size_t longest_number = 64;

// Writes the shortest text that reads back as the same value of its dtype, and returns its end. NaN
// is nan whatever its sign. Needs room for longest_number characters.
template <dtype D>
char* format_number(char* to, stored_t<D> value);

}  // namespace cli
