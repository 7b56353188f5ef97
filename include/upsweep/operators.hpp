// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shipped operators. Each takes (left, right), in that order, and may offer
//   identity<T>()  the value e with e (+) x = x, bit for bit; engines may pad with it;
//   empty<T>()     what an empty prefix is written as, where that is not the identity.
// A user's operator needs neither: it is called with real elements and their combinations only.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#if defined(__CUDACC__)
#define UPSWEEP_HD __host__ __device__
#else
#define UPSWEEP_HD
#endif

namespace upsweep {

namespace detail {

// An unsigned type in which + and * on T wrap and are never promoted to a signed int.
template <class T, std::size_t size = sizeof(T)>
struct wrapping {
  using type = std::conditional_t<(size > 4), std::uint64_t, std::uint32_t>;
};
template <class T>
struct wrapping<T, 16> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using wrapping_t = typename wrapping<T>::type;

// Infinity, or the largest integer; device code may not call what std::numeric_limits has.
template <class T>
UPSWEEP_HD constexpr T largest() {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(__builtin_huge_val());
  else if constexpr (std::is_same_v<T, bool>)
    return true;
  else if constexpr (std::is_unsigned_v<T>)
    return static_cast<T>(~T(0));
  else
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(~std::make_unsigned_t<T>(0)) >> 1);
}

template <class T>
inline constexpr bool wraps = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace detail

// Sum. Integers wrap modulo 2^w, signed ones too. The identity of a float sum is -0.0, since 0.0
// would turn -0.0 into 0.0; an empty float sum is written as 0.0.
struct plus {
  template <class T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
    if constexpr (detail::wraps<T>)
      return static_cast<T>(static_cast<detail::wrapping_t<T>>(left) +
                            static_cast<detail::wrapping_t<T>>(right));
    else if constexpr (std::is_same_v<T, bool>)
      return left || right;  // what bool(left + right) is
    else
      return left + right;
  }
  template <class T>
  requires std::is_arithmetic_v<T> UPSWEEP_HD static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return T(-0.0);
    return T(0);
  }
  template <class T>
  requires std::is_arithmetic_v<T> UPSWEEP_HD static constexpr T empty() { return T(0); }
};

// Product. Integers wrap modulo 2^w. Of class types, such as std::complex, it is their own
// operator*, compiled with the flags of whoever includes this: -ffp-contract=off keeps its bits the
// same.
struct multiplies {
  template <class T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
    if constexpr (detail::wraps<T>)
      return static_cast<T>(static_cast<detail::wrapping_t<T>>(left) *
                            static_cast<detail::wrapping_t<T>>(right));
    else if constexpr (std::is_same_v<T, bool>)
      return left && right;
    else
      return left * right;
  }
  template <class T>
  requires std::is_arithmetic_v<T> UPSWEEP_HD static constexpr T identity() { return T(1); }
};

#if defined(__CUDA_ARCH__)
namespace detail {
// minimum and maximum by the device's instructions, which know -0.0 < 0.0 (PTX ISA, min and max).
__device__ inline double device_minimum(double left, double right) {
  return left != left || right != right ? left + right : fmin(left, right);
}
__device__ inline double device_maximum(double left, double right) {
  return left != left || right != right ? left + right : fmax(left, right);
}
#if __CUDA_ARCH__ >= 800
__device__ inline float device_minimum(float left, float right) {
  float smaller;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(left), "f"(right));
  return smaller;
}
__device__ inline float device_maximum(float left, float right) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(left), "f"(right));
  return larger;
}
#else
__device__ inline float device_minimum(float left, float right) {
  return left != left || right != right ? left + right : fminf(left, right);
}
__device__ inline float device_maximum(float left, float right) {
  return left != left || right != right ? left + right : fmaxf(left, right);
}
#endif
}  // namespace detail
#endif

// The smaller value; IEEE 754-2019 minimum on floats: NaN propagates and -0.0 < 0.0.
struct minimum {
  template <class T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return detail::device_minimum(left, right);
#endif
    if constexpr (std::is_floating_point_v<T>) {
      if (left != left || right != right) return left + right;      // a quiet NaN
      if (left == T(0) && right == T(0)) return -(-left + -right);  // -0.0 if either is
    }
    return right < left ? right : left;
  }
  template <class T>
  requires std::is_arithmetic_v<T> UPSWEEP_HD static constexpr T identity() {
    return detail::largest<T>();
  }
};

// The larger value; IEEE 754-2019 maximum on floats: NaN propagates and -0.0 < 0.0.
struct maximum {
  template <class T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return detail::device_maximum(left, right);
#endif
    if constexpr (std::is_floating_point_v<T>) {
      if (left != left || right != right) return left + right;  // a quiet NaN
      if (left == T(0) && right == T(0)) return left + right;   // 0.0 if either is
    }
    return left < right ? right : left;
  }
  template <class T>
  requires std::is_arithmetic_v<T> UPSWEEP_HD static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return -detail::largest<T>();
    return std::is_unsigned_v<T> ? T(0) : static_cast<T>(-detail::largest<T>() - 1);
  }
};

// Bitwise operators on integers.
struct bit_and {
  template <std::integral T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left & right);
  }
  template <std::integral T>
  UPSWEEP_HD static constexpr T identity() {
    return static_cast<T>(~T(0));
  }
};
struct bit_or {
  template <std::integral T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left | right);
  }
  template <std::integral T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
};
struct bit_xor {
  template <std::integral T>
  UPSWEEP_HD constexpr T operator()(const T& left, const T& right) const {
    return static_cast<T>(left ^ right);
  }
  template <std::integral T>
  UPSWEEP_HD static constexpr T identity() {
    return T(0);
  }
};

// Logical operators. They accumulate in bool (see accumulator_t in policy.hpp), so that an element
// such as 5 counts as true from the first output on.
struct logical_and {
  UPSWEEP_HD constexpr bool operator()(bool left, bool right) const { return left && right; }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(true);
  }
};
struct logical_or {
  UPSWEEP_HD constexpr bool operator()(bool left, bool right) const { return left || right; }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return T(false);
  }
};

// True where every association order gives the same bits, so that engines may take the fastest.
// Specialise it for an operator of your own that is exactly associative on T.
template <class Op, class T>
inline constexpr bool exactly_associative = false;
template <std::integral T>
inline constexpr bool exactly_associative<plus, T> = true;
template <std::integral T>
inline constexpr bool exactly_associative<multiplies, T> = true;
template <class T>
requires std::is_arithmetic_v<T>
inline constexpr bool exactly_associative<minimum, T> = true;
template <class T>
requires std::is_arithmetic_v<T>
inline constexpr bool exactly_associative<maximum, T> = true;
template <std::integral T>
inline constexpr bool exactly_associative<bit_and, T> = true;
template <std::integral T>
inline constexpr bool exactly_associative<bit_or, T> = true;
template <std::integral T>
inline constexpr bool exactly_associative<bit_xor, T> = true;
template <class T>
inline constexpr bool exactly_associative<logical_and, T> = true;
template <class T>
inline constexpr bool exactly_associative<logical_or, T> = true;

template <class Op, class T>
concept has_identity = requires {
  { Op::template identity<T>() } -> std::convertible_to<T>;
};
template <class Op, class T>
concept has_empty = has_identity<Op, T> || requires {
  { Op::template empty<T>() } -> std::convertible_to<T>;
};

// What P(0), the prefix of no elements, is written as when no init is given.
template <class Op, class T>
requires has_empty<Op, T> UPSWEEP_HD constexpr T empty_value() {
  if constexpr (requires { Op::template empty<T>(); })
    return Op::template empty<T>();
  else
    return Op::template identity<T>();
}

// An operator on T: callable with two values of T, also as a const object (threads share it), and
// the result converts back to T.
template <class Op, class T>
concept scan_operator = requires(const Op& op, const T& left, const T& right) {
  { op(left, right) } -> std::convertible_to<T>;
};

}  // namespace upsweep
