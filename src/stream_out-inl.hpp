// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the cache, for one SIMD target at a time.

#if defined(UPSWEEP_STREAM_OUT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_STREAM_OUT_INL
#undef UPSWEEP_STREAM_OUT_INL
#else
#define UPSWEEP_STREAM_OUT_INL
#endif

#include <cstddef>
#include <cstdint>

#include "src/tree_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// Writes vectors one behind the other past the cache. Such stores need aligned addresses, so where
// out is not aligned each vector is rotated by the misalignment and completed from its neighbour.
template <class D>
class stream_out {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);

 public:
  HWY_INLINE stream_out() : before_(hn::Zero(d_)), pending_(hn::FirstN(d_, 0)) {}

  // Starts at out; false if its alignment makes streaming impossible.
  HWY_INLINE bool begin(T* out) {
    if (reinterpret_cast<std::uintptr_t>(out) % sizeof(T) != 0) return false;
    shift_ = reinterpret_cast<std::uintptr_t>(out) % HWY_MAX_BYTES / sizeof(T);
    at_ = out - shift_;
    if (shift_ == 0) return true;
    HWY_ALIGN hwy::MakeSigned<T> from[lanes];
    for (std::size_t l = 0; l < lanes; ++l)
      from[l] = static_cast<hwy::MakeSigned<T>>((l + lanes - shift_) % lanes);
    rotate_ = hn::SetTableIndices(d_, from);
    pending_ = hn::FirstN(d_, shift_);
    first_ = true;
    return true;
  }
  HWY_INLINE void put(V v) {
    if (shift_ == 0) {
      hn::Stream(v, d_, at_);
    } else {
      const V rotated = hn::TableLookupLanes(v, rotate_);
      if (HWY_UNLIKELY(first_))
        store_lanes(d_, shift_, lanes, rotated, at_);
      else
        hn::Stream(hn::IfThenElse(pending_, before_, rotated), d_, at_);
      before_ = rotated;
      first_ = false;
    }
    at_ += lanes;
  }
  // Completes the last vector.
  HWY_INLINE void end() {
    if (shift_ != 0 && !first_) store_lanes(d_, 0, shift_, before_, at_);
  }

 private:
  D d_;
  T* at_ = nullptr;
  std::size_t shift_ = 0;
  bool first_ = false;
  V before_;
  hn::Mask<D> pending_;
  decltype(hn::SetTableIndices(D{}, static_cast<const hwy::MakeSigned<T>*>(nullptr))) rotate_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
