// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How elements in memory become vector lanes, for one SIMD target at a time.

#if defined(UPSWEEP_CELLS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_CELLS_INL
#undef UPSWEEP_CELLS_INL
#else
#define UPSWEEP_CELLS_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/stream_out-inl.hpp"
#include "upsweep/float16.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Elements in memory as vectors of lanes, and back: values as they are.
template <class Stored, class D>
struct cells_of {
  using cell = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using stream = stream_out<D>;
  static HWY_INLINE V load(D d, const cell* p) { return hn::LoadU(d, p); }
  static HWY_INLINE void store(D d, V v, cell* p) { hn::StoreU(v, d, p); }
  static HWY_INLINE V load_first(D d, std::size_t n, const cell* p, V pad) {
    return upsweep::HWY_NAMESPACE::load_first(d, n, p, pad);
  }
  static HWY_INLINE void store_first(D d, std::size_t n, V v, cell* p) {
    store_lanes(d, 0, n, v, p);
  }
};

// The 16-bit floats as floats. The bits are those of f16 and bf16: to nearest, ties to even,
// denormals kept, NaN stays NaN.
template <class Stored>
struct half_cells {
  using D = hn::ScalableTag<float>;
  using D16 = hn::Rebind<std::uint16_t, D>;
  using V = hn::Vec<D>;
  using cell = std::uint16_t;
  static constexpr std::size_t lanes = HWY_MAX_BYTES / 4;

  static HWY_INLINE V load(D, const cell* p) { return widen(hn::LoadU(D16(), p)); }
  static HWY_INLINE void store(D, V v, cell* p) { hn::StoreU(narrow(v), D16(), p); }
  static HWY_INLINE V load_first(D d, std::size_t n, const cell* p, V pad) {
    if (n >= lanes) return load(d, p);
    HWY_ALIGN cell x[lanes];
    hn::Store(narrow(pad), D16(), x);
    for (std::size_t l = 0; l < n; ++l) x[l] = p[l];
    return widen(hn::Load(D16(), x));
  }
  static HWY_INLINE void store_first(D, std::size_t n, V v, cell* p) {
    HWY_ALIGN cell x[lanes];
    hn::Store(narrow(v), D16(), x);
    for (std::size_t l = 0; l < HWY_MIN(n, lanes); ++l) p[l] = x[l];
  }

  // Streams where the addresses are aligned as they come, and half a vector is 16 bytes at least,
  // which is the least that can be streamed. Two halves leave in one store where alignment allows.
  class stream {
    using DW = hn::ScalableTag<std::uint16_t>;

   public:
    HWY_INLINE stream() : before_(hn::Zero(D16())) {}
    HWY_INLINE bool begin(cell* out) {
      const auto address = reinterpret_cast<std::uintptr_t>(out);
      at_ = out;
      pairs_ = address % HWY_MAX_BYTES == 0;
      held_ = false;
      return HWY_MAX_BYTES > 16 && address % (HWY_MAX_BYTES / 2) == 0;
    }
    HWY_INLINE void put(V v) {
      const V16 half = narrow(v);
      if (!pairs_)
        hn::Stream(half, D16(), at_);
      else if (held_)
        hn::Stream(hn::Combine(DW(), half, before_), DW(), at_ - lanes);
      before_ = half;
      held_ = !held_;
      at_ += lanes;
    }
    HWY_INLINE void end() {}

   private:
    cell* at_ = nullptr;
    bool pairs_ = false, held_ = false;
    hn::Vec<D16> before_;
  };

 private:
  using DU = hn::RebindToUnsigned<D>;
  using U = hn::Vec<DU>;
  using V16 = hn::Vec<D16>;

  static HWY_INLINE V widen(V16 v) {
    const U wide = hn::PromoteTo(DU(), v);
    if constexpr (std::is_same_v<Stored, bf16>) return hn::BitCast(D(), hn::ShiftLeft<16>(wide));
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    return hn::PromoteTo(D(), hn::BitCast(hn::Rebind<hwy::float16_t, D>(), v));
#else
    return hn::BitCast(D(), bits_of_f16(wide));
#endif
  }
  static HWY_INLINE V16 narrow(V v) {
    const U bits = hn::BitCast(DU(), v);
    if constexpr (std::is_same_v<Stored, bf16>) return low(bf16_of_bits(bits));
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    return hn::BitCast(D16(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
#else
    return low(f16_of_bits(bits));
#endif
  }
  static HWY_INLINE V16 low(U v) {
    return hn::DemoteTo(D16(), hn::BitCast(hn::RebindToSigned<D>(), v));
  }

  static HWY_INLINE U bits_of_f16(U h) {
    const DU d;
    const D f;
    const U sign = hn::ShiftLeft<16>(hn::And(h, hn::Set(d, 0x8000u)));
    const U magnitude = hn::And(h, hn::Set(d, 0x7fffu));
    const U normal = hn::Add(hn::ShiftLeft<13>(magnitude), hn::Set(d, 0x38000000u));
    const U quiet =
        hn::IfThenElseZero(hn::Gt(magnitude, hn::Set(d, 0x7c00u)), hn::Set(d, 0x400000u));
    const U special = hn::Or(hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(d, 0x7f800000u)), quiet);
    const hn::RebindToSigned<DU> di;
    const U small =
        hn::BitCast(d, hn::Mul(hn::ConvertTo(f, hn::BitCast(di, magnitude)), hn::Set(f, 0x1p-24f)));
    U bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x400u)), small, normal);
    bits = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7bffu)), special, bits);
    return hn::Or(bits, sign);
  }

  static HWY_INLINE U f16_of_bits(U bits) {
    const DU d;
    const D f;
    const U sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 0x8000u));
    const U magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
    const U odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 1u));
    const U normal =
        hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(d, 0x38000000u - 0xfffu)), odd));
    const U small = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(f, magnitude), hn::Set(f, 0.5f))),
                            hn::Set(d, 0x3f000000u));
    const U nan =
        hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d, 0x1ffu)), hn::Set(d, 0x7e00u));
    U half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x38800000u)), small, normal);
    half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x477fefffu)), hn::Set(d, 0x7c00u), half);
    half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, half);
    return hn::Or(half, sign);
  }

  static HWY_INLINE U bf16_of_bits(U bits) {
    const DU d;
    const U odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
    const U near = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fffu))));
    const U nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(d, 0x40u));
    const U magnitude = hn::And(bits, hn::Set(d, 0x7fffffffu));
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, 0x7f800000u)), nan, near);
  }
};
template <class D>
struct cells_of<f16, D> : half_cells<f16> {};
template <class D>
struct cells_of<bf16, D> : half_cells<bf16> {};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
