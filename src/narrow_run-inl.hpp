// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of 1- and 2-byte integers, for one SIMD target at a time. They wrap and are exactly
// associative, so any order gives the canonical bits: a Hillis-Steele scan inside each 16-byte unit
// (shifts by whole bytes are cheap there), then the totals of the units before it, then the carry.
// cost(vector of U units): log2(16 / w) + U + 2 operations for w-byte elements.

#if defined(UPSWEEP_NARROW_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_NARROW_RUN_INL
#undef UPSWEEP_NARROW_RUN_INL
#else
#define UPSWEEP_NARROW_RUN_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
namespace hn = hwy::HWY_NAMESPACE;

// Byte tables: the last element of each unit for all of it; and for 4-byte words, the unit k before
// (first entry k = 1), and the last unit.
template <std::size_t width>
struct unit_tables {
  static constexpr std::size_t words = HWY_MAX_BYTES / 4;
  alignas(64) std::uint8_t last_in_unit[HWY_MAX_BYTES];
  alignas(64) std::int32_t before[3][words];
  alignas(64) std::uint32_t exists[3][words];
  alignas(64) std::int32_t last_unit[words];

  constexpr unit_tables() : last_in_unit(), before(), exists(), last_unit() {
    for (std::size_t i = 0; i < HWY_MAX_BYTES; ++i)
      last_in_unit[i] = static_cast<std::uint8_t>(16 - width + i % width);
    for (std::size_t i = 0; i < words; ++i) {
      last_unit[i] = static_cast<std::int32_t>(words - 4 + i % 4);
      for (std::size_t k = 0; k < 3; ++k) {
        const bool there = i >= 4 * (k + 1);
        before[k][i] = static_cast<std::int32_t>(there ? i - 4 * (k + 1) : 0);
        exists[k][i] = there ? ~std::uint32_t{0} : 0;
      }
    }
  }
};
template <std::size_t width>
inline constexpr unit_tables<width> units;

// The interface of tree_run, for the narrow integers.
template <class T, cpu::output mode>
class narrow_run {
  using U = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  using D = hn::ScalableTag<U>;
  using DW = hn::Repartition<std::uint32_t, D>;
  using DB = hn::Repartition<std::uint8_t, D>;
  using V = hn::Vec<D>;
  using index = decltype(hn::SetTableIndices(DW{}, static_cast<const std::int32_t*>(nullptr)));
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);
  static constexpr std::size_t unit_count = HWY_MAX_BYTES / 16;

 public:
  HWY_INLINE narrow_run()
      : carry_(hn::Zero(d_)),
        beside_(hn::Zero(d_)),
        last_unit_(hn::SetTableIndices(DW{}, units<sizeof(T)>.last_unit)) {}

  HWY_INLINE void run(const T* in, T* out, std::size_t n, prefix_stack<T, plus>& stack,
                      cpu::store how, cpu::side_sum<T, plus> side) {
    const std::size_t whole = n - n % lanes;
    if (whole != 0) {
      const T* const before = stack.prefix();
      const T start = before ? *before : T(0);
      const T end = vectors(reinterpret_cast<const U*>(in), reinterpret_cast<U*>(out), whole, start,
                            how == cpu::store::streaming && aligned(out),
                            reinterpret_cast<const U*>(side.in));
      stack.push_many(whole, plus{}(end, static_cast<T>(-start)));
      if (side.in) side.stack->push_many(whole, static_cast<T>(lane_total(beside_)));
    }
    if (whole == n) return;
    const T* const carry = stack.prefix();
    stack.close(n - whole, cpu::tiny_run(in + whole, mode == cpu::output::none ? out : out + whole,
                                         n - whole, carry ? *carry : T(0), plus{}, mode));
  }

 private:
  static bool aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % HWY_MAX_BYTES == 0;
  }

  // Returns the prefix behind the n elements; adds up those of side, lane by lane, in beside_.
  HWY_INLINE T vectors(const U* in, U* out, std::size_t n, T start, bool streaming, const U* side) {
    carry_ = hn::Set(d_, static_cast<U>(start));
    for (std::size_t i = 0; i < n; i += lanes) {
      if (side) {
        __builtin_prefetch(reinterpret_cast<const char*>(side + i) + 2048);
        beside_ = hn::Add(beside_, hn::LoadU(d_, side + i));
      }
      const V x = hn::LoadU(d_, in + i);
      if constexpr (mode == cpu::output::none) {
        carry_ = hn::Add(carry_, x);  // lane by lane: added up below
        continue;
      }
      V y = scan_units(x);
      V total = hn::BitCast(d_, hn::TableLookupBytes(hn::BitCast(DB{}, y), last_in_unit()));
      const V left = units_before(total);
      y = hn::Add(y, hn::Add(left, carry_));
      total = hn::Add(total, left);
      carry_ = hn::Add(carry_, whole_total(total));
      if constexpr (mode == cpu::output::exclusive) y = hn::Sub(y, x);
      if (streaming)
        hn::Stream(y, d_, out + i);
      else
        hn::StoreU(y, d_, out + i);
    }
    if constexpr (mode == cpu::output::none) {
      const V sums = hn::Sub(carry_, hn::Set(d_, static_cast<U>(start)));
      return static_cast<T>(plus{}(lane_total(sums), static_cast<U>(start)));
    }
    return static_cast<T>(hn::GetLane(carry_));
  }
  HWY_INLINE U lane_total(V sums) const {
    HWY_ALIGN U all[lanes];
    hn::Store(sums, d_, all);
    for (std::size_t l = 1; l < lanes; ++l) all[0] = plus{}(all[0], all[l]);
    return all[0];
  }

  HWY_INLINE V scan_units(V x) const {
    x = hn::Add(x, hn::ShiftLeftLanes<1>(d_, x));
    x = hn::Add(x, hn::ShiftLeftLanes<2>(d_, x));
    x = hn::Add(x, hn::ShiftLeftLanes<4>(d_, x));
    if constexpr (sizeof(T) == 1) x = hn::Add(x, hn::ShiftLeftLanes<8>(d_, x));
    return x;
  }
  HWY_INLINE V units_before(V total) const {
    V left = hn::Zero(d_);
    if constexpr (unit_count > 1) left = unit_before<0>(total);
    if constexpr (unit_count > 2)
      left = hn::Add(left, hn::Add(unit_before<1>(total), unit_before<2>(total)));
    return left;
  }
  template <int k>
  HWY_INLINE V unit_before(V total) const {
    const DW w;
    const auto& t = units<sizeof(T)>;
    const auto moved =
        hn::TableLookupLanes(hn::BitCast(w, total), hn::SetTableIndices(w, t.before[k]));
    return hn::BitCast(d_, hn::And(moved, hn::Load(w, t.exists[k])));
  }
  HWY_INLINE V whole_total(V total) const {
    if constexpr (unit_count == 1) return total;
    return hn::BitCast(d_, hn::TableLookupLanes(hn::BitCast(DW{}, total), last_unit_));
  }
  HWY_INLINE hn::Vec<DB> last_in_unit() const {
    return hn::Load(DB{}, units<sizeof(T)>.last_in_unit);
  }

  D d_;
  V carry_, beside_;
  index last_unit_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
