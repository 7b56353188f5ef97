// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the dtypes of files and the accumulators of the engine. A scan runs in one of
// eight accumulator types; integers narrower than 32 bits take a 32-bit one, since sums, products
// and bits modulo 2^32 are right modulo 2^8 and 2^16, too, and extrema do not care. So the engine
// is instantiated for few types, and those have vector kernels.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "cli/dtype.hpp"
#include "upsweep/cpu/array.hpp"

namespace cli {

template <dtype D>
struct lane : std::conditional<(D == dtype::i1 || D == dtype::i2 || D == dtype::i4), std::int32_t,
                               std::uint32_t> {};
template <>
struct lane<dtype::i8> : std::type_identity<std::int64_t> {};
template <>
struct lane<dtype::u8> : std::type_identity<std::uint64_t> {};
template <>
struct lane<dtype::f2> : std::type_identity<float> {};
template <>
struct lane<dtype::bf16> : std::type_identity<float> {};
template <>
struct lane<dtype::f4> : std::type_identity<float> {};
template <>
struct lane<dtype::f8> : std::type_identity<double> {};
template <>
struct lane<dtype::c8> : std::type_identity<std::complex<float>> {};
template <>
struct lane<dtype::c16> : std::type_identity<std::complex<double>> {};

// The accumulator of scans whose results have this dtype.
template <dtype D>
using lane_t = typename lane<D>::type;

// Instantiates something for each of these accumulators, or for those that a GPU is used for: macro
// is applied to every one.
#define UPSWEEP_CLI_FOR_LANES(macro) \
  UPSWEEP_CLI_FOR_REAL_LANES(macro) macro(std::complex<float>) macro(std::complex<double>)
#define UPSWEEP_CLI_FOR_REAL_LANES(macro)                                                        \
  macro(std::int32_t) macro(std::uint32_t) macro(std::int64_t) macro(std::uint64_t) macro(float) \
      macro(double)

template <class T>
using load_function = decltype(upsweep::cpu::source<T>::load);
template <class T>
using store_function = decltype(upsweep::cpu::sink<T>::store);

// Reads elements of dtype `from` as values of dtype `as`, held in the accumulator lane_t<as>: bool
// means "is not 0", integers wrap, floats round to nearest, a float becomes an integer by dropping
// its fraction and must fit (see first_unfit). Addresses need no alignment. Null when lane_t<as>
// is not T.
template <class T>
load_function<T> loader(dtype from, dtype as);

// Writes accumulators as dtype `as`. Null when lane_t<as> is not T.
template <class T>
store_function<T> storer(dtype as);

// An array of a file, in memory: strides are counted in elements by whoever uses it.
struct stored_array {
  const std::byte* data = nullptr;
  stored_dtype item;
};

// A source for the engine that reads elements as values of another dtype: in place where the
// memory is what the engine wants, else through a loader, with bytes swapped where needed. The
// object must stay where it is while the source is in use.
template <class T>
class array_source {
 public:
  array_source(const stored_array& in, dtype as);
  array_source(const array_source&) = delete;
  array_source& operator=(const array_source&) = delete;

  upsweep::cpu::source<T> get() const;

 private:
  static void load_swapped(const void* self, std::ptrdiff_t first, std::ptrdiff_t stride,
                           std::size_t n, T* to);

  stored_array in_;
  std::size_t size_;
  load_function<T> load_;
  bool direct_;
};

// A sink that writes accumulators as elements of a dtype. The data must be aligned for it.
template <class T>
upsweep::cpu::sink<T> array_sink(std::byte* data, dtype as);

// Floats that are to become integers: the position of the first of n that is NaN, infinite or
// beyond the range of the integer dtype; empty when all fit, or when nothing of the kind is asked.
std::optional<std::uint64_t> first_unfit(const stored_array& in, std::uint64_t n, dtype to);

}  // namespace cli
