// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured: one operator over one array, and the memory it lives in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cli::bench {

// A 2-D array in C order, scanned along one axis (0: down the columns, 1: along the rows).
struct shape_2d {
  std::size_t rows = 0, columns = 0;
  int axis = 1;
};

// Two buffers, each on a page boundary, whose pages all exist: no page fault is left for the timed
// calls. They have the pages that a std::vector would get, not huge ones asked for.
class buffers {
 public:
  // Throws cli::failure when the memory is not there.
  explicit buffers(std::size_t bytes_each);

  void* in() const { return in_.get(); }
  void* out() const { return out_.get(); }

 private:
  struct release {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, release> in_, out_;
};

struct workload {
  std::string op, type, kind;     // names as on the command line
  std::size_t n = 0;              // elements
  std::optional<shape_2d> shape;  // n = rows * columns where given
  unsigned threads = 1;           // of the engines that use several
  void* in = nullptr;             // n elements each
  void* out = nullptr;

  bool exclusive() const { return kind == "exclusive"; }
};

// The array as it is scanned: outer blocks, in each a number of steps along the axis, each step a
// run of inner elements that belong to different lines. A 1-D array is one block of n steps of 1.
struct walk {
  std::size_t outer, length, inner;

  explicit walk(const workload& w) : outer(1), length(w.n), inner(1) {
    if (!w.shape) return;
    outer = w.shape->axis == 1 ? w.shape->rows : 1;
    length = w.shape->axis == 1 ? w.shape->columns : w.shape->rows;
    inner = w.shape->axis == 1 ? 1 : w.shape->columns;
  }
};

// A hash of memory: two results of equal bits have the same.
std::uint64_t hash_of(const void* memory, std::size_t bytes);

// The first element of w.out, of that size, whose bytes are not those of `wanted`.
std::optional<std::size_t> first_other_bits(const workload& w, const void* wanted,
                                            std::size_t size);

// A random number that depends on its index only, so that any thread can fill any part.
constexpr std::uint64_t random_at(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

}  // namespace cli::bench
