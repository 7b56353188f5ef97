// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical order on vectors, for one SIMD target at a time (Highway re-includes this file).
//
// A vector of L lanes is a row of 16-byte units of K lanes each: K = 4 for 4-byte values, else 2. A
// leaf is K vectors, K L elements. Splitting neighbours makes the first log2(K) levels of the tree
// vertical; then lane i of unit u holds the sum of group u of vector i:
//
//   vectors   x0 x1 x2 x3 ...   even  x0 x2 ...   odd  x1 x3 ...    pairs  = even + odd
//   K = 4     the same once more with pairs                         groups = even + odd pairs
//   butterfly over the units, then over the lanes of a unit: log2(L) shuffles and operations
//
// The butterfly leaves, on each level, the sum of the sibling; going back from the top, a lane that
// is a right child adds its left sibling's sum to the carry. Leaves are joined by the same tree.
// Interleaving undoes each split, so results leave the way elements came.
// cost(leaf, K = 4): 2 log2(L) + 6 operations for 4 L elements.
//
// Where only sums are wanted, L leaves share one butterfly: each level of it merges two vectors of
// group sums into one, until each lane holds the sum of a leaf.

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

// A vector of which only the first n lanes exist in memory (n < lanes; all, if more). Vector units
// before AVX2 have no masked access: Highway would touch the lanes that do not exist.
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, std::size_t n, const hn::TFromD<D>* p, hn::Vec<D> pad) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  const auto there = hn::FirstN(d, n);
  return hn::IfThenElse(there, hn::MaskedLoad(there, d, p), pad);
#else
  constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(hn::TFromD<D>);
  if (n >= lanes) return hn::LoadU(d, p);
  HWY_ALIGN hn::TFromD<D> x[lanes];
  hn::Store(pad, d, x);
  for (std::size_t l = 0; l < n; ++l) x[l] = p[l];
  return hn::Load(d, x);
#endif
}

// Writes lanes [first, n) of v to their places behind p.
template <class D>
HWY_INLINE void store_lanes(D d, std::size_t first, std::size_t n, hn::Vec<D> v, hn::TFromD<D>* p) {
  constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(hn::TFromD<D>);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::AndNot(hn::FirstN(d, first), hn::FirstN(d, HWY_MIN(n, lanes))), d, p);
#else
  HWY_ALIGN hn::TFromD<D> x[lanes];
  hn::Store(v, d, x);
  for (std::size_t l = first; l < HWY_MIN(n, lanes); ++l) p[l] = x[l];
#endif
}

// Lane l of the group sums, which is lane i of unit u, belongs to group i L / K + u.
template <class T, std::size_t lanes>
struct lane_tables {
  static constexpr std::size_t in_unit = 16 / sizeof(T);
  alignas(64) T right_lane1[lanes], right_lane2[lanes], right_unit1[lanes], right_unit2[lanes];
  alignas(64) T last[lanes];
  alignas(64) hwy::MakeSigned<T> next_group[lanes];

  static constexpr std::size_t group_of_lane(std::size_t lane) {
    return lane % in_unit * (lanes / in_unit) + lane / in_unit;
  }
  constexpr lane_tables()
      : right_lane1(), right_lane2(), right_unit1(), right_unit2(), last(), next_group() {
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::size_t group = group_of_lane(l), unit = l / in_unit;
      right_lane1[l] = T(l & 1);
      right_lane2[l] = T(l >> 1 & 1);
      right_unit1[l] = T(unit & 1);
      right_unit2[l] = T(unit >> 1 & 1);
      last[l] = T(group == lanes - 1);
      for (std::size_t m = 0; m < lanes; ++m)
        if (group_of_lane(m) == group + 1 || group == lanes - 1)
          next_group[l] = static_cast<hwy::MakeSigned<T>>(m);
    }
  }
};
template <class T, std::size_t lanes>
inline constexpr lane_tables<T, lanes> tables;

// Everything about one leaf that does not change from leaf to leaf.
template <class D, class Op>
class leaf_kernel {
 public:
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);
  static constexpr std::size_t vectors = 16 / sizeof(T);
  static constexpr std::size_t size = vectors * lanes;

  HWY_INLINE leaf_kernel() {
    const auto& t = tables<T, lanes>;
    right_lane1_ = mask(t.right_lane1);
    right_lane2_ = mask(t.right_lane2);
    right_unit1_ = mask(t.right_unit1);
    right_unit2_ = mask(t.right_unit2);
    last_ = mask(t.last);
    next_group_ = hn::SetTableIndices(d_, t.next_group);
  }

  // A leaf after its up-sweep.
  struct state {
    V even[vectors / 2];           // the left element of each pair
    V left_pair;                   // K = 4: the sum of the left pair of each group
    V lane1, lane2, unit1, unit2;  // the sibling's sum on each level of the butterfly
    V sum;                         // of the whole leaf, in every lane
  };

  HWY_INLINE state up(const V (&x)[vectors]) const {
    state s;
    s.sum = groups(x, s);
    if constexpr (HWY_MAX_BYTES >= 32) join(s.sum, s.unit1 = hn::SwapAdjacentBlocks(s.sum));
    if constexpr (HWY_MAX_BYTES >= 64)
      join(s.sum, s.unit2 = hn::ConcatLowerUpper(d_, s.sum, s.sum));
    if constexpr (vectors == 4) {
      join(s.sum, s.lane1 = hn::Shuffle2301(s.sum));
      join(s.sum, s.lane2 = hn::Shuffle1032(s.sum));
    } else {
      join(s.sum, s.lane1 = hn::Shuffle01(s.sum));
    }
    return s;
  }

  // The group sums of a leaf; leaves in s what the way down needs of them.
  HWY_INLINE V groups(const V (&x)[vectors], state& s) const {
    s.even[0] = evens(x[0], x[1]);
    const V pairs = Op::apply(s.even[0], odds(x[0], x[1]));
    if constexpr (vectors == 2) {
      return pairs;
    } else {
      s.even[1] = evens(x[2], x[3]);
      const V more = Op::apply(s.even[1], odds(x[2], x[3]));
      s.left_pair = evens(pairs, more);
      return Op::apply(s.left_pair, odds(pairs, more));
    }
  }

  // One level of the butterfly for two vectors at once, the left one first in each unit's order;
  // level counts from 0. After the last, the lanes are the groups of a leaf of leaves.
  template <int level>
  HWY_INLINE V merge(V a, V b) const {
    constexpr int unit_levels = HWY_MAX_BYTES / 32;
    if constexpr (level >= unit_levels)
      return Op::apply(evens(a, b), odds(a, b));
    else if constexpr (level + 1 == unit_levels)
      return Op::apply(hn::ConcatLowerLower(d_, b, a), hn::ConcatUpperUpper(d_, b, a));
    else
      return Op::apply(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a),
                       hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)));
  }

  // The sum over the lanes of group sums, in every lane.
  HWY_INLINE V total(V groups) const {
    if constexpr (HWY_MAX_BYTES >= 32) join(groups, hn::SwapAdjacentBlocks(groups));
    if constexpr (HWY_MAX_BYTES >= 64) join(groups, hn::ConcatLowerUpper(d_, groups, groups));
    if constexpr (vectors == 4) {
      join(groups, hn::Shuffle2301(groups));
      join(groups, hn::Shuffle1032(groups));
    } else {
      join(groups, hn::Shuffle01(groups));
    }
    return groups;
  }

  // carry: the prefix before the leaf; after: the prefix behind it; both in every lane.
  template <bool inclusive>
  HWY_INLINE void down(const state& s, V carry, V after, V (&y)[vectors]) const {
    V before = carry;  // the prefix before each lane's group
    if constexpr (vectors == 4) before = descend(right_lane2_, before, s.lane2);
    before = descend(right_lane1_, before, s.lane1);
    if constexpr (HWY_MAX_BYTES >= 64) before = descend(right_unit2_, before, s.unit2);
    if constexpr (HWY_MAX_BYTES >= 32) before = descend(right_unit1_, before, s.unit1);
    V behind = before;
    if constexpr (inclusive)
      behind = hn::IfThenElse(last_, after, hn::TableLookupLanes(before, next_group_));
    if constexpr (vectors == 4) {
      const V middle = Op::apply(before, s.left_pair);
      pair<inclusive>(zip_lower(before, middle), s.even[0],
                      inclusive ? zip_lower(middle, behind) : behind, y[0], y[1]);
      pair<inclusive>(zip_upper(before, middle), s.even[1],
                      inclusive ? zip_upper(middle, behind) : behind, y[2], y[3]);
    } else {
      pair<inclusive>(before, s.even[0], behind, y[0], y[1]);
    }
  }

 private:
  HWY_INLINE M mask(const T* bits) const { return hn::Eq(hn::Load(d_, bits), hn::Set(d_, T(1))); }
  static HWY_INLINE void join(V& sum, V sibling) { sum = Op::apply(sum, sibling); }
  static HWY_INLINE V descend(M right_child, V carry, V left_sibling) {
    return hn::IfThenElse(right_child, Op::apply(carry, left_sibling), carry);
  }
  // The results of a pair of vectors, from the prefixes before and behind each pair of elements.
  template <bool inclusive>
  HWY_INLINE void pair(V before, V even, V behind, V& y0, V& y1) const {
    const V middle = Op::apply(before, even);
    const V left = inclusive ? middle : before, right = inclusive ? behind : middle;
    y0 = zip_lower(left, right);
    y1 = zip_upper(left, right);
  }
  // Of each unit, a0 a2 b0 b2 and a1 a3 b1 b3; or a0 b0 and a1 b1. Highway has no such shuffle for
  // units of four: with two operations and two blends the kernel was a tenth slower on AVX2.
  static HWY_INLINE V evens(V a, V b) { return split<0x88>(a, b); }
  static HWY_INLINE V odds(V a, V b) { return split<0xdd>(a, b); }
  template <int lanes_of_unit>
  static HWY_INLINE V split(V a, V b) {
    const D d;
    if constexpr (vectors == 2) {
      return lanes_of_unit == 0x88 ? hn::InterleaveLower(d, a, b) : hn::InterleaveUpper(d, a, b);
    } else {
#if HWY_ARCH_X86
      const hn::RebindToFloat<D> f;
      const auto x = hn::BitCast(f, a), y = hn::BitCast(f, b);
#if HWY_TARGET == HWY_AVX3
      const auto z = _mm512_shuffle_ps(x.raw, y.raw, lanes_of_unit);
#elif HWY_TARGET == HWY_AVX2
      const auto z = _mm256_shuffle_ps(x.raw, y.raw, lanes_of_unit);
#else
      const auto z = _mm_shuffle_ps(x.raw, y.raw, lanes_of_unit);
#endif
      return hn::BitCast(d, hn::Vec<decltype(f)>{z});
#else
      return lanes_of_unit == 0x88 ? hn::ConcatEven(d, b, a) : hn::ConcatOdd(d, b, a);
#endif
    }
  }
  // a0 b0 a1 b1 and a2 b2 a3 b3; or a0 b0 and a1 b1.
  HWY_INLINE V zip_lower(V a, V b) const { return hn::InterleaveLower(d_, a, b); }
  HWY_INLINE V zip_upper(V a, V b) const { return hn::InterleaveUpper(d_, a, b); }

  D d_;
  M right_lane1_, right_lane2_, right_unit1_, right_unit2_, last_;
  decltype(hn::SetTableIndices(D{}, static_cast<const hwy::MakeSigned<T>*>(nullptr))) next_group_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
