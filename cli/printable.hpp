// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

// Text of a file as a message may show it: on one line, without control characters, and not long.
// Bytes above 0x7f pass, so that a symbol in UTF-8 is shown as what it is.
inline std::string printable(std::string_view text) {
  std::size_t longest = 40;
  while (longest < text.size() && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80)
    --longest;  // not in the middle of a character
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      shown += c;
    else
      shown += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
  }
  return text.size() > longest ? shown + "..." : shown;
}

}  // namespace cli
