// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan down the columns of a strip: W lines side by side, neighbours in memory, one row of W
// elements a step. The tree is the same for each column, so it is walked once, with rows
// for values:
//
//   eight rows   -> 7 + 7 operations a column in registers, their sum is one row s
//   row s        -> the counter's carries, one row operation each, amortised one in eight rows
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "upsweep/cpu/kernel.hpp"

namespace upsweep::cpu {

// One step of eight rows of w elements. carry is the prefix before them (always there), sum takes
// their block sum. Of the results all are written but, in an inclusive step, the last row's.
template <class T>
struct row_step {
  const T* in[8];
  T* out[8];
  const T* carry;
  T* sum;
  std::size_t w;
  output mode;
  store how;
  std::ptrdiff_t ahead = 0;  // elements from a row to the one eight further on; 0: there is none

  // The step without its first c columns.
  row_step from(std::size_t c) const {
    row_step rest = *this;
    for (const T*& row : rest.in) row += c;
    if (mode != output::none)
      for (T*& row : rest.out) row += c;
    if (carry) rest.carry += c;
    rest.sum += c;
    rest.w -= c;
    return rest;
  }
};

// The vector kernel, for the pairs (T, Op) that have one. Streamed rows need flush_streams() before
// another thread may read them.
template <class T, class Op>
void simd_step(const row_step<T>& step, Op op);

// to[i] = op(left[i], right[i]) for w values; to may be left or right. The same pairs.
template <class T, class Op>
void simd_combine(const T* left, const T* right, T* to, std::size_t w, Op op);

namespace detail {

template <class T, class Op>
void template_step(const row_step<T>& s, const Op& op) {
  const std::size_t shift = s.mode == output::exclusive ? 1 : 0;
  for (std::size_t c = 0; c < s.w; ++c) {
    const T x0 = s.in[0][c], x1 = s.in[1][c], x2 = s.in[2][c], x3 = s.in[3][c];
    const T x4 = s.in[4][c], x5 = s.in[5][c], x6 = s.in[6][c], x7 = s.in[7][c];
    const T s01 = op(x0, x1), s23 = op(x2, x3), s45 = op(x4, x5), s67 = op(x6, x7);
    const T s03 = op(s01, s23), s47 = op(s45, s67);
    s.sum[c] = op(s03, s47);
    if (s.mode == output::none) continue;
    const T p0 = s.carry[c], p2 = op(p0, s01), p4 = op(p0, s03), p6 = op(p4, s45);
    if (shift != 0) s.out[0][c] = p0;
    s.out[0 + shift][c] = op(p0, x0);
    s.out[1 + shift][c] = p2;
    s.out[2 + shift][c] = op(p2, x2);
    s.out[3 + shift][c] = p4;
    s.out[4 + shift][c] = op(p4, x4);
    s.out[5 + shift][c] = p6;
    s.out[6 + shift][c] = op(p6, x6);
  }
}

}  // namespace detail

// A row of w values that can be copied: what threads that share a strip hand to each other.
template <class T>
class row_value {
 public:
  row_value(const T* values, std::size_t w) : w_(w), values_(new T[w]) {
    std::copy_n(values, w, values_.get());
  }
  row_value(const row_value& other) : row_value(other.data(), other.w_) {}
  row_value(row_value&&) = default;
  row_value& operator=(row_value other) {
    std::swap(w_, other.w_);
    std::swap(values_, other.values_);
    return *this;
  }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  std::size_t size() const { return w_; }

 private:
  std::size_t w_;
  std::unique_ptr<T[]> values_;
};

// An operator on values as an operator on rows of them.
template <class Op>
struct rowwise {
  Op op;
  template <class T>
  row_value<T> operator()(const row_value<T>& left, const row_value<T>& right) const {
    row_value<T> sum(left);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum.data()[i] = op(left.data()[i], right.data()[i]);
    return sum;
  }
};

// The running state of a strip of w columns and up to n rows: prefix_stack with rows for values,
// in one allocation.
template <class T, class Op>
class column_stack {
 public:
  // init: the prefix before the first row, w values, or null.
  column_stack(Op op, std::size_t w, std::size_t n, const T* init)
      : op_(std::move(op)),
        w_(w),
        has_init_(init != nullptr),
        rows_(new T[(2 * static_cast<std::size_t>(std::bit_width(n)) + 4) * w]) {
    if (init) std::copy_n(init, w, row(1));
  }
  // See sums_only in order.hpp.
  column_stack(Op op, std::size_t w, std::size_t n, sums_only)
      : column_stack(std::move(op), w, n, nullptr) {
    prefixes_ = false;
  }

  std::uint64_t count() const { return count_; }
  const T* prefix() const { return size_ != 0 || has_init_ ? row(2 * size_ + 1) : nullptr; }
  // The block sum of everything pushed, for whole blocks.
  const T* sum() const { return row(2 * size_); }
  // Where the next row of sums is to be written before push.
  T* next() { return row(2 * size_ + 2); }

  // Appends the row of sums in next(), each of 2^level elements of its column.
  void push(int level) {
    const T* s = next();
    for (std::uint64_t c = count_ >> level; (c & 1) != 0; c >>= 1, --size_)
      s = combine(row(2 * size_), s, row(2 * size_));
    count_ += std::uint64_t{1} << level;
    const T* const below = prefixes_ ? prefix() : nullptr;
    ++size_;
    if (below)
      combine(below, s, row(2 * size_ + 1));
    else
      std::copy_n(s, w_, row(2 * size_ + 1));
    if (s != row(2 * size_)) std::copy_n(s, w_, row(2 * size_));
  }

 private:
  // Entry i > 0 is rows 2i (block sum) and 2i + 1 (prefix); row 1 is the init.
  T* row(int i) { return rows_.get() + static_cast<std::size_t>(i) * w_; }
  const T* row(int i) const { return rows_.get() + static_cast<std::size_t>(i) * w_; }
  T* combine(const T* left, const T* right, T* to) const {
    if constexpr (has_simd_kernel<Op, T>)
      simd_combine(left, right, to, w_, op_);
    else
      for (std::size_t i = 0; i < w_; ++i) to[i] = op_(left[i], right[i]);
    return to;
  }

  [[no_unique_address]] Op op_;
  std::size_t w_;
  bool has_init_, prefixes_ = true;
  std::uint64_t count_ = 0;
  int size_ = 0;
  std::unique_ptr<T[]> rows_;
};

// Scans rows [begin, begin + n) of a strip as the continuation of the stack. Rows provides
//   load(r, k)         makes rows r ... r + k - 1 (k <= 8) available
//   in(j), out(j)      row r + j: w contiguous values each; the two may be the same
//   store(r, k)        is told that the results of those rows are complete
//   ahead()            elements from a row of the input to the one eight further on, 0 if unknown
template <class T, class Op, class Rows>
void run_columns(Rows& rows, std::size_t begin, std::size_t n, column_stack<T, Op>& stack,
                 const Op& op, std::size_t w, output mode, store how, const T* empty) {
  const std::size_t end = begin + n;
  std::size_t r = begin;
  const auto one = [&] {
    rows.load(r, 1);
    std::copy_n(rows.in(0), w, stack.next());
    if (mode == output::exclusive) {
      if (const T* before = stack.prefix())
        std::copy_n(before, w, rows.out(0));
      else
        std::fill_n(rows.out(0), w, *empty);
    }
    stack.push(0);
    if (mode == output::inclusive) std::copy_n(stack.prefix(), w, rows.out(0));
    if (mode != output::none) rows.store(r, 1);
    ++r;
  };
  while (r < end && (!stack.prefix() || (stack.count() & 7) != 0)) one();
  for (; r + 8 <= end; r += 8) {
    rows.load(r, 8);
    row_step<T> step{{}, {}, stack.prefix(), stack.next(), w, mode, how};
    if (r + 16 <= end) step.ahead = rows.ahead();
    for (std::size_t k = 0; k < 8; ++k) step.in[k] = rows.in(k), step.out[k] = rows.out(k);
    if constexpr (has_simd_kernel<Op, T>)
      simd_step(step, op);
    else
      detail::template_step(step, op);
    stack.push(3);
    if (mode == output::inclusive && how == store::streaming)
      stream_bytes(stack.prefix(), step.out[7], w * sizeof(T));
    else if (mode == output::inclusive)
      std::copy_n(stack.prefix(), w, step.out[7]);
    if (mode != output::none) rows.store(r, 8);
  }
  while (r < end) one();
  if (how == store::streaming) flush_streams();
}

}  // namespace upsweep::cpu
