// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "cli/dtype.hpp"

namespace cli {

// Hands count elements to write as text, one a line, piece by piece.
void format_text(const std::byte* data, std::uint64_t count, dtype type,
                 const std::function<void(std::string_view)>& write);

}  // namespace cli
