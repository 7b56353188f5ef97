// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls of every engine have in common: which operator is meant, what is refused, where a
// line of memory begins and which way it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/array_view.hpp"
#include "upsweep/error.hpp"
#include "upsweep/policy.hpp"

namespace upsweep::detail {

// The standard library's function objects stand for ours: sums wrap and have vector kernels.
template <class Op>
const Op& own_operator(const Op& op) {
  return op;
}
inline plus own_operator(const std::plus<>&) { return {}; }
inline multiplies own_operator(const std::multiplies<>&) { return {}; }
inline bit_and own_operator(const std::bit_and<>&) { return {}; }
inline bit_or own_operator(const std::bit_or<>&) { return {}; }
inline bit_xor own_operator(const std::bit_xor<>&) { return {}; }
inline logical_and own_operator(const std::logical_and<>&) { return {}; }
inline logical_or own_operator(const std::logical_or<>&) { return {}; }

template <class T, class Init>
std::optional<T> init_value(const Init& init) {
  if constexpr (std::is_same_v<Init, no_init>)
    return std::nullopt;
  else
    return std::optional<T>(static_cast<T>(init));
}

template <class T, class Op>
std::optional<T> empty_of() {
  if constexpr (has_empty<Op, T>)
    return std::optional<T>(empty_value<Op, T>());
  else
    return std::nullopt;
}

// Bytes [begin, end) that an array touches.
struct byte_range {
  std::uintptr_t begin = 0, end = 0;
};
constexpr bool overlap(byte_range a, byte_range b) { return a.begin < b.end && b.begin < a.end; }

// The same elements in place are allowed; any other common byte is not.
inline void refuse_overlap(byte_range in, byte_range out, bool same) {
  if (!same && overlap(in, out))
    detail::refuse("upsweep: input and output overlap without being the same");
}

template <class It>
inline constexpr bool is_reversed = false;
template <class It>
inline constexpr bool is_reversed<std::reverse_iterator<It>> = std::contiguous_iterator<It>;

// A contiguous line as a pointer and a stride of 1 or -1: what iterators and reversed iterators
// over memory come down to.
template <class It>
inline constexpr bool in_memory = std::contiguous_iterator<It> || is_reversed<It>;
template <class It>
auto address(const It& it) {
  if constexpr (is_reversed<It>)
    return std::to_address(it.base());
  else
    return std::to_address(it);
}
// The first element, counted from address(): behind a reversed iterator, which may be null.
template <class It>
inline constexpr std::ptrdiff_t first_from = is_reversed<It> ? -1 : 0;
template <class It>
inline constexpr std::ptrdiff_t step_of = is_reversed<It> ? -1 : 1;

template <class It>
byte_range bytes_of(const It& it, std::size_t n) {
  if (n == 0) return {};
  const auto* const p = address(it);
  const auto* const low = is_reversed<It> ? p - n : p;
  return {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(low + n)};
}

// The checks that every call makes at compile time; false stops before the errors that follow.
template <class T, class Op>
constexpr bool check_operator() {
  static_assert(
      scan_operator<Op, T>,
      "upsweep: op(left, right) must take two accumulators and return one, also as a const "
      "object; the operator comes before the init; nvcc's lambdas must be __host__ __device__");
  static_assert(sizeof(T) <= 4096, "upsweep: an accumulator has at most 4096 bytes");
  return scan_operator<Op, T>;
}
template <bool exclusive, class T, class Op, class Init>
constexpr bool check_init() {
  constexpr bool good = !exclusive || !std::is_same_v<Init, no_init> || has_empty<Op, T>;
  static_assert(good,
                "upsweep: an exclusive scan without init needs an operator with an empty value");
  return good;
}
template <class Out, class T>
constexpr bool check_output() {
  constexpr bool good = requires(Out out, const T& value) {
    *out = static_cast<std::iter_value_t<Out>>(value);
  };
  static_assert(good,
                "upsweep: the output cannot be written, or its type is not made from the "
                "accumulator");
  return good;
}

// First and last of a sized range, as iterators of one type.
template <class R>
auto ends(R& range) {
  const auto first = std::ranges::begin(range);
  const auto n = static_cast<std::ranges::range_difference_t<R>>(std::ranges::size(range));
  return std::pair(first, first + n);
}

template <class It>
std::size_t length_of(const It& first, const It& last) {
  if (last < first) detail::refuse("upsweep: a range ends before it begins");
  return static_cast<std::size_t>(last - first);
}

template <class T>
byte_range bytes_of(const array_view<T>& a) {
  std::ptrdiff_t low = 0, high = 1;
  for (int d = 0; d < a.rank(); ++d) {
    if (a.extent(d) == 0) return {};
    const std::ptrdiff_t span = static_cast<std::ptrdiff_t>(a.extent(d) - 1) * a.stride(d);
    (span < 0 ? low : high) += span;
  }
  return {reinterpret_cast<std::uintptr_t>(a.data() + low),
          reinterpret_cast<std::uintptr_t>(a.data() + high)};
}

}  // namespace upsweep::detail
