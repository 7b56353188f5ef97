// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/file_handle.hpp"
#include "cli/memory_region.hpp"

namespace cli {

// How messages call an input or output that may be "-".
std::string input_name(const std::string& path);

// Opens a file to read, "-" being standard input. Throws failure when that cannot be, or when it is
// a directory.
file_handle open_input(const std::string& path);

// Whether the file at path can be mapped. Does not open it: that would disturb a pipe. Throws
// failure when it is not there.
bool is_mappable(const std::string& path);

// The size of an open file that is to be read from its start and may be mapped, else 0.
std::size_t mappable_size(int file);

// The bytes of a file: mapped where it is a regular file, read to its end where it is a pipe or a
// device. "-" is standard input.
class input_file {
 public:
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

  // Throws failure when the file cannot be opened or read, or is a directory. A pipe or a device is
  // read to one byte beyond most: who has a limit sees that it is passed.
  explicit input_file(const std::string& path, std::size_t most = no_limit);

  // What is left of an input that has been read from, behind the bytes that were read.
  input_file(std::string_view read, int rest, const std::string& name);

  std::span<const std::byte> bytes() const { return {memory_.data(), size_}; }

 private:
  void read_all(int file, const std::string& name, std::size_t most = no_limit);

  memory_region memory_;
  std::size_t size_ = 0;
};

}  // namespace cli
