// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/dtype_convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "upsweep/cpu/convert.hpp"

namespace cli {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

constexpr bool is_half(dtype d) { return d == dtype::f2 || d == dtype::bf16; }

// The integer part modulo 2^64: values below 0 are right in every narrower type, too. What fits
// neither int64 nor uint64 gives 0, since the language gives it no meaning.
std::uint64_t whole_part(double value) {
  if (!(value >= -0x1p63 && value < 0x1p64)) return 0;
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

template <class C, class T>
C to_complex(const T& value) {
  using part = typename C::value_type;
  if constexpr (is_complex<T>)
    return {static_cast<part>(value.real()), static_cast<part>(value.imag())};
  else
    return {static_cast<part>(value), part(0)};
}

// One element: the dtype decides what the value becomes, the accumulator only holds it.
template <dtype From, dtype As>
lane_t<As> convert(stored_t<From> stored) {
  using value_type = std::conditional_t<is_half(From), float, stored_t<From>>;
  const value_type value = stored;
  if constexpr (is_complex<lane_t<As>>)
    return to_complex<lane_t<As>>(value);
  else if constexpr (is_complex<value_type>)
    throw std::logic_error("complex numbers do not become real ones");
  else if constexpr (As == dtype::b1)
    return value != 0;
  else if constexpr (From == dtype::b1)
    return value != 0 ? 1 : 0;
  else if constexpr (is_half(As))
    return static_cast<float>(value);  // 16-bit floats round on store only
  else if constexpr (std::is_floating_point_v<value_type> && std::is_integral_v<stored_t<As>>)
    return static_cast<lane_t<As>>(static_cast<stored_t<As>>(whole_part(value)));
  else
    return static_cast<lane_t<As>>(static_cast<stored_t<As>>(value));
}

template <dtype From, dtype As>
void load(const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
          lane_t<As>* to) {
  using item = stored_t<From>;
  const auto* at = static_cast<const std::byte*>(base) + first * std::ptrdiff_t{sizeof(item)};
  if (stride == 1) {  // a loop of its own, for the vectoriser
    for (std::size_t i = 0; i < n; ++i)
      to[i] = convert<From, As>(read<item>(at + i * sizeof(item)));
    return;
  }
  for (std::size_t i = 0; i < n; ++i, at += stride * std::ptrdiff_t{sizeof(item)})
    to[i] = convert<From, As>(read<item>(at));
}

template <dtype As>
void store(void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
           const lane_t<As>* from) {
  auto* to = static_cast<stored_t<As>*>(base) + first;
  for (std::size_t i = 0; i < n; ++i, to += stride) {
    if constexpr (As == dtype::b1)
      *to = from[i] != 0 ? 1 : 0;
    else
      *to = static_cast<stored_t<As>>(from[i]);
  }
}

template <dtype As>
load_function<lane_t<As>> loader_as(dtype from) {
  return with_dtype(from, []<dtype From>() -> load_function<lane_t<As>> { return load<From, As>; });
}

bool is_integer(dtype type) {
  return kind_of(type) == dtype_kind::signed_integer ||
         kind_of(type) == dtype_kind::unsigned_integer;
}

// The bytes of an element mean the same in both dtypes, held in T.
template <class T>
bool same_memory(dtype from, dtype as) {
  const bool floats = kind_of(from) == dtype_kind::floating && kind_of(as) == dtype_kind::floating;
  const bool integers = is_integer(from) && is_integer(as);
  const bool both_complex =
      kind_of(from) == dtype_kind::complex && kind_of(as) == dtype_kind::complex;
  return item_size(from) == sizeof(T) && item_size(as) == sizeof(T) &&
         (floats || integers || both_complex);
}

// An element of so many bytes whose parts are in the other byte order.
void swap_bytes(const std::byte* from, std::size_t size, std::size_t part, std::byte* to) {
  for (std::size_t at = 0; at < size; at += part)
    std::reverse_copy(from + at, from + at + part, to + at);
}

}  // namespace

template <class T>
load_function<T> loader(dtype from, dtype as) {
  return with_dtype(as, [&]<dtype As>() -> load_function<T> {
    if constexpr (std::is_same_v<lane_t<As>, T>)
      return loader_as<As>(from);
    else
      return nullptr;
  });
}

template <class T>
store_function<T> storer(dtype as) {
  return with_dtype(as, []<dtype As>() -> store_function<T> {
    if constexpr (std::is_same_v<lane_t<As>, T>)
      return store<As>;
    else
      return nullptr;
  });
}

template <class T>
array_source<T>::array_source(const stored_array& in, dtype as)
    : in_(in),
      size_(item_size(in.item.type)),
      load_(loader<T>(in.item.type, as)),
      direct_(!in.item.big_endian && same_memory<T>(in.item.type, as) &&
              reinterpret_cast<std::uintptr_t>(in.data) % alignof(T) == 0) {}

template <class T>
upsweep::cpu::source<T> array_source<T>::get() const {
  if (in_.item.big_endian) return {.base = this, .load = load_swapped};
  if constexpr (std::is_same_v<T, float>)
    if (reinterpret_cast<std::uintptr_t>(in_.data) % alignof(upsweep::f16) == 0) {
      // The engine has its own way with these two, at vector speed.
      const void* const halves = in_.data;
      if (in_.item.type == dtype::f2)
        return upsweep::cpu::make_source<float>(static_cast<const upsweep::f16*>(halves));
      if (in_.item.type == dtype::bf16)
        return upsweep::cpu::make_source<float>(static_cast<const upsweep::bf16*>(halves));
    }
  const T* const direct = direct_ ? reinterpret_cast<const T*>(in_.data) : nullptr;
  return {.direct = direct, .base = in_.data, .load = load_};
}

template <class T>
void array_source<T>::load_swapped(const void* self, std::ptrdiff_t first, std::ptrdiff_t stride,
                                   std::size_t n, T* to) {
  const auto& source = *static_cast<const array_source*>(self);
  const std::size_t size = source.size_;
  constexpr std::size_t chunk = 512;
  alignas(16) std::byte native[chunk * 16];
  const std::size_t part = part_size(source.in_.item.type);
  const std::byte* at = source.in_.data + first * static_cast<std::ptrdiff_t>(size);
  while (n != 0) {
    const std::size_t m = std::min(n, chunk);
    for (std::size_t i = 0; i < m; ++i, at += stride * static_cast<std::ptrdiff_t>(size))
      swap_bytes(at, size, part, native + i * size);
    source.load_(native, 0, 1, m, to);
    to += m;
    n -= m;
  }
}

template <class T>
upsweep::cpu::sink<T> array_sink(std::byte* data, dtype as) {
  if constexpr (std::is_same_v<T, float>) {
    void* const halves = data;
    if (as == dtype::f2) return upsweep::cpu::make_sink<float>(static_cast<upsweep::f16*>(halves));
    if (as == dtype::bf16)
      return upsweep::cpu::make_sink<float>(static_cast<upsweep::bf16*>(halves));
  }
  T* const direct = same_memory<T>(as, as) ? reinterpret_cast<T*>(data) : nullptr;
  return {.direct = direct, .base = data, .store = storer<T>(as)};
}

std::optional<std::uint64_t> first_unfit(const stored_array& in, std::uint64_t n, dtype to) {
  if (kind_of(in.item.type) != dtype_kind::floating || kind_of(to) == dtype_kind::floating ||
      kind_of(to) == dtype_kind::boolean)
    return std::nullopt;
  // Both ends are exact in double: a value fits when its integer part lies in [low, high).
  const int bits = static_cast<int>(8 * item_size(to));
  const bool has_sign = kind_of(to) == dtype_kind::signed_integer;
  const double low = has_sign ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double high = std::ldexp(1.0, has_sign ? bits - 1 : bits);
  const array_source<double> source(in, dtype::f8);
  const upsweep::cpu::source<double> doubles = source.get();
  constexpr std::size_t chunk = 1024;
  double values[chunk];
  for (std::uint64_t at = 0; at < n; at += chunk) {
    const std::size_t m = std::min<std::uint64_t>(chunk, n - at);
    if (doubles.direct != nullptr)
      std::copy_n(doubles.direct + at, m, values);
    else
      doubles.load(doubles.base, static_cast<std::ptrdiff_t>(at), 1, m, values);
    for (std::size_t i = 0; i < m; ++i) {
      const double whole = std::trunc(values[i]);
      if (!(whole >= low && whole < high)) return at + i;
    }
  }
  return std::nullopt;
}

#define UPSWEEP_CLI_LANE(T)                          \
  template load_function<T> loader<T>(dtype, dtype); \
  template store_function<T> storer<T>(dtype);       \
  template class array_source<T>;                    \
  template upsweep::cpu::sink<T> array_sink<T>(std::byte * data, dtype as);
UPSWEEP_CLI_FOR_LANES(UPSWEEP_CLI_LANE)
#undef UPSWEEP_CLI_LANE

}  // namespace cli
