// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the words of a text to numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/dtype.hpp"
#include "cli/memory_region.hpp"
#include "cli/text_layout.hpp"
#include "cli/text_reader.hpp"

namespace cli {

// The dtype that words call for: int64 when every one is an integer of that range, uint64 when they
// are non-negative integers that need it, float64 as soon as one is not an integer. Throws failure
// for integers that neither holds. Reads on to where that is decided, the end in general.
dtype find_dtype(text_reader& words);

// The next `most` words as elements of the type, one behind the other; fewer at the end of the
// text. Throws failure that names line, column and word when a word is no number or out of range.
std::size_t read_numbers(text_reader& words, dtype type, std::size_t most, std::byte* to);

struct text_values {
  dtype type;
  std::uint64_t count;
  memory_region memory;  // count elements of the type at its start
};

// All numbers of a text that is in memory, as the dtype or as the one that find_dtype finds.
text_values parse_text(std::string_view text, std::optional<dtype> type, const text_layout& layout,
                       const std::string& name);

}  // namespace cli
