// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion of the 16-bit floats, for one SIMD target at a time.

#if defined(UPSWEEP_FLOAT16_CONVERT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_FLOAT16_CONVERT_INL
#undef UPSWEEP_FLOAT16_CONVERT_INL
#else
#define UPSWEEP_FLOAT16_CONVERT_INL
#endif

#include <cstddef>
#include <cstdint>

#include "src/cells-inl.hpp"
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
template <class Half>
HWY_INLINE void widen_all(const Half* from, float* to, std::size_t n) {
  using cells = half_cells<Half>;
  const typename cells::D d;
  const auto* const p = reinterpret_cast<const std::uint16_t*>(from);
  std::size_t i = 0;
  for (; i + cells::lanes <= n; i += cells::lanes) hn::StoreU(cells::load(d, p + i), d, to + i);
  if (i < n) store_lanes(d, 0, n - i, cells::load_first(d, n - i, p + i, hn::Zero(d)), to + i);
}
template <class Half>
HWY_INLINE void narrow_all(const float* from, Half* to, std::size_t n) {
  using cells = half_cells<Half>;
  const typename cells::D d;
  auto* const p = reinterpret_cast<std::uint16_t*>(to);
  std::size_t i = 0;
  for (; i + cells::lanes <= n; i += cells::lanes) cells::store(d, hn::LoadU(d, from + i), p + i);
  if (i < n) cells::store_first(d, n - i, load_first(d, n - i, from + i, hn::Zero(d)), p + i);
}
void f16_to_float(const f16* from, float* to, std::size_t n) { widen_all(from, to, n); }
void bf16_to_float(const bf16* from, float* to, std::size_t n) { widen_all(from, to, n); }
void float_to_f16(const float* from, f16* to, std::size_t n) { narrow_all(from, to, n); }
void float_to_bf16(const float* from, bf16* to, std::size_t n) { narrow_all(from, to, n); }
#endif

}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
