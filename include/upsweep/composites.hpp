// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on small structures: affine maps, 2x2 matrices, (maximum, count), strings. None of them
// but the second to last is commutative. Products that are added to something go through fma, so
// that no compiler can choose: the bits are pinned. Where the host's target has no FMA instruction
// (x86-64 without -mfma or -march) each is a call to the C library: the same bits, some six times
// the time.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "upsweep/operators.hpp"

namespace upsweep {

namespace detail {

// a * b + c: one rounding on floats, modulo 2^w on integers.
template <class T>
UPSWEEP_HD constexpr T multiply_add(const T& a, const T& b, const T& c) {
  if constexpr (std::is_same_v<T, float>)
    return ::fmaf(a, b, c);
  else if constexpr (std::is_same_v<T, double>)
    return ::fma(a, b, c);
#if !defined(__CUDA_ARCH__)  // there is no long double on a GPU
  else if constexpr (std::is_same_v<T, long double>)
    return ::fmal(a, b, c);
#endif
  else
    return plus{}(multiplies{}(a, b), c);
}

}  // namespace detail

// The map x -> scale * x + offset.
template <class T>
struct affine {
  T scale{}, offset{};
  friend bool operator==(const affine&, const affine&) = default;
};

// Composition of affine maps, left first: the scan of maps (a_i, b_i) solves the recurrence
// y_i = a_i * y_(i-1) + b_i. Cost: one product and one fma.
struct compose {
  template <class T>
  [[gnu::always_inline]] UPSWEEP_HD constexpr affine<T> operator()(const affine<T>& left,
                                                                   const affine<T>& right) const {
    return {multiplies{}(right.scale, left.scale),
            detail::multiply_add(right.scale, left.offset, right.offset)};
  }
  // x -> x: what an empty prefix is written as. On floats it is no identity bit for bit.
  template <class A>
  requires std::is_same_v<A, affine<decltype(A::scale)>> UPSWEEP_HD static constexpr A empty() {
    return {1, 0};
  }
};

// The matrix (a b; c d).
template <class T>
struct matrix2x2 {
  T a{}, b{}, c{}, d{};
  friend bool operator==(const matrix2x2&, const matrix2x2&) = default;
};

// left * right. On floats each entry is fma(l1, r1, l2 * r2).
struct matrix_product {
  // Inlined always: scans call it fifteen times in eight elements, and left to themselves compilers
  // call it as a function there, at almost twice the time.
  template <class T>
  [[gnu::always_inline]] UPSWEEP_HD constexpr matrix2x2<T> operator()(
      const matrix2x2<T>& left, const matrix2x2<T>& right) const {
    const auto dot = [](const T& l1, const T& r1, const T& l2, const T& r2) {
      return detail::multiply_add(l1, r1, static_cast<T>(multiplies{}(l2, r2)));
    };
    return {dot(left.a, right.a, left.b, right.c), dot(left.a, right.b, left.b, right.d),
            dot(left.c, right.a, left.d, right.c), dot(left.c, right.b, left.d, right.d)};
  }
  // The unit matrix: what an empty prefix is written as. On floats it is no identity bit for bit.
  template <class M>
  requires std::is_same_v<M, matrix2x2<decltype(M::a)>> UPSWEEP_HD static constexpr M empty() {
    return {1, 0, 0, 1};
  }
};

// A maximum and how often it occurred.
template <class T>
struct max_count {
  T value{};
  std::uint64_t count = 1;
  friend bool operator==(const max_count&, const max_count&) = default;
};

// The larger value with its count; equal values add their counts. -0.0 is below 0.0 and NaN above
// everything, so that floats are totally ordered and the operator is exactly associative.
struct maximum_count {
  template <class T>
  UPSWEEP_HD constexpr max_count<T> operator()(const max_count<T>& left,
                                               const max_count<T>& right) const {
    if (same(left.value, right.value)) return {left.value, left.count + right.count};
    return same(maximum{}(left.value, right.value), left.value) ? left : right;
  }
  template <class M>
  requires std::is_same_v<M, max_count<decltype(M::value)>> UPSWEEP_HD static constexpr M
  identity() {
    return {maximum::identity<decltype(M::value)>(), 0};
  }

 private:
  template <class T>
  UPSWEEP_HD static constexpr bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return a != a && b != b;
      if (a == T(0) && b == T(0)) return T(1) / a == T(1) / b;  // tells -0.0 from 0.0
    }
    return a == b;
  }
};

// left followed by right, for strings and whatever else + concatenates. Host only.
struct concatenate {
  template <class T>
  T operator()(const T& left, const T& right) const {
    return left + right;
  }
  template <class T>
  requires std::is_same_v<T, std::string>
  static T identity() { return {}; }
};

template <std::unsigned_integral T>
inline constexpr bool exactly_associative<compose, affine<T>> = true;
template <std::unsigned_integral T>
inline constexpr bool exactly_associative<matrix_product, matrix2x2<T>> = true;
template <class T>
requires std::is_arithmetic_v<T>
inline constexpr bool exactly_associative<maximum_count, max_count<T>> = true;
template <>
inline constexpr bool exactly_associative<concatenate, std::string> = true;

}  // namespace upsweep
