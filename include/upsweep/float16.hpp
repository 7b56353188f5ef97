// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two 16-bit storage formats. A scan over them accumulates in float and rounds once, on store.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace upsweep {

namespace detail {

// The float with the value of an IEEE 754 binary16. Exact.
constexpr float float_of_binary16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude >= 0x7c00u)  // infinity and NaN keep their payload, NaN becomes quiet
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13 |
                                (magnitude > 0x7c00u ? 0x400000u : 0u));
  if (magnitude >= 0x400u) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000u));
  // Zero and the denormals: an integer multiple of 2^-24, which float holds exactly.
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
}

// The nearest binary16, ties to even; overflow gives infinity, NaN stays NaN.
constexpr std::uint16_t binary16_of_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the spacing is 2^-24: adding 0.5 lets the float adder round to that spacing.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3f000000u));
  }
  const std::uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

// The nearest bfloat16, ties to even; NaN stays NaN.
constexpr std::uint16_t bfloat16_of_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace detail

// IEEE 754 binary16 as stored in memory: 1 sign, 5 exponent, 10 fraction bits. Converts to float
// exactly and from float by rounding to nearest, ties to even; from other types by way of float. No
// arithmetic of its own.
struct f16 {
  std::uint16_t bits = 0;
  f16() = default;
  constexpr explicit f16(float value) : bits(detail::binary16_of_float(value)) {}
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr explicit f16(A value) : f16(static_cast<float>(value)) {}
  constexpr operator float() const { return detail::float_of_binary16(bits); }
  static constexpr f16 from_bits(std::uint16_t bits) {
    f16 value;
    value.bits = bits;
    return value;
  }
};

// bfloat16: the upper half of a float, 1 sign, 8 exponent, 7 fraction bits. Rounds as f16 does;
// denormals are kept (the conversion instructions of some processors flush them).
struct bf16 {
  std::uint16_t bits = 0;
  bf16() = default;
  constexpr explicit bf16(float value) : bits(detail::bfloat16_of_float(value)) {}
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr explicit bf16(A value) : bf16(static_cast<float>(value)) {}
  constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  static constexpr bf16 from_bits(std::uint16_t bits) {
    bf16 value;
    value.bits = bits;
    return value;
  }
};

}  // namespace upsweep
