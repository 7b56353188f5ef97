// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cli/memory_region.hpp"

namespace cli {

// The bytes of a file: mapped where it is a regular file, read to its end where it is a pipe or a
// device. "-" is standard input.
class input_file {
 public:
  // Throws failure when the file cannot be opened or read, or is a directory.
  explicit input_file(const std::string& path);

  std::span<const std::byte> bytes() const { return {memory_.data(), size_}; }

 private:
  void read_all(int file, const std::string& name);

  memory_region memory_;
  std::size_t size_ = 0;
};

// How messages call an input or output that may be "-".
std::string input_name(const std::string& path);

}  // namespace cli
