// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/array_file.hpp"
#include "cli/output_file.hpp"

namespace cli {

// An array that is written from the front to the end, a piece at a time.
class array_writer {
 public:
  // Throws failure as output_array does.
  array_writer(const std::string& path, file_format format, dtype type);

  // Call it first. Extents of one dimension that are not known may be anything; .npy allows that in
  // files only.
  void begin(const array_shape& shape);
  void write(const std::byte* elements, std::uint64_t n);
  // Writes what has to be written and puts the file in its place.
  void commit();

  // Elements written so far, and bytes in the file.
  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  void write_bytes(std::string_view bytes);

  file_format format_;
  dtype type_;
  bool is_file_;  // which appears by commit() only
  output_file file_;
  std::string held_;
  array_shape shape_;
  std::uint64_t count_ = 0, bytes_ = 0;
};

}  // namespace cli
