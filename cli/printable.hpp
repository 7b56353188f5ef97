// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

// Whether a character of three bytes in UTF-8 shows nothing but turns or breaks the line that it is
// in: U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
inline bool only_directs(std::string_view three) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(three[i]); };
  if (byte(0) == 0xef) return byte(1) == 0xbb && byte(2) == 0xbf;
  if (byte(0) != 0xe2) return false;
  if (byte(1) == 0x81) return byte(2) >= 0xa0 && byte(2) <= 0xaf;
  return byte(1) == 0x80 &&
         ((byte(2) >= 0x8b && byte(2) <= 0x8f) || (byte(2) >= 0xa8 && byte(2) <= 0xae));
}

// The bytes of the character that the text begins with; 0 if it is a control character or directs
// others, or not UTF-8 as far as the bits that mark its bytes tell.
inline std::size_t visible_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (length == 3 && only_directs(text)) return 0;
  return byte(0) == 0xc2 && byte(1) < 0xa0 ? 0 : length;
}

// Text from outside as a message may show it: on one line, with control characters and bytes that
// are no text as \xNN. A symbol in UTF-8 is shown as what it is.
inline std::string on_one_line(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = visible_character(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0)
      shown += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    else
      shown += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

// The same, and not long: for the words of a file.
inline std::string printable(std::string_view text, std::size_t most = 40) {
  constexpr std::size_t longest_character = 4;
  std::size_t longest = most;
  while (longest < text.size() && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80 &&
         longest > most - longest_character)
    --longest;  // not in the middle of a character
  const std::string shown = on_one_line(text.substr(0, longest));
  return text.size() > longest ? shown + "..." : shown;
}

// A word of the command line as a message repeats it: whole if it is not longer than a line.
inline constexpr std::size_t most_repeated = 80;
inline std::string in_quotes(std::string_view text) {
  std::string shown(1, '\'');
  return shown.append(printable(text, most_repeated)).append(1, '\'');
}

}  // namespace cli
