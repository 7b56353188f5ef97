// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost layer of the CPU engine: one thread, one contiguous run of values, one pass.
// template_run serves every type and operator; where the compiled part of the library has a vector
// kernel for the pair (T, Op), run calls that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "upsweep/cpu/tiny.hpp"
#include "upsweep/float16.hpp"
#include "upsweep/order.hpp"

namespace upsweep::cpu {

// True for the pairs that src/ has vector kernels for: sums of all integers and floats up to 8
// bytes, minima and maxima of those of 4 and 8 bytes.
template <class Op, class T>
inline constexpr bool has_simd_kernel = false;
template <class T>
inline constexpr bool has_simd_kernel<maximum, T> =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool has_simd_kernel<plus, T> =
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t> ||
    std::is_same_v<T, std::int16_t> || std::is_same_v<T, std::uint16_t> ||
    has_simd_kernel<maximum, T>;
template <class T>
inline constexpr bool has_simd_kernel<minimum, T> = has_simd_kernel<maximum, T>;

// What a run may form beside its results: the sum of as many elements elsewhere, as the
// continuation of a stack of their own. A scan from the cache writes memory and does not read it;
// with a sum that reads, both directions are busy all the time.
template <class T, class Op>
struct side_sum {
  const T* in = nullptr;  // null: none is wanted
  prefix_stack<T, Op>* stack = nullptr;
};

// Scans in[0, n) as the continuation of the stack's elements, by the vector unit chosen at run
// time. Only the last run of a scan may have an n that is no multiple of 64: it closes the stack.
// in and out may be the same. With a side sum n is a multiple of 64 always. Cost: one pass.
template <class T, class Op>
void simd_run(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, output mode,
              store how, side_sum<T, Op> side = {});

// The same for sums of 16-bit floats, which are widened on load and rounded on store.
void simd_run_half(const f16* in, f16* out, std::size_t n, prefix_stack<float, plus>& stack,
                   output mode, store how);
void simd_run_half(const bf16* in, bf16* out, std::size_t n, prefix_stack<float, plus>& stack,
                   output mode, store how);

// Orders earlier streaming stores of this thread before whatever it does next.
void flush_streams();

// Copies bytes past the cache, where the addresses allow it; they too need flush_streams().
void stream_bytes(const void* from, void* to, std::size_t bytes);

// Many lines of n elements each, every one a scan of its own.
template <class T>
struct row_block {
  const T* in = nullptr;
  T* out = nullptr;
  std::size_t rows = 0, n = 0;
  std::ptrdiff_t in_pitch = 0, out_pitch = 0;  // elements from one row to the next
  std::optional<T> init, empty;                // empty: what P(0) is written as without init
  bool total = false;                          // out[n] of a row takes its total

  const T* in_row(std::size_t r) const { return in + static_cast<std::ptrdiff_t>(r) * in_pitch; }
  T* out_row(std::size_t r) const { return out + static_cast<std::ptrdiff_t>(r) * out_pitch; }

  // What a run leaves to its caller: the empty prefix, and the total behind the row (or, for a
  // reduction, alone).
  void finish(std::size_t r, const T* prefix, output mode) const {
    T* const row = out_row(r);
    if (mode == output::exclusive && n != 0 && !init) row[0] = *empty;
    if (prefix == nullptr && empty) prefix = &*empty;
    if (mode == output::none)
      row[0] = *prefix;
    else if (total)
      row[n] = *prefix;
  }
};

// Scans the rows one behind the other, in one call to the vector kernel.
template <class T, class Op>
void simd_rows(const row_block<T>& rows, Op op, output mode, store how);

namespace detail {

// Eight elements with the carry before them: their block sum takes seven operations, the seven
// prefixes inside seven more, and no chain is longer than the tree is deep. The last prefix is
// only known after the push, for which the caller waits; so it is written there.
template <class T, class Op, class In, class Out>
void eight(In in, Out out, prefix_stack<T, Op>& stack, output mode) {
  const Op& op = stack.op();
  const T x0(in[0]), x1(in[1]), x2(in[2]), x3(in[3]), x4(in[4]), x5(in[5]), x6(in[6]), x7(in[7]);
  const T s01 = op(x0, x1), s23 = op(x2, x3), s45 = op(x4, x5), s67 = op(x6, x7);
  const T s03 = op(s01, s23), s47 = op(s45, s67);
  if (mode == output::none) {
    stack.push(3, op(s03, s47));
    return;
  }
  const T p0 = *stack.prefix();
  const T p2 = op(p0, s01), p4 = op(p0, s03);
  const T p6 = op(p4, s45);
  const T p1 = op(p0, x0), p3 = op(p2, x2), p5 = op(p4, x4), p7 = op(p6, x6);
  stack.push(3, op(s03, s47));
  const bool shift = mode == output::exclusive;
  if (shift) *out++ = p0;
  out[0] = p1, out[1] = p2, out[2] = p3, out[3] = p4, out[4] = p5, out[5] = p6, out[6] = p7;
  if (!shift) out[7] = *stack.prefix();
}

}  // namespace detail

// The run for any type, operator and random-access iterators; as simd_run, but the count is free
// and the stack stays open. An exclusive run leaves out[0] as it was where no prefix exists yet:
// its caller knows what an empty prefix is. Cost: two operations an element; one where the operator
// is exactly associative.
template <class T, class Op, class In, class Out>
void template_run(In in, Out out, std::size_t count, prefix_stack<T, Op>& stack, output mode) {
  const auto n = static_cast<std::ptrdiff_t>(count);  // as iterators count
  std::ptrdiff_t i = 0;
  const auto one = [&] {
    if (mode == output::exclusive) {
      T x(in[i]);
      if (const T* before = stack.prefix()) out[i] = *before;
      stack.push(0, std::move(x));
    } else {
      stack.push(0, T(in[i]));
      if (mode == output::inclusive) out[i] = *stack.prefix();
    }
    ++i;
  };
  while (i < n && (stack.prefix() == nullptr || (stack.count() & 7) != 0)) one();
  if constexpr (exactly_associative<Op, T>) {
    if (i == n) return;
    // The sum of the elements alone is wanted too; where only it is, it is all there is to do.
    T sum(in[i]);
    if (mode == output::none) {
      for (std::ptrdiff_t k = i + 1; k < n; ++k) sum = stack.op()(sum, T(in[k]));
    } else {
      T carry = *stack.prefix();
      for (std::ptrdiff_t k = i; k < n; ++k) {
        const T x(in[k]);
        if (k != i) sum = stack.op()(sum, x);
        if (mode == output::exclusive) out[k] = carry;
        carry = stack.op()(carry, x);
        if (mode == output::inclusive) out[k] = carry;
      }
    }
    stack.push_many(static_cast<std::size_t>(n - i), sum);
  } else {
    for (; i + 8 <= n; i += 8) detail::eight(in + i, out + i, stack, mode);
    while (i < n) one();
  }
}

// The best run for the pair (T, Op).
template <class T, class Op>
void run(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, output mode,
         [[maybe_unused]] store how = store::cached, side_sum<T, Op> side = {}) {
  if constexpr (has_simd_kernel<Op, T>) {
    simd_run(in, out, n, stack, mode, how, side);
  } else {
    template_run(in, out, n, stack, mode);
    if (side.in) template_run(side.in, out, n, *side.stack, output::none);
  }
}

// The best way for the pair (T, Op) to scan many rows.
template <class T, class Op>
void run_rows(const row_block<T>& rows, Op op, output mode, store how) {
  if constexpr (has_identity<Op, T> && std::is_default_constructible_v<T>) {
    if (rows.n != 0 && rows.n < tiny) {
      const T start = rows.init ? *rows.init : static_cast<T>(Op::template identity<T>());
      for (std::size_t r = 0; r < rows.rows; ++r) {
        const T last = tiny_run(rows.in_row(r), rows.out_row(r), rows.n, start, op, mode);
        rows.finish(r, &last, mode);
      }
      return;
    }
  }
  if constexpr (has_simd_kernel<Op, T>) {
    simd_rows(rows, op, mode, how);
  } else {
    for (std::size_t r = 0; r < rows.rows; ++r) {
      prefix_stack<T, Op> stack{op, rows.init};
      template_run(rows.in_row(r), rows.out_row(r), rows.n, stack, mode);
      rows.finish(r, stack.prefix(), mode);
    }
  }
}

}  // namespace upsweep::cpu
