// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few elements, where setting up a stack or a vector costs more than the scan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "upsweep/cpu/output.hpp"
#include "upsweep/operators.hpp"

namespace upsweep::cpu {

// Fewer elements than this are tiny: from here on vectors pay. The blocks of [0, n) are those of
// the set bits of n; for exactly associative operators a loop does.
inline constexpr std::size_t tiny = 24;

// The same for one line by itself: sums of integers are a loop of one addition, and a vector's
// set-up, some 35 ns, has to be earned.
template <class Op, class T>
inline constexpr std::size_t tiny_line =
    std::is_same_v<Op, plus>&& std::is_integral_v<T> ? 128 : tiny;

namespace detail {

// The prefixes before each of n elements (n a power of two), given the one before the first, and
// the sum of all. Straight-line code.
template <std::size_t n, class T, class Op>
T tiny_block(const T* x, const T& carry, T* before, const Op& op) {
  if constexpr (n == 1) {
    before[0] = carry;
    return x[0];
  } else {
    const T left = tiny_block<n / 2>(x, carry, before, op);
    const T right = tiny_block<n / 2>(x + n / 2, T(op(carry, left)), before + n / 2, op);
    return op(left, right);
  }
}

template <std::size_t n, class T, class Op>
T tiny_step(const T* in, T* out, const T& carry, const Op& op, output mode) {
  T x[n], p[n + 1];
  std::copy_n(in, n, x);
  p[n] = op(carry, tiny_block<n>(x, carry, p, op));
  if (mode == output::inclusive) std::copy_n(p + 1, n, out);
  if (mode == output::exclusive) std::copy_n(p, n, out);
  return p[n];
}

}  // namespace detail

// Scans fewer than 32 elements (any number, where the operator is exactly associative)
// after the prefix carry, at a place that is a multiple of 32; returns the prefix behind them.
template <class T, class Op>
T tiny_run(const T* in, T* out, std::size_t n, T carry, const Op& op, output mode) {
  if constexpr (exactly_associative<Op, T>) {
    if (mode == output::inclusive)
      for (std::size_t i = 0; i < n; ++i) out[i] = carry = op(carry, in[i]);
    else
      for (std::size_t i = 0; i < n; ++i) {
        const T x = in[i];
        if (mode == output::exclusive) out[i] = carry;
        carry = op(carry, x);
      }
  } else {
    const auto step = [&]<std::size_t size>() {
      if ((n & size) == 0) return;
      carry = detail::tiny_step<size>(in, out, carry, op, mode);
      in += size;
      if (mode != output::none) out += size;
    };
    step.template operator()<16>();
    step.template operator()<8>();
    step.template operator()<4>();
    step.template operator()<2>();
    step.template operator()<1>();
  }
  return carry;
}

}  // namespace upsweep::cpu
