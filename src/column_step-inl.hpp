// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vector kernel for strips of columns, for one SIMD target at a time.

#if defined(UPSWEEP_COLUMN_STEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_COLUMN_STEP_INL
#undef UPSWEEP_COLUMN_STEP_INL
#else
#define UPSWEEP_COLUMN_STEP_INL
#endif

#include <cstddef>
#include <cstdint>

#include "src/lanes-inl.hpp"
#include "upsweep/cpu/columns.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Eight rows of a strip of columns; see cpu::row_step. All operations are vertical.
template <class T, class ScanOp>
class column_step {
  using map = lanes_of<T, ScanOp>;
  using lane = typename map::lane;
  using op = typename map::op;
  using D = hn::ScalableTag<lane>;
  using V = hn::Vec<D>;

 public:
  // Columns taken at once: a cache line, which then goes out whole.
  static constexpr std::size_t width = HWY_MAX(64 / HWY_MAX_BYTES, 1) * HWY_MAX_BYTES / sizeof(T);

  HWY_INLINE explicit column_step(const cpu::row_step<T>& step) : s_(step), streams_(aligned()) {}

  // Columns [c, c + width).
  template <cpu::output mode>
  HWY_INLINE void columns(std::size_t c) const {
    // Rows may be pages apart, where no processor looks ahead by itself.
    if (s_.ahead != 0)
      for (const T* row : s_.in) __builtin_prefetch(row + c + s_.ahead, 0, 2);
    V y[width / lanes][8];
    for (std::size_t v = 0; v < width / lanes; ++v) vector<mode>(c + v * lanes, y[v]);
    if constexpr (mode != cpu::output::none)
      for (std::size_t row = 0; row < (mode == cpu::output::exclusive ? 8 : 7); ++row)
        for (std::size_t v = 0; v < width / lanes; ++v) put(row, c + v * lanes, y[v][row]);
  }

 private:
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);

  // The results of a vector of columns: of eight rows, or all but the last of them.
  template <cpu::output mode>
  HWY_INLINE void vector(std::size_t c, V (&y)[8]) const {
    const V x0 = load(s_.in[0] + c), x1 = load(s_.in[1] + c), x2 = load(s_.in[2] + c);
    const V x3 = load(s_.in[3] + c), x4 = load(s_.in[4] + c), x5 = load(s_.in[5] + c);
    const V x6 = load(s_.in[6] + c), x7 = load(s_.in[7] + c);
    const V s01 = op::apply(x0, x1), s23 = op::apply(x2, x3);
    const V s45 = op::apply(x4, x5), s67 = op::apply(x6, x7);
    const V s03 = op::apply(s01, s23), s47 = op::apply(s45, s67);
    hn::StoreU(map::from(d_, op::apply(s03, s47)), d_, to_lanes(s_.sum + c));
    if constexpr (mode != cpu::output::none) {
      constexpr std::size_t shift = mode == cpu::output::exclusive ? 1 : 0;
      const V p0 = load(s_.carry + c);
      const V p2 = op::apply(p0, s01), p4 = op::apply(p0, s03), p6 = op::apply(p4, s45);
      if constexpr (shift != 0) y[0] = p0;
      y[0 + shift] = op::apply(p0, x0);
      y[1 + shift] = p2;
      y[2 + shift] = op::apply(p2, x2);
      y[3 + shift] = p4;
      y[4 + shift] = op::apply(p4, x4);
      y[5 + shift] = p6;
      y[6 + shift] = op::apply(p6, x6);
    }
  }
  static HWY_INLINE lane* to_lanes(T* p) { return reinterpret_cast<lane*>(p); }
  HWY_INLINE V load(const T* p) const {
    return map::to(d_, hn::LoadU(d_, reinterpret_cast<const lane*>(p)));
  }
  HWY_INLINE void put(std::size_t row, std::size_t c, V v) const {
    lane* const p = to_lanes(s_.out[row] + c);
    if (streams_)
      hn::Stream(map::from(d_, v), d_, p);
    else
      hn::StoreU(map::from(d_, v), d_, p);
  }
  HWY_INLINE bool aligned() const {
    if (s_.how != cpu::store::streaming || s_.mode == cpu::output::none) return false;
    for (const T* row : s_.out)
      if (reinterpret_cast<std::uintptr_t>(row) % HWY_MAX_BYTES != 0) return false;
    return true;
  }

  D d_;
  const cpu::row_step<T>& s_;
  bool streams_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
