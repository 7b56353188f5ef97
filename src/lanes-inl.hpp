// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values are kept in vector lanes while they are combined, for one SIMD target at a time.

#if defined(UPSWEEP_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_LANES_INL
#undef UPSWEEP_LANES_INL
#else
#define UPSWEEP_LANES_INL
#endif

#include <type_traits>

#include "src/tree_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// How values of T are kept in lanes. Sums: as they are, unsigned as signed.
template <class T, class ScanOp>
struct lanes_of {
  using lane = std::conditional_t<std::is_floating_point_v<T>, T, hwy::MakeSigned<T>>;
  using op = add;
  template <class D, class V>
  static HWY_INLINE V to(D, V v) {
    return v;
  }
  template <class D, class V>
  static HWY_INLINE V from(D, V v) {
    return v;
  }
};

// Minima and maxima: as signed keys in whose order the wanted value is the largest, so that one
// signed maximum serves all. Integers need an exclusive or; floats order like their sign and
// magnitude, with NaN moved to the top: IEEE 754-2019 minimum and maximum.
template <class T, bool is_max>
struct key_lanes {
  using lane = hwy::MakeSigned<T>;
  using op = signed_max;
  template <class D>
  static HWY_INLINE hn::Vec<D> to(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T>) {
      const auto nan = hn::IsNaN(hn::BitCast(hn::RebindToFloat<D>{}, v));
      return hn::IfThenElse(hn::RebindMask(d, nan), hn::Set(d, hwy::LimitsMax<lane>()), flip(d, v));
    } else {
      return flip(d, v);
    }
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> from(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T> && !is_max) v = hn::Not(v);
    return std::is_floating_point_v<T> ? magnitude(d, v) : flip(d, v);
  }

 private:
  template <class D>
  static HWY_INLINE hn::Vec<D> flip(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T>) {
      v = magnitude(d, v);
      return is_max ? v : hn::Not(v);
    } else {
      const lane sign = std::is_unsigned_v<T> ? hwy::LimitsMin<lane>() : lane{0};
      return hn::Xor(v, hn::Set(d, is_max ? sign : static_cast<lane>(~sign)));
    }
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> magnitude(D d, hn::Vec<D> v) {
    return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), hn::Set(d, hwy::LimitsMax<lane>())));
  }
};
template <class T>
struct lanes_of<T, maximum> : key_lanes<T, true> {};
template <class T>
struct lanes_of<T, minimum> : key_lanes<T, false> {};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
