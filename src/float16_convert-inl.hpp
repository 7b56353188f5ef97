// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of the 16-bit floats, for one SIMD target at a time, with integer operations only:
// the conversion instructions of some processors flush denormals.

#if defined(UPSWEEP_FLOAT16_CONVERT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_FLOAT16_CONVERT_INL
#undef UPSWEEP_FLOAT16_CONVERT_INL
#else
#define UPSWEEP_FLOAT16_CONVERT_INL
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {

// Whole vectors by V, the rest by the scalar definition.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <class To, class From>
void convert_all(const From* from, To* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}
void f16_to_float(const f16* from, float* to, std::size_t n) { convert_all(from, to, n); }
void bf16_to_float(const bf16* from, float* to, std::size_t n) { convert_all(from, to, n); }
void float_to_f16(const float* from, f16* to, std::size_t n) { convert_all(from, to, n); }
void float_to_bf16(const float* from, bf16* to, std::size_t n) { convert_all(from, to, n); }
#else
namespace hn = hwy::HWY_NAMESPACE;
using df = hn::ScalableTag<float>;
using du = hn::ScalableTag<std::uint32_t>;
using dh = hn::Rebind<std::uint16_t, du>;
using vu = hn::Vec<du>;

HWY_INLINE vu bits_of_f16(vu h) {
  const du d;
  const df f;
  const vu sign = hn::ShiftLeft<16>(hn::And(h, hn::Set(d, 0x8000u)));
  const vu magnitude = hn::And(h, hn::Set(d, 0x7fffu));
  const vu normal = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(d, 0x38000000u));
  const vu quiet =
      hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(d, 0x7c00u)), hn::Set(d, 0x400000u));
  const vu special = hn::Or(hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(d, 0x7f800000u)), quiet);
  const hn::RebindToSigned<du> di;
  const vu small =
      hn::BitCast(d, hn::Mul(hn::ConvertTo(f, hn::BitCast(di, magnitude)), hn::Set(f, 0x1p-24f)));
  vu bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x400u)), small, normal);
  bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7bffu)), special, bits);
  return hn::Or(bits, sign);
}

HWY_INLINE vu f16_of_bits(vu bits) {
  const du d;
  const df f;
  const vu sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000u));
  const vu magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
  const vu odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1u));
  const vu normal =
      hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(d, 0x38000000u - 0xfffu)), odd));
  const vu small = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(f, magnitude), hn::Set(f, 0.5f))),
                           hn::Set(d, 0x3f000000u));
  const vu nan =
      hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 0x1ffu)), hn::Set(d, 0x7e00u));
  vu half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x38800000u)), small, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x477fefffu)), hn::Set(d, 0x7c00u), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, half);
  return hn::Or(half, sign);
}

HWY_INLINE vu bf16_of_bits(vu bits) {
  const du d;
  const vu odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
  const vu near = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fffu))));
  const vu nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(d, 0x40u));
  const vu magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, near);
}

template <class F>
HWY_INLINE void widen(const std::uint16_t* from, float* to, std::size_t n, const F& f) {
  const du d;
  const dh h;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(hn::BitCast(df(), f(hn::PromoteTo(d, hn::LoadU(h, from + i)))), df(), to + i);
  if (i == n) return;
  HWY_ALIGN std::uint16_t rest[HWY_MAX_BYTES / 4] = {};
  HWY_ALIGN float wide[HWY_MAX_BYTES / 4];
  for (std::size_t k = i; k < n; ++k) rest[k - i] = from[k];
  hn::Store(hn::BitCast(df(), f(hn::PromoteTo(d, hn::Load(h, rest)))), df(), wide);
  for (std::size_t k = i; k < n; ++k) to[k] = wide[k - i];
}

template <class F>
HWY_INLINE void narrow(const float* from, std::uint16_t* to, std::size_t n, const F& f) {
  const du d;
  const dh h;
  const hn::RebindToSigned<du> di;
  const auto low = [&](vu v) HWY_ATTR { return hn::DemoteTo(h, hn::BitCast(di, v)); };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    hn::StoreU(low(f(hn::BitCast(d, hn::LoadU(df(), from + i)))), h, to + i);
  if (i == n) return;
  HWY_ALIGN float rest[HWY_MAX_BYTES / 4] = {};
  HWY_ALIGN std::uint16_t half[HWY_MAX_BYTES / 4];
  for (std::size_t k = i; k < n; ++k) rest[k - i] = from[k];
  hn::Store(low(f(hn::BitCast(d, hn::Load(df(), rest)))), h, half);
  for (std::size_t k = i; k < n; ++k) to[k] = half[k - i];
}

void f16_to_float(const f16* from, float* to, std::size_t n) {
  widen(reinterpret_cast<const std::uint16_t*>(from), to, n,
        [](vu h) HWY_ATTR { return bits_of_f16(h); });
}
void bf16_to_float(const bf16* from, float* to, std::size_t n) {
  widen(reinterpret_cast<const std::uint16_t*>(from), to, n,
        [](vu h) HWY_ATTR { return hn::ShiftLeft<16>(h); });
}
void float_to_f16(const float* from, f16* to, std::size_t n) {
  narrow(from, reinterpret_cast<std::uint16_t*>(to), n,
         [](vu bits) HWY_ATTR { return f16_of_bits(bits); });
}
void float_to_bf16(const float* from, bf16* to, std::size_t n) {
  narrow(from, reinterpret_cast<std::uint16_t*>(to), n,
         [](vu bits) HWY_ATTR { return bf16_of_bits(bits); });
}
#endif

}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
