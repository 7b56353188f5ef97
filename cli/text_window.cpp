// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/failure.hpp"

namespace cli {
namespace {

constexpr std::size_t first_size = std::size_t{1} << 18, most = std::size_t{1} << 26;

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Characters behind the last line end.
std::uint64_t columns_in(std::string_view text) {
  text.remove_prefix(text.rfind('\n') + 1);  // npos + 1 is 0
  return static_cast<std::uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

bool text_window::extend(std::size_t read) {
  const std::string_view dropped = text_.substr(0, read), kept = text_.substr(read);
  const std::uint64_t new_lines = lines_in(dropped);
  columns_ = columns_in(dropped) + (new_lines == 0 ? columns_ : 0);
  lines_ += new_lines;
  text_ = kept;
  if (!refill_) return false;
  if (!kept.empty()) std::memmove(buffer_.data(), kept.data(), kept.size());
  text_ = {buffer_.data(), kept.size()};
  if (kept.size() >= most) fail(0, "something of more than 64 MiB without an end: is it a text?");
  if (2 * kept.size() >= buffer_.size()) buffer_.resize(std::max(first_size, 2 * buffer_.size()));
  const std::size_t got = refill_(buffer_.data() + kept.size(), buffer_.size() - kept.size());
  text_ = {buffer_.data(), kept.size() + got};
  if (got == 0) refill_ = nullptr;
  return got != 0;
}

std::string text_window::place(std::size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const std::uint64_t lines = lines_in(before);
  return fmt::format("line {}, column {}", lines_ + lines + 1,
                     columns_in(before) + (lines == 0 ? columns_ : 0) + 1);
}

void text_window::fail(std::size_t at, const std::string& what) const {
  throw run_time_failure(fmt::format("{}: {}: {}", name_, place(at), what));
}

}  // namespace cli
