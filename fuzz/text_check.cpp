// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/text_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "cli/text_format.hpp"
#include "cli/text_numbers.hpp"
#include "fuzz/fuzz_check.hpp"

namespace fuzz {
namespace {

struct outcome {
  cli::dtype type = cli::dtype::f8;
  std::string numbers;  // as text
  std::string message;  // of a failure

  bool operator==(const outcome&) const = default;
};

std::string as_text(const std::byte* data, std::size_t count, cli::dtype type) {
  std::string text;
  cli::format_text(data, count, type, [&](std::string_view part) { text += part; });
  return text;
}

// What is advised may depend on how much of the text has been seen.
std::string without_advice(const std::string& message) {
  return message.substr(0, std::min(message.find(": it looks binary"), message.find(": a header")));
}

template <class Read>
outcome outcome_of(const Read& read) {
  try {
    return read();
  } catch (const cli::failure& failure) {
    demand(std::string_view(failure.what()).starts_with("x.txt: ") ||
               failure.status == cli::exit_status::usage,
           "no name in the message");
    return {cli::dtype::f8, "", without_advice(failure.what())};
  }
}

outcome read_whole(std::string_view text, std::optional<cli::dtype> type,
                   const cli::text_layout& layout) {
  const cli::text_values values = cli::parse_text(text, type, layout, "x.txt");
  return {values.type, as_text(values.memory.data(), values.count, values.type), ""};
}

// Hands out the text in pieces.
cli::text_window::refill_function in_pieces(std::string_view text, std::size_t piece) {
  return [text, piece](char* to, std::size_t room) mutable {
    const std::size_t n = std::min({text.size(), piece, room});
    std::memcpy(to, text.data(), n);
    text.remove_prefix(n);
    return n;
  };
}

outcome read_pieces(std::string_view text, std::optional<cli::dtype> type,
                    const cli::text_layout& layout, std::size_t piece) {
  if (is_fault_planted() && !text.empty()) text.remove_suffix(2);
  if (!type) {
    cli::text_window window(in_pieces(text, piece), "x.txt");
    type = cli::find_dtype(*cli::read_text(window, layout));
  }
  cli::text_window window(in_pieces(text, piece), "x.txt");
  const auto words = cli::read_text(window, layout);
  constexpr std::size_t most = 5;
  const std::size_t item = cli::item_size(*type);
  std::vector<std::byte> some(most * item), all;
  for (std::size_t count = most; count == most;) {
    count = cli::read_numbers(*words, *type, most, some.data());
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count * item));
  }
  return {*type, as_text(all.data(), all.size() / item, *type), ""};
}

}  // namespace

void check_text(std::string_view text, std::optional<cli::dtype> type,
                const cli::text_layout& layout, std::size_t piece) {
  const outcome whole = outcome_of([&] { return read_whole(text, type, layout); });
  const outcome pieces = outcome_of([&] { return read_pieces(text, type, layout, piece); });
  demand(whole == pieces, "whole: " + whole.numbers + whole.message +
                              "\nin pieces: " + pieces.numbers + pieces.message);
  if (!whole.message.empty()) return;
  const outcome again = outcome_of([&] { return read_whole(whole.numbers, whole.type, {}); });
  demand(again == whole, "written and read again: " + again.numbers + again.message);
}

}  // namespace fuzz
