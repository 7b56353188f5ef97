// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/file_handle.hpp"
#include "cli/memory_region.hpp"

namespace cli {

// Whether an output of this name is a file, which can be gone back in while it is written.
bool is_output_file(const std::string& path);

// Throws failure for an input that is a file which is open for the output already, as by
// "scan x.txt >>x.txt": results would be read again as numbers. "-" are the standard streams.
void check_not_its_own_input(const std::string& input, const std::string& output);

// Whether both names lead to one regular file, by device and inode. "-" is standard input.
bool is_same_file(const std::string& one, const std::string& other);

// Throws failure for an output that is the file input, by whatever name: for a command whose
// results are of another form, so that nobody means to replace the input by them. "-" as above.
void check_output_is_no_input(const std::string& input, const std::string& output);

// Throws failure where an output_file of this name would, and leaves nothing: for a file that is
// written when the result is in its place already.
void check_output_file(const std::string& path);

// A file that appears complete or not at all: it is written under a temporary name in the same
// directory and renamed by commit(), with the mode of the file that it replaces, and its owner
// where that is allowed. Without commit() nothing remains and the old file is as it was; after a
// crash of the machine there is the old file or the new one. The target may be the file that is
// being read, or a link, which is followed whether it leads to a file or not.
// "-" is standard output. That, descriptors that are open (/dev/stdout, /dev/fd/3), devices and
// pipes are written to directly, by commit() or write(), from where they stand.
class output_file {
 public:
  // Throws failure when the target has no name, is a directory or cannot be written.
  explicit output_file(const std::string& path);
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  // The whole content, zeroed, to be filled before commit(): a mapping of the file where it can be
  // one. The space is reserved first, so a full disk is a failure here and not a signal later.
  std::span<std::byte> map(std::size_t size);

  // Appends: the other way to give the content, without knowing its size.
  void write(std::string_view text);

  // Puts other bytes in the place of the first ones that were written; of files only.
  void rewrite_start(std::string_view text);

  void commit();

 private:
  struct identity {
    uid_t user;
    gid_t group;
    mode_t mode;
  };

  void take_identity();

  std::string name_;                  // for messages
  std::string target_;                // what to rename to; empty when written directly
  std::optional<identity> replaced_;  // of the old file
  file_handle file_;
  memory_region memory_;
  bool mapped_ = false;  // memory_ is the file
};

}  // namespace cli
