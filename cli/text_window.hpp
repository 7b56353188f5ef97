// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text that is in memory as a whole, or comes piece by piece through a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// The part of a text that readers look at. They drop what they have read and ask for more when what
// they look at goes on beyond the end of the buffer.
class text_window {
 public:
  // Fills memory with what comes next and returns how much; 0 at the end.
  using refill_function = std::function<std::size_t(char*, std::size_t)>;

  text_window(std::string_view whole, std::string name) : text_(whole), name_(std::move(name)) {}
  text_window(refill_function refill, std::string name)
      : refill_(std::move(refill)), name_(std::move(name)) {}
  text_window(const text_window&) = delete;
  text_window& operator=(const text_window&) = delete;

  std::string_view text() const { return text_; }

  // Drops what lies before `read`, in any case, and appends what comes next: text() then begins at
  // that place, wherever it is in memory. False when nothing comes. Throws failure for a word or
  // record that is longer than any number or line of numbers.
  bool extend(std::size_t read);

  // "line 3, column 5", counted from 1, of a place in text(). A character of UTF-8 is one column.
  std::string place(std::size_t at) const;

  // Throws failure: the file, the place, and what is wrong there.
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;
  const std::string& name() const { return name_; }

 private:
  std::string_view text_;
  refill_function refill_;
  std::string name_;
  std::vector<char> buffer_;
  std::uint64_t lines_ = 0, columns_ = 0;  // before text_: whole lines, and characters of the last
};

}  // namespace cli
