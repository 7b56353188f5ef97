// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical order on vectors, for one SIMD target at a time (Highway re-includes this file).
//
// A leaf is two vectors of L lanes, 2L elements. Interleaving splits it into even and odd elements:
//
//   x0 x1 x2 x3 ...      even  x0 x2 ...    pair sums  even + odd      one vertical operation
//                        odd   x1 x3 ...    butterfly over the lanes   log2(L) shuffles, operations
//
// The butterfly leaves, at each level, the sum of the sibling; going back from the top, a lane that
// is a right child adds its left sibling's sum to the carry. Leaves are joined by the same tree.
// cost(leaf): 2 log2(L) + 3 operations and log2(L) + 5 shuffles for 2L elements.

#if defined(UPSWEEP_TREE_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_KERNEL_INL
#undef UPSWEEP_TREE_KERNEL_INL
#else
#define UPSWEEP_TREE_KERNEL_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "upsweep/cpu/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128  // they take cpu::template_run

struct add {
  template <class V>
  static HWY_INLINE V apply(V left, V right) {
    return hn::Add(left, right);
  }
};
struct signed_max {
  template <class V>
  static HWY_INLINE V apply(V left, V right) {
    return hn::Max(left, right);
  }
};

// Lane l of the pair sums belongs to pair q. With 4-byte lanes a 16-byte unit holds one pair of the
// first vector, one of the second, then the next of each; with 8-byte lanes one of each.
template <class T, std::size_t lanes>
struct lane_tables {
  static constexpr std::size_t in_unit = 8 / sizeof(T);  // pairs of one vector in a 16-byte unit
  alignas(64) T right_in_unit[lanes], right_unit1[lanes], right_unit2[lanes], right_vector[lanes];
  alignas(64) T last[lanes];
  alignas(64) hwy::MakeSigned<T> next_pair[lanes];

  static constexpr std::size_t pair_of_lane(std::size_t lane) {
    const std::size_t unit = lane / (2 * in_unit), within = lane % (2 * in_unit);
    return (within % 2) * (lanes / 2) + unit * in_unit + within / 2;
  }
  constexpr lane_tables() {
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t q = pair_of_lane(l), unit = l / (2 * in_unit);
      right_in_unit[l] = T(q % in_unit);
      right_unit1[l] = T(unit & 1);
      right_unit2[l] = T(unit >> 1 & 1);
      right_vector[l] = T(l & 1);
      last[l] = T(q == lanes - 1);
      for (std::size_t m = 0; m < lanes; ++m)
        if (pair_of_lane(m) == q + 1 || q == lanes - 1)
          next_pair[l] = static_cast<hwy::MakeSigned<T>>(m);
    }
  }
};
template <class T, std::size_t lanes>
inline constexpr lane_tables<T, lanes> tables;

// Everything about one leaf that does not change from leaf to leaf.
template <class D, class Op>
struct leaf_kernel {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);
  static constexpr std::size_t size = 2 * lanes;
  static constexpr int units_log2 = HWY_MAX_BYTES == 64 ? 2 : HWY_MAX_BYTES == 32 ? 1 : 0;

  D d;
  M right_in_unit, right_unit1, right_unit2, right_vector, last;
  decltype(hn::SetTableIndices(D{}, static_cast<const hwy::MakeSigned<T>*>(nullptr))) next_pair;

  HWY_INLINE leaf_kernel() {
    const auto& t = tables<T, lanes>;
    right_in_unit = mask(t.right_in_unit);
    right_unit1 = mask(t.right_unit1);
    right_unit2 = mask(t.right_unit2);
    right_vector = mask(t.right_vector);
    last = mask(t.last);
    next_pair = hn::SetTableIndices(d, t.next_pair);
  }
  HWY_INLINE M mask(const T* bits) const {
    return hn::Eq(hn::Load(d, bits), hn::Set(d, T(1)));
  }

  // A leaf after its up-sweep.
  struct state {
    V even, odd;               // elements
    V sibling[4];              // the sibling's sum on each level, bottom first
    V sum;                     // of the whole leaf, in every lane
  };

  HWY_INLINE state up(V first, V second) const {
    state s;
    s.even = interleave_even(first, second);
    s.odd = interleave_odd(first, second);
    s.sum = Op::apply(s.even, s.odd);
    if constexpr (sizeof(T) == 4) {
      s.sibling[0] = hn::Shuffle1032(s.sum);
      s.sum = Op::apply(s.sum, s.sibling[0]);
    }
    if constexpr (units_log2 >= 1) {
      s.sibling[1] = hn::SwapAdjacentBlocks(s.sum);
      s.sum = Op::apply(s.sum, s.sibling[1]);
    }
    if constexpr (units_log2 >= 2) {
      s.sibling[2] = hn::ConcatLowerUpper(d, s.sum, s.sum);
      s.sum = Op::apply(s.sum, s.sibling[2]);
    }
    if constexpr (sizeof(T) == 4)
      s.sibling[3] = hn::Shuffle2301(s.sum);
    else
      s.sibling[3] = hn::Shuffle01(s.sum);
    s.sum = Op::apply(s.sum, s.sibling[3]);
    return s;
  }

  // carry: the prefix before the leaf; after: the prefix behind it; both in every lane.
  template <bool inclusive>
  HWY_INLINE void down(const state& s, V carry, V after, V& first, V& second) const {
    V before = descend(right_vector, carry, s.sibling[3]);  // prefix before each lane's pair
    if constexpr (units_log2 >= 2) before = descend(right_unit2, before, s.sibling[2]);
    if constexpr (units_log2 >= 1) before = descend(right_unit1, before, s.sibling[1]);
    if constexpr (sizeof(T) == 4) before = descend(right_in_unit, before, s.sibling[0]);
    const V middle = Op::apply(before, s.even);
    V even, odd;
    if constexpr (inclusive) {
      even = middle;
      odd = hn::IfThenElse(last, after, hn::TableLookupLanes(before, next_pair));
    } else {
      even = before;
      odd = middle;
    }
    first = interleave_even(even, odd);
    second = interleave_odd(even, odd);
  }

 private:
  // a0 b0 a2 b2 ... and a1 b1 a3 b3 ...: the two undo themselves.
  HWY_INLINE V interleave_even(V a, V b) const {
    if constexpr (sizeof(T) == 4)
      return hn::OddEven(hn::Shuffle2301(b), a);
    else
      return hn::InterleaveLower(d, a, b);
  }
  HWY_INLINE V interleave_odd(V a, V b) const {
    if constexpr (sizeof(T) == 4)
      return hn::OddEven(b, hn::Shuffle2301(a));
    else
      return hn::InterleaveUpper(d, a, b);
  }
  static HWY_INLINE V descend(M right_child, V carry, V left_sibling) {
    return hn::IfThenElse(right_child, Op::apply(carry, left_sibling), carry);
  }
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
