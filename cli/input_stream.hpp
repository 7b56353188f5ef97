// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/file_handle.hpp"

namespace cli {

// The bytes of a file or pipe from the start to the end, with little memory. They can be read twice
// where that is said in time: what cannot be gone back in is then kept, little of it in
// memory and more in a temporary file, in TMPDIR or /tmp, which has no name and so ends with the
// program in any case.
class input_stream {
 public:
  // "-" is standard input. Throws failure as open_input does.
  explicit input_stream(const std::string& path);

  // n bytes; fewer at the end only. Throws failure when they cannot be read.
  std::size_t read(char* to, std::size_t n);

  // Call it before the first byte is read, if what is read is to be read again. Reading then throws
  // failure, too, when there is no place to keep it.
  void keep();
  // Goes back to the start, once. What had not been read yet is read behind what had.
  void rewind();

  int file() const { return file_.get(); }
  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }  // of a regular file; 0 where it is not known
  std::uint64_t position() const { return position_; }

  // Is called with all bytes read so far, those read again too, whenever there are more.
  std::function<void(std::uint64_t)> on_read;

 private:
  enum class state { plain, keeping, again };

  std::size_t read_some(int file, char* to, std::size_t n) const;
  std::size_t read_again(char* to, std::size_t n);
  void keep_bytes(std::string_view bytes);
  void check_size(std::uint64_t end) const;

  std::string name_;
  file_handle file_, copy_;
  std::uint64_t size_ = 0, position_ = 0, total_ = 0;
  state state_ = state::plain;
  std::string kept_;  // the first of what is kept; the rest is in copy_
  std::size_t at_kept_ = 0;
};

}  // namespace cli
