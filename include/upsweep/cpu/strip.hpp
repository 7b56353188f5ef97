// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strip of columns as the rows that run_columns asks for, and the chunks that threads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>

#include "upsweep/cpu/array.hpp"
#include "upsweep/cpu/columns.hpp"
#include "upsweep/cpu/line.hpp"

namespace upsweep::cpu {

// Where a strip of w columns lies: row r, column c is element first + r * row + c * column.
template <class T>
struct strip {
  source<T> in;
  sink<T> out;
  std::size_t w = 0, n = 0;
  std::ptrdiff_t in_first = 0, in_row = 0, in_column = 1;
  std::ptrdiff_t out_first = 0, out_row = 0, out_column = 1;
  std::optional<T> init, empty;
  output mode = output::inclusive;
  bool total = false;
  store how = store::cached;

  // Writes one row of results, given as values.
  void put(std::size_t r, const T* values) const {
    const std::ptrdiff_t at = out_first + static_cast<std::ptrdiff_t>(r) * out_row;
    if (out.direct && out_column == 1)
      std::copy_n(values, w, out.direct + at);
    else
      out.store(out.base, at, out_column, w, values);
  }
};

// The rows of a strip: in place where they are contiguous values of T, else through eight rows of
// scratch.
template <class T>
class strip_rows {
 public:
  explicit strip_rows(const strip<T>& s)
      : s_(s),
        in_direct_(s.in.direct != nullptr && s.in_column == 1),
        out_direct_(s.out.direct != nullptr && s.out_column == 1) {
    if (!in_direct_ || !out_direct_) scratch_.reset(new T[8 * s.w]);
  }
  void load(std::size_t r, std::size_t count) {
    first_ = static_cast<std::ptrdiff_t>(r);
    if (in_direct_) return;
    for (std::size_t j = 0; j < count; ++j)
      s_.in.load(s_.in.base, s_.in_first + row(j) * s_.in_row, s_.in_column, s_.w, scratch(j));
  }
  const T* in(std::size_t j) const {
    return in_direct_ ? s_.in.direct + s_.in_first + row(j) * s_.in_row : scratch(j);
  }
  T* out(std::size_t j) const {
    if (s_.mode == output::none) return nullptr;
    return out_direct_ ? s_.out.direct + s_.out_first + row(j) * s_.out_row : scratch(j);
  }
  std::ptrdiff_t ahead() const { return in_direct_ ? 8 * s_.in_row : 0; }
  void store(std::size_t, std::size_t count) {
    if (out_direct_) return;
    for (std::size_t j = 0; j < count; ++j)
      s_.out.store(s_.out.base, s_.out_first + row(j) * s_.out_row, s_.out_column, s_.w,
                   scratch(j));
  }

 private:
  std::ptrdiff_t row(std::size_t j) const { return first_ + static_cast<std::ptrdiff_t>(j); }
  T* scratch(std::size_t j) const { return scratch_.get() + j * s_.w; }

  const strip<T>& s_;
  bool in_direct_, out_direct_;
  std::ptrdiff_t first_ = 0;
  std::unique_ptr<T[]> scratch_;
};

namespace detail {

// What the spine asks of a strip: as line_chunks, with rows for values.
template <class T, class Op>
struct strip_chunks {
  const strip<T>& s;
  const Op& op;
  std::size_t chunk;

  using row = row_value<T>;

  bool writes() const { return s.mode != output::none; }
  row sum(std::size_t c) const {
    column_stack<T, Op> stack(op, s.w, chunk, sums_only{});
    strip<T> quiet = s;
    quiet.mode = output::none;
    run(quiet, c, chunk, stack);
    return row(stack.sum(), s.w);
  }
  row scan(std::size_t c, const row* carry) const {
    column_stack<T, Op> stack(op, s.w, chunk, carry ? carry->data() : nullptr);
    run(s, c, chunk, stack);
    return row(stack.sum(), s.w);
  }
  row scan_last(std::size_t c, const row* carry) const {
    column_stack<T, Op> stack(op, s.w, chunk, carry ? carry->data() : nullptr);
    run(s, c, s.n - c * chunk, stack);
    return row(stack.prefix(), s.w);
  }
  void end(std::size_t c, const row& prefix) const {
    if (s.mode == output::inclusive) s.put((c + 1) * chunk - 1, prefix.data());
  }

 private:
  void run(const strip<T>& which, std::size_t c, std::size_t n, column_stack<T, Op>& stack) const {
    strip_rows<T> rows(which);
    run_columns(rows, c * chunk, n, stack, op, s.w, which.mode, s.how,
                s.empty ? &*s.empty : nullptr);
  }
};

}  // namespace detail

// Scans one strip. With more than one worker its rows are shared out in chunks.
template <class T, class Op>
void scan_strip(parallel_policy who, const strip<T>& s, const Op& op) {
  const std::unique_ptr<T[]> init(s.init ? new T[s.w] : nullptr);
  if (init) std::fill_n(init.get(), s.w, *s.init);
  const int level = chunk_level(who, s.n, sizeof(T) * s.w);
  const std::size_t chunk = std::size_t{1} << level;
  const auto finish = [&](const T* total) {
    const std::unique_ptr<T[]> filled(total || !s.empty ? nullptr : new T[s.w]);
    if (filled) std::fill_n(filled.get(), s.w, *s.empty);
    if (s.total) s.put(s.n, total ? total : filled.get());
    if (s.mode == output::none) s.put(0, total ? total : filled.get());
  };
  if (workers_of(who) <= 1 || s.n / 2 < chunk) {
    column_stack<T, Op> stack(op, s.w, s.n, init.get());
    strip_rows<T> rows(s);
    run_columns(rows, 0, s.n, stack, op, s.w, s.mode, s.how, s.empty ? &*s.empty : nullptr);
    finish(stack.prefix());
    return;
  }
  using row = row_value<T>;
  detail::strip_chunks<T, Op> body{s, op, chunk};
  spine<row, rowwise<Op>, decltype(body)> chunks(
      s.n / chunk, s.n % chunk != 0, rowwise<Op>{op},
      init ? std::optional<row>(row(init.get(), s.w)) : std::nullopt, body);
  const std::optional<row> total = chunks.run(
      static_cast<unsigned>(std::min<std::size_t>(workers_of(who), s.n / chunk + 1)), level);
  finish(total->data());
}

}  // namespace upsweep::cpu
