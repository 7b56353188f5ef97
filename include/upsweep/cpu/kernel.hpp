// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost layer of the CPU engine: one thread, one contiguous run of values, one pass.
// run_kernel is the template that serves every type and operator; where the compiled part of the
// library has a SIMD kernel for the pair (T, Op), simd_kernel<T, Op> calls that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/order.hpp"

namespace upsweep::cpu {

// What a run writes: nothing (a reduction), P(i + 1), or P(i).
enum class output { none, inclusive, exclusive };

// True for the pairs that src/ has SIMD kernels for.
template <class Op, class T>
inline constexpr bool has_simd_kernel =
    (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>)&&(
        std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
        std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> ||
        std::is_same_v<T, float> || std::is_same_v<T, double>);

// Scans in[0, n) as the continuation of the stack's elements, by the vector unit chosen at run
// time. Only the last run of a scan may have an n that is no multiple of 64: it closes the stack.
// in and out may be the same. Cost: one pass.
template <class T, class Op>
void simd_run(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, output mode);

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

// The run for any type, operator and random-access iterators; as simd_run, but n is free and the stack stays open. An
// exclusive run leaves out[0] as it was where no prefix exists yet: its caller knows what an empty
// prefix is. Cost: two operations an element; one where the operator is exactly associative.
template <class T, class Op, class In, class Out>
void template_run(In in, Out out, std::size_t n, prefix_stack<T, Op>& stack, output mode) {
  std::size_t i = 0;
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
    T carry = *stack.prefix();
    T sum(in[i]);
    for (std::size_t k = i; k < n; ++k) {
      const T x(in[k]);
      if (k != i) sum = stack.op()(sum, x);
      if (mode == output::exclusive) out[k] = carry;
      if (mode != output::none) carry = stack.op()(carry, x);
      if (mode == output::inclusive) out[k] = carry;
    }
    stack.push_many(n - i, sum);
  } else {
    for (; i + 8 <= n; i += 8) detail::eight(in + i, out + i, stack, mode);
    while (i < n) one();
  }
}

// The best run for the pair (T, Op).
template <class T, class Op>
void run(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, output mode) {
  if constexpr (has_simd_kernel<Op, T>)
    simd_run(in, out, n, stack, mode);
  else
    template_run(in, out, n, stack, mode);
}

}  // namespace upsweep::cpu
