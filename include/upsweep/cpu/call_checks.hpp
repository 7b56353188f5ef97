// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a public call refuses, when it is compiled and when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "upsweep/array_view.hpp"
#include "upsweep/cpu/array.hpp"
#include "upsweep/error.hpp"
#include "upsweep/policy.hpp"

namespace upsweep::detail {

// Bytes [begin, end) that an array touches.
struct byte_range {
  std::uintptr_t begin = 0, end = 0;
};

// The same elements in place are allowed; any other common byte is not.
inline void refuse_overlap(byte_range in, byte_range out, bool same) {
  if (!same && in.begin < out.end && out.begin < in.end)
    throw argument_error("upsweep: input and output overlap without being the same");
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

template <class It>
std::size_t length_of(const It& first, const It& last) {
  if (last < first) throw argument_error("upsweep: a range ends before it begins");
  return static_cast<std::size_t>(last - first);
}

// The checks that every call makes at compile time; false stops before the errors that follow.
template <class T, class Op>
constexpr bool check_operator() {
  static_assert(
      scan_operator<Op, T>,
      "upsweep: op(left, right) must take two accumulators and return one, also as a const "
      "object; note that the operator comes before the init");
  static_assert(sizeof(T) <= 4096, "upsweep: an accumulator has at most 4096 bytes");
  return scan_operator<Op, T>;
}
template <cpu::output mode, class T, class Op, class Init>
constexpr bool check_init() {
  constexpr bool good =
      mode != cpu::output::exclusive || !std::is_same_v<Init, no_init> || has_empty<Op, T>;
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

// The geometry of a call, checked.
template <cpu::output mode, class In, class Out>
cpu::geometry geometry_of(const array_view<In>& in, const array_view<Out>& out, int axis) {
  const int rank = in.rank();
  if (rank != out.rank()) throw argument_error("upsweep: arrays of different rank");
  if (axis < -rank || axis >= rank) throw argument_error("upsweep: axis out of range");
  cpu::geometry g;
  g.rank = rank;
  g.axis = axis < 0 ? axis + rank : axis;
  bool on_each_other = false, nothing = false;
  bool same = static_cast<const void*>(in.data()) == out.data() && sizeof(In) == sizeof(Out);
  for (int d = 0; d < rank; ++d) {
    const auto u = static_cast<std::size_t>(d);
    g.extents[u] = in.extent(d);
    g.in_strides[u] = in.stride(d);
    g.out_strides[u] = out.stride(d);
    on_each_other = on_each_other || (out.stride(d) == 0 && out.extent(d) > 1);
    nothing = nothing || out.extent(d) == 0;
    same = same && (in.stride(d) == out.stride(d) || in.extent(d) <= 1);
    if (d == g.axis && mode == cpu::output::exclusive && out.extent(d) == in.extent(d) + 1)
      g.out_extra = 1;
    else if (out.extent(d) != (d == g.axis && mode == cpu::output::none ? 1 : in.extent(d)))
      throw argument_error("upsweep: arrays of different shape");
  }
  if (on_each_other && !nothing)  // C order strides of an empty array are 0, and harmless
    throw argument_error("upsweep: results would lie on each other: an output has stride 0");
  refuse_overlap(bytes_of(in), bytes_of(out), same && mode != cpu::output::none);
  return g;
}

}  // namespace upsweep::detail
