// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <charconv>
#include <utility>
#include <vector>

#include "cli/failure.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"
#include "cli/text_reader.hpp"

namespace cli {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The state between two characters of a record.
struct quote_state {
  bool at_start = true, in_field_of_quotes = false, open = false;

  void take(char c, char delimiter) {
    if (c == '"' && (at_start || in_field_of_quotes)) {
      in_field_of_quotes = true;
      open = !open;
      at_start = false;
    } else if (c == delimiter && !open) {
      *this = {};
    } else if (!is_space(c)) {
      at_start = false;
    }
  }
};

// Whether a line begins with a comment: quotes in one are none, and it ends with the line.
struct comment_state {
  bool found = false, possible = true;
  std::size_t taken = 0;  // characters that the line and the comment have in common

  void take(char c, std::string_view comment) {
    if (found || !possible || (taken == 0 && is_space(c))) return;
    possible = taken < comment.size() && comment[taken] == c;
    if (possible) found = ++taken == comment.size();
  }
};

class column_reader : public text_reader {
 public:
  column_reader(text_window& window, const text_layout& layout)
      : text_reader(window), layout_(layout) {
    const std::string& word = *layout.column;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), column_);
    named_ = error != std::errc() || end != word.data() + word.size();
    if (!named_ && column_ == 0) throw usage_failure("--column: columns are counted from 1");
  }

  std::string_view next() override {
    if (records_ == 0 && !take_header()) return {};
    if (held_.data() != nullptr) return std::exchange(held_, {});
    if (!next_record()) return {};
    return number_field();
  }

 private:
  // Looks at the first record. False when there is none.
  bool take_header() {
    if (!next_record()) {
      if (named_) window_.fail(0, fmt::format("no header: --column {} needs one", shown_name()));
      return false;
    }
    if (named_) {
      find_name();
      return true;
    }
    const std::string_view field = number_field();
    if (is_number(field)) held_ = field;
    return true;
  }

  // Of any dtype, whichever is read: what no column is called is not left out in silence.
  static bool is_number(std::string_view field) {
    std::complex<double> number;
    unsigned char truth = 0;
    return parse_number<dtype::c16>(field, number) != parsed::not_a_number ||
           parse_number<dtype::b1>(field, truth) == parsed::number;
  }

  std::string shown_name() const { return fmt::format("'{}'", printable(*layout_.column)); }

  void find_name() {
    std::string names;
    std::size_t found = 0, index = 0;
    for_each_field([&](std::string_view field) {
      const std::string name = unquoted(field);
      ++index;
      if (name == *layout_.column && found++ == 0) column_ = index;
      if (index <= 8) names += (index == 1 ? "" : ", ") + printable(name);
    });
    if (found == 0)
      window_.fail(start_, fmt::format("no column {}: there are {}{}", shown_name(), names,
                                       index > 8 ? fmt::format(" and {} more", index - 8) : ""));
    if (found > 1)
      window_.fail(start_,
                   fmt::format("{} columns {}: say which by its number, such as --column {}", found,
                               shown_name(), column_));
  }

  // The next record that is not blank: [start_, end_) of the window. False at the end.
  bool next_record() {
    do {
      if (!find_record()) return false;
    } while (is_left_out(record()));
    ++records_;
    take_fields();
    return true;
  }

  // All records have as many fields as the first, and a quoted field ends with its quote.
  void take_fields() {
    std::size_t count = 0;
    for_each_field([&](std::string_view field) {
      if (field.starts_with('"') && !ends_with_its_quote(field))
        window_.fail(offset_of(field), "text behind a closing quote");
      if (++count == fields_ + 1 && records_ > 1)
        window_.fail(offset_of(field),
                     fmt::format("a field too many: the first record has {}", fields_));
      if (count == column_) field_ = field;
    });
    if (records_ == 1) fields_ = count;
    if (count < fields_)
      window_.fail(end_, fmt::format("{} field{}, and the first record has {}", count,
                                     count == 1 ? "" : "s", fields_));
  }

  // Blank, but for a delimiter that is a blank: that has fields on both sides.
  bool is_left_out(std::string_view record) const {
    const std::string_view inside = trimmed(record);
    if (inside.empty()) return record.find(layout_.delimiter) == record.npos;
    return !layout_.comment.empty() && inside.starts_with(layout_.comment);
  }

  bool find_record() {
    start_ = next_;
    quote_state state;
    comment_state comment;
    for (std::size_t at = start_;; ++at) {
      while (at == window_.text().size()) {
        const std::size_t dropped = start_;
        start_ = 0;
        at -= dropped;
        if (window_.extend(dropped)) continue;
        end_ = next_ = at;
        skip_mark();
        if (state.open) window_.fail(start_, "a quoted field without an end");
        return start_ != end_;
      }
      const char c = window_.text()[at];
      if (c == '\n' && !state.open) {
        end_ = at;
        next_ = at + 1;
        skip_mark();
        return true;
      }
      if (at - start_ < 3 && is_mark(at)) continue;
      comment.take(c, layout_.comment);
      if (comment.found)
        state = {};
      else
        state.take(c, layout_.delimiter);
    }
  }

  // The mark that some editors leave in front of a text.
  bool is_mark(std::size_t at) const {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return records_ == 0 && window_.text()[at] == mark[at - start_];
  }
  void skip_mark() {
    if (records_ == 0 && record().starts_with("\xef\xbb\xbf")) start_ += 3;
  }

  std::string_view record() const { return window_.text().substr(start_, end_ - start_); }

  template <class F>
  void for_each_field(const F& f) const {
    const std::string_view all = record();
    std::size_t begin = 0;
    quote_state state;
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all[at] == layout_.delimiter && !state.open) {
        f(trimmed(all.substr(begin, at - begin)));
        begin = at + 1;
      }
      state.take(all[at], layout_.delimiter);
    }
    f(trimmed(all.substr(begin)));
  }

  // The field of the column, without its quotes.
  std::string_view number_field() const {
    if (fields_ < column_)
      window_.fail(start_, fmt::format("{} field{}, and column {} is wanted", fields_,
                                       fields_ == 1 ? "" : "s", column_));
    std::string_view found = field_;
    if (found.starts_with('"')) found = trimmed(found.substr(1, found.size() - 2));
    if (found.empty())
      window_.fail(offset_of(found), fmt::format("column {} is empty here", column_));
    return found;
  }

  // Quotes inside are doubled.
  static bool ends_with_its_quote(std::string_view field) {
    std::size_t at = field.find('"', 1);
    while (at != field.npos && field.substr(at + 1).starts_with('"')) at = field.find('"', at + 2);
    return at == field.size() - 1;
  }

  static std::string unquoted(std::string_view field) {
    if (!field.starts_with('"')) return std::string(field);
    std::string name;
    bool quote_before = false;
    for (const char c : field.substr(1)) {
      quote_before = c == '"' && !quote_before;
      if (!quote_before) name += c;
    }
    return name;
  }

  text_layout layout_;
  bool named_ = false;
  std::size_t column_ = 0;  // counted from 1
  std::size_t start_ = 0, end_ = 0, next_ = 0;
  std::size_t fields_ = 0;  // of the first record
  std::uint64_t records_ = 0;
  std::string_view field_;  // of the column, in the last record
  std::string_view held_;   // of the first record, which was no header
};

}  // namespace

std::unique_ptr<text_reader> read_column(text_window& window, const text_layout& layout) {
  return std::make_unique<column_reader>(window, layout);
}

}  // namespace cli
