// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a text in different ways and demands the same outcome.
#pragma once

#include <optional>
#include <string_view>

#include "cli/dtype.hpp"
#include "cli/text_layout.hpp"

namespace fuzz {

// The text at once must give what it gives in pieces of that many bytes, numbers or message; and
// the numbers, written as text and read again, must be the same.
void check_text(std::string_view text, std::optional<cli::dtype> type,
                const cli::text_layout& layout, std::size_t piece);

}  // namespace fuzz
