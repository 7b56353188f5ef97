// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace cli {

// Pages that end with the object: a mapped file, or memory of its own. Moves, does not copy.
class memory_region {
 public:
  memory_region() = default;
  memory_region(memory_region&& other) noexcept;
  memory_region& operator=(memory_region&& other) noexcept;
  ~memory_region();

  // Zeroed memory that costs nothing until it is touched. Throws std::bad_alloc.
  static memory_region allocate(std::size_t size);
  // A file's first bytes, read-only or shared with the file. Empty when it cannot be mapped.
  static memory_region map_input(int file, std::size_t size);
  static memory_region map_output(int file, std::size_t size);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

  // Memory of its own only: makes it larger, keeping what it holds; the place may change.
  void grow(std::size_t size);

 private:
  memory_region(void* data, std::size_t size);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cli
