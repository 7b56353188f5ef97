// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/failure.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"

namespace cli {
namespace {

bool is_complex_word(std::string_view word) {
  std::complex<double> value;
  return word.find_first_of("jJ") != word.npos &&
         parse_number<dtype::c16>(word, value) == parsed::number;
}

std::string complaint(std::string_view word, parsed result, dtype type) {
  if (result == parsed::out_of_range)
    return fmt::format("'{}' is out of range for {}", printable(word), name_of(type));
  if (kind_of(type) != dtype_kind::complex && is_complex_word(word))
    return fmt::format("'{}' is complex: --dtype c16 reads it", printable(word));
  if (kind_of(type) == dtype_kind::complex)
    return fmt::format("'{}' is not a number such as 1.5 or 1+2j", printable(word));
  if (kind_of(type) == dtype_kind::floating)
    return fmt::format("'{}' is not a number", printable(word));
  if (type == dtype::b1) return fmt::format("'{}' is not 0, 1, true or false", printable(word));
  return fmt::format("'{}' is not an integer, as {} needs", printable(word), name_of(type));
}

template <dtype D>
std::size_t read_as(text_reader& words, std::size_t most, std::byte* to) {
  std::size_t count = 0;
  for (; count < most; ++count) {
    const std::string_view word = words.next();
    if (word.empty()) break;
    stored_t<D> value{};
    if (const parsed result = parse_number<D>(word, value); result != parsed::number)
      words.fail(word, complaint(word, result, D));
    std::memcpy(to + count * sizeof value, &value, sizeof value);
  }
  return count;
}

// A word to complain about when all have been seen.
struct noted_word {
  std::string word, place;

  void note(const text_reader& words, std::string_view what) {
    if (word.empty()) word = printable(what), place = words.place(what);
  }
};

}  // namespace

dtype find_dtype(text_reader& words) {
  bool negative = false;
  noted_word large, too_large;  // the first beyond int64, and beyond 64 bits
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    std::int64_t value = 0;
    std::uint64_t unsigned_value = 0;
    if (!is_integer_word(word)) return dtype::f8;
    negative = negative || word[0] == '-';
    if (parse_number<dtype::i8>(word, value) == parsed::number) continue;
    const bool fits = parse_number<dtype::u8>(word, unsigned_value) == parsed::number;
    (fits ? large : too_large).note(words, word);
  }
  // Reading integers as floats would change them in silence: that has to be asked for.
  const auto refuse = [&](const noted_word& which, const char* why) {
    throw run_time_failure(
        fmt::format("{}: {}: '{}' {}", words.name(), which.place, which.word, why));
  };
  if (!too_large.word.empty())
    refuse(too_large, "does not fit 64 bits: --dtype f8 reads it as a float");
  if (!large.word.empty() && negative)
    refuse(large,
           "does not fit int64, and other numbers are negative: --dtype f8 reads them as floats");
  return large.word.empty() ? dtype::i8 : dtype::u8;
}

std::size_t read_numbers(text_reader& words, dtype type, std::size_t most, std::byte* to) {
  return with_dtype(type, [&]<dtype D>() { return read_as<D>(words, most, to); });
}

text_values parse_text(std::string_view text, std::optional<dtype> type, const text_layout& layout,
                       const std::string& name) {
  if (!type) {
    text_window window(text, name);
    type = find_dtype(*read_text(window, layout));
  }
  text_window window(text, name);
  const std::unique_ptr<text_reader> words = read_text(window, layout);
  text_values values{*type, 0, {}};
  // A number takes two characters at least; pages that are not needed are never touched. Of no text
  // at all a number is asked for too: a header may be missing.
  const std::size_t most = text.size() / 2 + 1;
  values.memory = memory_region::allocate(most * item_size(*type));
  values.count = read_numbers(*words, *type, most, values.memory.data());
  return values;
}

}  // namespace cli
