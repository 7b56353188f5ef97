// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes do together, and the tree over the items that one of them holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/operators.hpp"

namespace upsweep::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x & 31); }
__device__ inline int warp_id() { return static_cast<int>(threadIdx.x >> 5); }

// Moves a value of any trivially copyable type between lanes, word by word.
template <class T, class Shuffle>
__device__ T shuffle(const T& value, Shuffle&& move) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned w[words] = {};
  memcpy(w, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) w[i] = move(w[i]);
  T moved;
  memcpy(static_cast<void*>(&moved), w, sizeof(T));
  return moved;
}
template <class T>
__device__ T from_partner(const T& value, int mask) {
  return shuffle(value, [=](unsigned w) { return __shfl_xor_sync(all_lanes, w, mask); });
}
template <class T>
__device__ T from_next_lane(const T& value) {
  return shuffle(value, [](unsigned w) { return __shfl_down_sync(all_lanes, w, 1); });
}

// From lane `from` of each segment of `width` lanes, a power of two.
template <class T>
__device__ T from_lane(const T& value, int from, int width) {
  return shuffle(value, [=](unsigned w) { return __shfl_sync(all_lanes, w, from, width); });
}

// The shipped operators on numbers. They commute bit for bit, and they may be applied to whatever
// lies beyond the end of the input, since nothing is made of the result.
template <class Op, class T>
inline constexpr bool harmless = std::is_arithmetic_v<T> &&
                                 (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies> ||
                                  std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum> ||
                                  std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or> ||
                                  std::is_same_v<Op, bit_xor> || std::is_same_v<Op, logical_and> ||
                                  std::is_same_v<Op, logical_or>);

// Any other operator meets real elements only, in the order of the tree.
template <class Op, class T>
inline constexpr bool guarded = !harmless<Op, T>;

// Stands for the number of items that exist, or of full lanes, where all do: no operand has to be
// checked then.
struct everything {
  __device__ friend constexpr bool operator<(int, everything) { return true; }
  __device__ friend constexpr bool operator<=(int, everything) { return true; }
  __device__ friend constexpr everything operator-(everything, int) { return {}; }
};

// A large operator is compiled once, not at the hundred places where a kernel applies it.
template <class T, class Op>
__device__ __noinline__ T combine_large(const Op& op, const T& left, const T& right) {
  return static_cast<T>(op(left, right));
}
template <class T, class Op>
__device__ T combine(const Op& op, const T& left, const T& right) {
  if constexpr (sizeof(T) > 32)
    return combine_large<T>(op, left, right);
  else
    return static_cast<T>(op(left, right));
}
// Level j of an up-sweep over lanes. Before, the last lane of each aligned block of 2^j lanes holds
// its sum; after, that of each block of twice the size does. Returns, where bit j of the lane is
// set, the sum of the block to the left. A lane beyond the first `full` applies nothing.
//
// A harmless operator may as well give the sum to all lanes of a block. Else the last lane takes
// the block to the left as left operand and the others do nothing: that costs no choice between
// operands, and all that the operator meets are blocks of the tree.
template <class T, class M, class Op>
__device__ T join_left(T& sum, int j, int lane, M full, const Op& op) {
  if constexpr (harmless<Op, T>) {
    const T theirs = from_partner(sum, 1 << j);
    sum = combine(op, sum, theirs);
    return theirs;
  } else {
    const T theirs = from_lane(sum, (1 << j) - 1, 2 << j);
    const int last = (2 << j) - 1;
    if ((lane & last) == last && lane < full) sum = combine(op, theirs, sum);
    return theirs;
  }
}

// Sums over 2^levels neighbours, lane by lane, of which the first `full` hold sums of full blocks.
// theirs[j] becomes the sum of the neighbour at level j: where bit j of the lane is set, the block
// to the left. Returns the sum of all, right where all are full. Levels from `used` on are left
// out.
template <int levels, class T, class M, class Op>
__device__ T sum_neighbours(T sum, T* theirs, int lane, M full, const Op& op, int used = levels) {
#pragma unroll
  for (int j = 0; j < levels; ++j)
    if (j < used) theirs[j] = join_left(sum, j, lane, full, op);
  return harmless<Op, T> ? sum : from_lane(sum, (1 << used) - 1, 1 << used);
}

// Level j of sum_groups: of a pair of groups each lane keeps the one that bit j of its number says,
// and hands its share of the other to the neighbour at that level.
template <class T, class Op>
__device__ T exchange_groups(const T& even, const T& odd, int j, int lane, const Op& op) {
  const bool right = (lane >> j & 1) != 0;
  T send = odd, left = even;
  if (right) send = even;
  const T theirs = from_partner(send, 1 << j);
  T last = theirs;
  if (right) left = theirs, last = odd;
  return combine(op, left, last);
}

// Sums over the 32 lanes for several groups at once: sums[k] is this lane's share of group k.
// Halves change hands until each lane works for one group, lane l for group l mod groups; so it
// takes groups - 1 exchanges, not groups log2(groups), before the common levels. The last `groups`
// lanes return the sums of the groups, in order.
template <int groups, int j = 0, class T, class Op>
__device__ T sum_groups(T* sums, int lane, const Op& op, int first = 0) {
  if constexpr (groups > 1) {
#pragma unroll
    for (int i = 0; i < groups / 2; ++i)
      sums[i] = exchange_groups(sums[2 * i], sums[2 * i + 1], j, lane, op);
    return sum_groups<groups / 2, j + 1>(sums, lane, op, j + 1);
  } else if constexpr (j < 5) {
    const T theirs = from_partner(sums[0], 1 << j);
    const int last = (2 << j) - (1 << first);  // of a block: all these bits of the lane are set
    if (harmless<Op, T> || (lane & last) == last) sums[0] = combine(op, theirs, sums[0]);
    return sum_groups<1, j + 1>(sums, lane, op, first);
  } else {
    return sums[0];
  }
}

// The prefix before a lane, from that before the first (where there is one: has) and the blocks to
// its left, largest first. For full lanes and the first that is not.
template <int levels, class T, class M, class Op>
__device__ T prefix_of_lane(T start, bool& has, const T* theirs, int lane, M full, const Op& op) {
#pragma unroll
  for (int j = levels - 1; j >= 0; --j)
    if ((lane >> j & 1) != 0) {
      if (!guarded<Op, T> || lane >> j << j <= full)
        start = guarded<Op, T> && !has ? theirs[j] : combine(op, start, theirs[j]);
      has = true;
    }
  return start;
}

// The sum of the aligned block x[begin, begin + size), of which the first m items exist: right
// where begin + size <= m, else of no use to anyone.
template <int begin, int size, class T, class Op, class M>
__device__ T block_sum(const T* x, const Op& op, M m) {
  if constexpr (size == 1) {
    return x[begin];
  } else {
    T sum = block_sum<begin, size / 2>(x, op, m);
    if (!guarded<Op, T> || begin + size <= m)
      sum = combine(op, sum, block_sum<begin + size / 2, size / 2>(x, op, m));
    return sum;
  }
}

// before[i] = the prefix that ends before item i, for begin < i < begin + size and i <= m; given
// before[begin], where there is one (has). Top down: the right half begins with the left's sum.
template <int begin, int size, class T, class Op, class M>
__device__ void block_prefixes(const T* x, T* before, bool has, const Op& op, M m) {
  if constexpr (size > 1 && exactly_associative<Op, T> && !guarded<Op, T>) {
#pragma unroll
    for (int i = begin; i < begin + size - 1; ++i) before[i + 1] = combine(op, before[i], x[i]);
  } else if constexpr (size > 1) {
    constexpr int middle = begin + size / 2;
    if (!guarded<Op, T> || middle <= m) {
      const T left = block_sum<begin, size / 2>(x, op, m);
      before[middle] = guarded<Op, T> && !has ? left : combine(op, before[begin], left);
    }
    block_prefixes<begin, size / 2>(x, before, has, op, m);
    block_prefixes<middle, size / 2>(x, before, true, op, m);
  }
}

}  // namespace upsweep::cuda
