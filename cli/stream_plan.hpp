// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an array is cut into chunks that go through a device one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cli {

// What goes through at once: whole lines, or a part of one.
struct stream_chunk {
  std::uint64_t line = 0, lines = 0;    // the first of so many
  std::uint64_t begin = 0, length = 0;  // the elements [begin, begin + length) of each
  bool closes = true;                   // its lines end with it
  bool is_block = false;                // 2^level elements of a longer line

  std::uint64_t elements() const { return lines * length; }
};

// Lines of `length` elements each. Chunks of a line begin at multiples of 2^level elements of it
// and have 2^level elements, but for the last: they are blocks of the canonical order, so that
// their sums are what its block list is made of.
class stream_plan {
 public:
  // chunk_log2: the most elements of a chunk. Needs lines and length of at least 1.
  stream_plan(std::uint64_t lines, std::uint64_t length, int chunk_log2)
      : lines_(lines), length_(length), level_(chunk_log2) {
    const std::uint64_t most = std::uint64_t{1} << level_;
    whole_lines_ = length <= most ? std::min(lines, most / length) : 1;
    chunks_a_line_ = (length + most - 1) / most;
  }

  int level() const { return level_; }
  std::uint64_t size() const { return (lines_ + whole_lines_ - 1) / whole_lines_ * chunks_a_line_; }

  stream_chunk operator[](std::uint64_t k) const {
    const std::uint64_t line = k / chunks_a_line_ * whole_lines_;
    const std::uint64_t begin = k % chunks_a_line_ << level_;
    const std::uint64_t rest = length_ - begin, most = std::uint64_t{1} << level_;
    const bool is_block = rest >= most && length_ > most;
    return {line,         std::min(whole_lines_, lines_ - line),
            begin,        std::min(rest, most),
            rest <= most, is_block};
  }

  // The largest chunk: of elements, and of results when each line has `extra` more of them.
  std::uint64_t most_elements() const { return (*this)[0].elements(); }
  std::uint64_t most_results(std::uint64_t extra) const {
    return most_elements() + whole_lines_ * extra;
  }

 private:
  std::uint64_t lines_, length_;
  int level_;
  std::uint64_t whole_lines_ = 1, chunks_a_line_ = 1;
};

}  // namespace cli
