// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources and sinks: how elements of any type become accumulators and results of any type.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "upsweep/cpu/array.hpp"
#include "upsweep/float16.hpp"

namespace upsweep::cpu {

// n values between the 16-bit formats and float, at vector speed; rounding as f16 and bf16 round.
void convert(const f16* from, float* to, std::size_t n);
void convert(const bf16* from, float* to, std::size_t n);
void convert(const float* from, f16* to, std::size_t n);
void convert(const float* from, bf16* to, std::size_t n);

namespace detail {

template <class T>
inline constexpr bool is_16bit_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;

// The three loops differ for the compiler only: the first two become vector code.
template <class T, class At>
void gather(At&& at, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n, T* to) {
  const auto count = static_cast<std::ptrdiff_t>(n);
  if (stride == 1)
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = static_cast<T>(at(first + i));
  else if (stride == -1)
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = static_cast<T>(at(first - i));
  else
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = static_cast<T>(at(first + i * stride));
}
template <class Out, class T, class At>
void scatter(At&& at, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n, const T* from) {
  const auto count = static_cast<std::ptrdiff_t>(n);
  if (stride == 1)
    for (std::ptrdiff_t i = 0; i < count; ++i) at(first + i) = static_cast<Out>(from[i]);
  else if (stride == -1)
    for (std::ptrdiff_t i = 0; i < count; ++i) at(first - i) = static_cast<Out>(from[i]);
  else
    for (std::ptrdiff_t i = 0; i < count; ++i) at(first + i * stride) = static_cast<Out>(from[i]);
}

}  // namespace detail

// The elements at data, as accumulators of type T.
template <class T, class In>
source<T> make_source(const In* data) {
  source<T> s;
  s.base = data;
  s.kind = stored_as<In>;
  if constexpr (std::is_same_v<T, In>) s.direct = data;
  s.load = [](const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n, T* to) {
    const In* const p = static_cast<const In*>(base);
    if constexpr (detail::is_16bit_float<In> && std::is_same_v<T, float>)
      if (stride == 1) return convert(p + first, to, n);
    detail::gather([p](std::ptrdiff_t i) -> const In& { return p[i]; }, first, stride, n, to);
  };
  return s;
}

// Where accumulators of type T are written as elements at data.
template <class T, class Out>
sink<T> make_sink(Out* data) {
  sink<T> s;
  s.base = data;
  s.kind = stored_as<Out>;
  if constexpr (std::is_same_v<T, Out>) s.direct = data;
  s.store = [](void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
               const T* from) {
    Out* const p = static_cast<Out*>(base);
    if constexpr (detail::is_16bit_float<Out> && std::is_same_v<T, float>)
      if (stride == 1) return convert(from, p + first, n);
    detail::scatter<Out>([p](std::ptrdiff_t i) -> Out& { return p[i]; }, first, stride, n, from);
  };
  return s;
}

// The same through any random-access iterator, which must outlive the result.
template <class T, std::random_access_iterator It>
source<T> iterator_source(const It& it) {
  source<T> s;
  s.base = &it;
  s.load = [](const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n, T* to) {
    const It& at = *static_cast<const It*>(base);
    detail::gather([&at](std::ptrdiff_t i) -> decltype(auto) { return at[i]; }, first, stride, n,
                   to);
  };
  return s;
}
template <class T, std::random_access_iterator It>
sink<T> iterator_sink(It& it) {
  sink<T> s;
  s.base = &it;
  s.store = [](void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
               const T* from) {
    It& at = *static_cast<It*>(base);
    detail::scatter<std::iter_value_t<It>>(
        [&at](std::ptrdiff_t i) -> decltype(auto) { return at[i]; }, first, stride, n, from);
  };
  return s;
}

}  // namespace upsweep::cpu
