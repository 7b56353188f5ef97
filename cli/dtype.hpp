// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types of files, by the names that NumPy gives them.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "upsweep/float16.hpp"

namespace cli {

static_assert(std::endian::native == std::endian::little, "files are mapped as they are");

enum class dtype { b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, bf16, f4, f8, c8, c16 };

enum class dtype_kind { boolean, signed_integer, unsigned_integer, floating, complex };

// A type as a file stores it.
struct stored_dtype {
  dtype type = dtype::f8;
  bool big_endian = false;
};

// Reads i4, <i4, >i4, int32, f2, float16, bf16, bool and the like; empty when it is none of them.
std::optional<stored_dtype> parse_dtype(std::string_view name);

std::size_t item_size(dtype type);
// The bytes that a byte order reverses: those of an element, or of each part of a complex one.
std::size_t part_size(dtype type);
dtype_kind kind_of(dtype type);
// int32, float16 and so on, for messages.
std::string_view name_of(dtype type);
std::vector<std::string> dtype_names();
// <i4, |b1 and so on, as an .npy header states it. bfloat16 has no such name: empty.
std::string_view npy_name(dtype type);

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

// What one element of the type looks like in memory. A bool is a byte that any value may be in.
template <dtype D>
struct stored;
template <>
struct stored<dtype::b1> : std::type_identity<unsigned char> {};
template <>
struct stored<dtype::i1> : std::type_identity<std::int8_t> {};
template <>
struct stored<dtype::i2> : std::type_identity<std::int16_t> {};
template <>
struct stored<dtype::i4> : std::type_identity<std::int32_t> {};
template <>
struct stored<dtype::i8> : std::type_identity<std::int64_t> {};
template <>
struct stored<dtype::u1> : std::type_identity<std::uint8_t> {};
template <>
struct stored<dtype::u2> : std::type_identity<std::uint16_t> {};
template <>
struct stored<dtype::u4> : std::type_identity<std::uint32_t> {};
template <>
struct stored<dtype::u8> : std::type_identity<std::uint64_t> {};
template <>
struct stored<dtype::f2> : std::type_identity<upsweep::f16> {};
template <>
struct stored<dtype::bf16> : std::type_identity<upsweep::bf16> {};
template <>
struct stored<dtype::f4> : std::type_identity<float> {};
template <>
struct stored<dtype::f8> : std::type_identity<double> {};
template <>
struct stored<dtype::c8> : std::type_identity<std::complex<float>> {};
template <>
struct stored<dtype::c16> : std::type_identity<std::complex<double>> {};
template <dtype D>
using stored_t = typename stored<D>::type;

// Calls f.template operator()<D>() with the type as a constant.
template <class F>
decltype(auto) with_dtype(dtype type, F&& f) {
  switch (type) {
    case dtype::b1:
      return f.template operator()<dtype::b1>();
    case dtype::i1:
      return f.template operator()<dtype::i1>();
    case dtype::i2:
      return f.template operator()<dtype::i2>();
    case dtype::i4:
      return f.template operator()<dtype::i4>();
    case dtype::i8:
      return f.template operator()<dtype::i8>();
    case dtype::u1:
      return f.template operator()<dtype::u1>();
    case dtype::u2:
      return f.template operator()<dtype::u2>();
    case dtype::u4:
      return f.template operator()<dtype::u4>();
    case dtype::u8:
      return f.template operator()<dtype::u8>();
    case dtype::f2:
      return f.template operator()<dtype::f2>();
    case dtype::bf16:
      return f.template operator()<dtype::bf16>();
    case dtype::f4:
      return f.template operator()<dtype::f4>();
    case dtype::f8:
      return f.template operator()<dtype::f8>();
    case dtype::c8:
      return f.template operator()<dtype::c8>();
    case dtype::c16:
      break;
  }
  return f.template operator()<dtype::c16>();
}

}  // namespace cli
