// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/memory_region.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace cli {

memory_region::memory_region(void* data, std::size_t size)
    : data_(static_cast<std::byte*>(data)), size_(size) {}

memory_region::memory_region(memory_region&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

memory_region& memory_region::operator=(memory_region&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

memory_region::~memory_region() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

memory_region memory_region::allocate(std::size_t size) {
  if (size == 0) return {};
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  ::madvise(data, size, MADV_HUGEPAGE);  // a wish: refused where there are none
  return {data, size};
}

memory_region memory_region::map_input(int file, std::size_t size) {
  if (size == 0) return {};
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return {};
  ::madvise(data, size, MADV_SEQUENTIAL);
  return {data, size};
}

memory_region memory_region::map_output(int file, std::size_t size) {
  if (size == 0) return {};
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return {};
  return {data, size};
}

void memory_region::grow(std::size_t size) {
  if (data_ == nullptr) {
    *this = allocate(size);
    return;
  }
  void* data = ::mremap(data_, size_, size, MREMAP_MAYMOVE);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(data);
  size_ = size;
}

}  // namespace cli
