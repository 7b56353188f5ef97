// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of a text that are to be numbers, one after the other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/text_layout.hpp"
#include "cli/text_window.hpp"

namespace cli {

class text_reader {
 public:
  explicit text_reader(text_window& window) : window_(window) {}
  virtual ~text_reader() = default;

  // The next word; empty at the end of the text. It is valid until the next call. Throws failure
  // where the text is not laid out as it should be.
  virtual std::string_view next() = 0;

  const std::string& name() const { return window_.name(); }
  // Where the last word is.
  std::string place(std::string_view word) const { return window_.place(offset_of(word)); }
  // Throws failure about the last word.
  [[noreturn]] void fail(std::string_view word, const std::string& what) const {
    window_.fail(offset_of(word), what + advice(word));
  }

 protected:
  // What the user may have meant by a text with such a word; empty, or with a colon in front.
  virtual std::string advice(std::string_view word) const;

  std::size_t offset_of(std::string_view word) const {
    return static_cast<std::size_t>(word.data() - window_.text().data());
  }

  text_window& window_;
};

// Space, tab, line end and the like.
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// All words: what stands between blanks and commas, of which each must follow a word. A comment is
// as good as a line end.
std::unique_ptr<text_reader> read_words(text_window& window, const std::string& comment);

// The fields of one column of records as RFC 4180 has them: a record a line, fields between
// delimiters, quoted ones with "" for a quote and line ends of their own. Blank lines and those
// that begin with the comment are left out. All records have as many fields as the first. A column
// that is named needs the header; with a number the first record is taken for one when its field is
// no number. Blanks around a number are none of it.
std::unique_ptr<text_reader> read_column(text_window& window, const text_layout& layout);

// One of the two.
inline std::unique_ptr<text_reader> read_text(text_window& window, const text_layout& layout) {
  return layout.column ? read_column(window, layout) : read_words(window, layout.comment);
}

}  // namespace cli
