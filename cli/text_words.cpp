// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "cli/number_text.hpp"
#include "cli/text_reader.hpp"

namespace cli {
namespace {

// No text has these bytes: control characters but blanks, and what UTF-8 never uses.
bool is_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && !is_blank(c)) || byte == 0x7f || byte == 0xc0 || byte == 0xc1 ||
           byte >= 0xf5;
  });
}

// Rather than a number with a mistake in it.
bool is_name(std::string_view word) {
  constexpr std::string_view starts_of_numbers = "0123456789+-.(,";
  std::complex<double> number;  // inf or nan
  return starts_of_numbers.find(word.front()) == starts_of_numbers.npos &&
         parse_number<dtype::c16>(word, number) == parsed::not_a_number;
}

class word_reader : public text_reader {
 public:
  word_reader(text_window& window, const std::string& comment)
      : text_reader(window), comment_(comment) {}

  std::string_view next() override {
    if (words_ == 0 && at_ == 0) skip_mark();
    if (!skip_to_word()) return {};
    std::size_t end = at_;
    for (;;) {
      const std::string_view text = window_.text();
      while (end < text.size() && !is_blank(text[end]) && text[end] != ',') ++end;
      if (end < text.size() || !more()) break;
      end -= dropped_;
    }
    std::string_view word = window_.text().substr(at_, end - at_);
    if (!comment_.empty()) word = word.substr(0, word.find(comment_));
    at_ += word.size();
    ++words_;
    return word;
  }

 private:
  // More of the text, from at_ on; at_ and everything behind it moves by dropped_.
  bool more() {
    dropped_ = at_;
    at_ = 0;
    return window_.extend(dropped_);
  }

  bool is_next(std::string_view what) {
    while (window_.text().size() - at_ < what.size() && more()) continue;
    return window_.text().substr(at_).starts_with(what);
  }

  // The mark that some editors leave in front.
  void skip_mark() {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (is_next(mark)) at_ = mark.size();
  }

  // Past blanks, commas and comments; false at the end of the text.
  bool skip_to_word() {
    bool comma_allowed = words_ > 0;
    for (;;) {
      if (at_ == window_.text().size() && !more()) return false;
      const char c = window_.text()[at_];
      if (c == ',') {
        if (!comma_allowed) fail(window_.text().substr(at_, 1), "a comma with no number before it");
        comma_allowed = false;
      } else if (!is_blank(c)) {
        if (comment_.empty() || !is_next(comment_)) return true;
        skip_line();
        continue;
      }
      ++at_;
    }
  }

  void skip_line() {
    while ((at_ = std::min(window_.text().find('\n', at_), window_.text().size())) ==
           window_.text().size())
      if (!more()) return;
  }

  std::string advice(std::string_view word) const override {
    const std::string binary = text_reader::advice(word);
    if (binary.empty() && words_ == 1 && is_name(word))
      return ": a header line? --column 1, or its name, reads that column";
    return binary;
  }

  std::string comment_;
  std::size_t at_ = 0, dropped_ = 0;
  std::uint64_t words_ = 0;  // taken so far
};

}  // namespace

std::string text_reader::advice(std::string_view word) const {
  constexpr std::size_t start = 4096;
  if (is_binary(word) || is_binary(window_.text().substr(0, start)))
    return ": it looks binary; raw elements are read with --format raw and --dtype";
  return "";
}

std::unique_ptr<text_reader> read_words(text_window& window, const std::string& comment) {
  return std::make_unique<word_reader>(window, comment);
}

}  // namespace cli
