// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/text_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "cli/failure.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"

namespace cli {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// No text has these bytes: control characters but blanks, and what UTF-8 never uses.
bool is_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && !is_blank(c)) || byte == 0x7f || byte == 0xc0 || byte == 0xc1 ||
           byte >= 0xf5;
  });
}

// "line 3, column 5", counted from 1, of a place in a text. A character of UTF-8 is one column.
std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start),
                                    before.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return fmt::format("line {}, column {}", line + 1, column + 1);
}

// Takes a text apart into words.
class word_reader {
 public:
  word_reader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // the mark that some editors leave in front
  }

  // The next word; empty at the end of the text.
  std::string_view next() {
    bool comma_allowed = words_ > 0;
    for (; at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ','); ++at_) {
      if (text_[at_] != ',') continue;
      if (!comma_allowed) fail(text_.substr(at_, 1), "a comma with no number before it");
      comma_allowed = false;
    }
    std::size_t end = at_;
    while (end < text_.size() && !is_blank(text_[end]) && text_[end] != ',') ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    ++words_;
    return word;
  }

  [[noreturn]] void fail(std::string_view word, const std::string& what) const {
    const auto at = static_cast<std::size_t>(word.data() - text_.data());
    throw run_time_failure(
        fmt::format("{}: {}: {}{}", name_, place(text_, at), what, advice(word)));
  }

 private:
  // What the user may have meant by a text with such a word.
  std::string advice(std::string_view word) const {
    constexpr std::size_t start = 4096;
    if (is_binary(word) || is_binary(text_.substr(0, start)))
      return ": it looks binary; raw elements are scanned with --dtype from a file that is not "
             "named as a text, or from /dev/stdin";
    double number = 0;
    if (words_ == 1 && parse_number<dtype::f8>(word, number) == parsed::not_a_number)
      return ": a header line? tail -n +2 leaves it out";
    return "";
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint64_t words_ = 0;  // taken so far
};

dtype find_dtype(std::string_view text, const std::string& name) {
  word_reader words(text, name);
  bool negative = false;
  std::string_view large, too_large;  // the first word beyond int64, and beyond 64 bits
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    std::int64_t value = 0;
    std::uint64_t unsigned_value = 0;
    if (!is_integer_word(word)) return dtype::f8;
    negative = negative || word[0] == '-';
    if (parse_number<dtype::i8>(word, value) == parsed::number) continue;
    if (parse_number<dtype::u8>(word, unsigned_value) != parsed::number) {
      if (too_large.empty()) too_large = word;
    } else if (large.empty()) {
      large = word;
    }
  }
  // Reading integers as floats would change them in silence: that has to be asked for.
  if (!too_large.empty())
    words.fail(too_large, fmt::format("'{}' does not fit 64 bits: --dtype f8 reads it as a float",
                                      printable(too_large)));
  if (!large.empty() && negative)
    words.fail(large, fmt::format("'{}' does not fit int64, and other numbers are negative: "
                                  "--dtype f8 reads them as floats",
                                  printable(large)));
  return large.empty() ? dtype::i8 : dtype::u8;
}

std::string complaint(std::string_view word, parsed result, dtype type) {
  if (result == parsed::out_of_range)
    return fmt::format("'{}' is out of range for {}", printable(word), name_of(type));
  if (kind_of(type) == dtype_kind::floating)
    return fmt::format("'{}' is not a number", printable(word));
  if (type == dtype::b1) return fmt::format("'{}' is not 0, 1, true or false", printable(word));
  return fmt::format("'{}' is not an integer, as {} needs", printable(word), name_of(type));
}

template <dtype D>
std::uint64_t parse_words(std::string_view text, const std::string& name, std::byte* to) {
  word_reader words(text, name);
  std::uint64_t count = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    stored_t<D> value{};
    if (const parsed result = parse_number<D>(word, value); result != parsed::number)
      words.fail(word, complaint(word, result, D));
    std::memcpy(to + count * sizeof value, &value, sizeof value);
    ++count;
  }
  return count;
}

}  // namespace

text_values parse_text(std::string_view text, std::optional<dtype> type, const std::string& name) {
  text_values values{type ? *type : find_dtype(text, name), 0, {}};
  // A number takes two characters at least; pages that are not needed are never touched.
  values.memory = memory_region::allocate((text.size() + 1) / 2 * item_size(values.type));
  values.count = with_dtype(
      values.type, [&]<dtype D>() { return parse_words<D>(text, name, values.memory.data()); });
  return values;
}

void format_text(const std::byte* data, std::uint64_t count, dtype type,
                 const std::function<void(std::string_view)>& write) {
  constexpr std::size_t numbers = 4096;
  std::vector<char> buffer(numbers * (longest_number + 1));
  with_dtype(type, [&]<dtype D>() {
    for (std::uint64_t done = 0; done < count;) {
      char* end = buffer.data();
      for (std::size_t i = 0; i < numbers && done < count; ++i, ++done) {
        stored_t<D> value;
        std::memcpy(&value, data + done * sizeof value, sizeof value);
        end = format_number<D>(end, value);
        *end++ = '\n';
      }
      write({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
    }
  });
}

}  // namespace cli
