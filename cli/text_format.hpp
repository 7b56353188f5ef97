// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/dtype.hpp"
#include "cli/memory_region.hpp"

namespace cli {

struct text_values {
  dtype type;
  std::uint64_t count;
  memory_region memory;  // count elements of the type at its start
};

// The numbers of a text: words separated by blanks, tabs, line ends or commas; a comma must follow
// a number. Without a dtype: int64 when every word is an integer of that range, uint64 when they
// are non-negative integers that need it, float64 when any word is not an integer. Throws failure
// that names line, column and word when a word is no number or out of range.
text_values parse_text(std::string_view text, std::optional<dtype> type, const std::string& name);

// Hands count elements to write as text, one a line, piece by piece.
void format_text(const std::byte* data, std::uint64_t count, dtype type,
                 const std::function<void(std::string_view)>& write);

}  // namespace cli
