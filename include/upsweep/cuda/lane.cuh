// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one lane does: 16-byte vectors of elements, and the tree over the items of a vector.
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
// mine and theirs are neighbouring blocks; theirs is the left one where theirs_left.
template <class T, class Op>
__device__ T combine_neighbours(const Op& op, const T& mine, const T& theirs, bool theirs_left) {
  if constexpr (harmless<Op, T>)
    return combine(op, mine, theirs);
  else
    return theirs_left ? combine(op, theirs, mine) : combine(op, mine, theirs);
}

// Sums over 2^levels neighbours, lane by lane, of which the first `full` hold sums of full blocks.
// theirs[j] becomes the sum of the neighbour at level j: where bit j of the lane is set, the block
// to the left. Returns the sum of all, right where all are full. Levels from `used` on are left
// out.
template <int levels, class T, class Op>
__device__ T sum_neighbours(T sum, T* theirs, int lane, int full, const Op& op, int used = levels) {
#pragma unroll
  for (int j = 0; j < levels; ++j) {
    if (j < used) {
      theirs[j] = from_partner(sum, 1 << j);
      if (!guarded<Op, T> || (lane | ((2 << j) - 1)) < full)
        sum = combine_neighbours(op, sum, theirs[j], (lane >> j & 1) != 0);
    }
  }
  return sum;
}

// The prefix before a lane, from that before the first (where there is one: has) and the blocks to
// its left, largest first. For full lanes and the first that is not.
template <int levels, class T, class Op>
__device__ T prefix_of_lane(T start, bool& has, const T* theirs, int lane, int full, const Op& op) {
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
template <int begin, int size, class T, class Op>
__device__ T block_sum(const T* x, const Op& op, int m) {
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
template <int begin, int size, class T, class Op>
__device__ void block_prefixes(const T* x, T* before, bool has, const Op& op, int m) {
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

// As many neighbouring elements as fill 16 bytes, or one element whose size does not divide 16.
template <class E>
struct lane_vector {
  static constexpr int items = 16 % sizeof(E) == 0 ? static_cast<int>(16 / sizeof(E)) : 1;
  static constexpr std::size_t bytes = items * sizeof(E);
  static constexpr bool quads = bytes % 16 == 0;
  static constexpr int words = static_cast<int>((bytes + 3) / 4);

  unsigned word[words];

  __device__ E operator[](int i) const {
    E e;
    memcpy(static_cast<void*>(&e), reinterpret_cast<const unsigned char*>(word) + i * sizeof(E),
           sizeof(E));
    return e;
  }
  __device__ void set(int i, const E& e) {
    memcpy(reinterpret_cast<unsigned char*>(word) + i * sizeof(E), &e, sizeof(E));
  }

  // From an address that is aligned as E, or else (aligned) to 16 bytes. Reads whole quads.
  template <bool aligned>
  __device__ void load_shared(const unsigned char* at) {
    if constexpr (quads && aligned) {
#pragma unroll
      for (int i = 0; i < words / 4; ++i)
        set_quad(word + 4 * i, reinterpret_cast<const uint4*>(at)[i]);
    } else if constexpr (quads) {
      const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at)) & 15u;
      const uint4* const quad = reinterpret_cast<const uint4*>(at - shift);
      if (shift == 0) {
#pragma unroll
        for (int i = 0; i < words / 4; ++i) set_quad(word + 4 * i, quad[i]);
      } else {
        unsigned wide[words + 4];
#pragma unroll
        for (int i = 0; i < words / 4 + 1; ++i) set_quad(wide + 4 * i, quad[i]);
        shift_down(wide, shift);
      }
    } else {
      set(0, *reinterpret_cast<const E*>(at));
    }
  }

  // From global memory; the first m items exist.
  __device__ void load_global(const E* at, bool aligned, int m) {
    if (quads && aligned && m >= items) {
#pragma unroll
      for (int i = 0; i < words / 4; ++i)
        set_quad(word + 4 * i, reinterpret_cast<const uint4*>(at)[i]);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (i < m) set(i, at[i]);
    }
  }

  // Items at first, first - 1, ...; the first m exist.
  __device__ void load_global_reversed(const E* first, int m) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) set(i, first[-i]);
  }

  // The last item becomes the first.
  __device__ void reverse() {
    if constexpr (items > 1) {
      lane_vector turned;
#pragma unroll
      for (int i = 0; i < items; ++i) turned.set(i, (*this)[items - 1 - i]);
      *this = turned;
    }
  }

 private:
  __device__ static void set_quad(unsigned* to, const uint4& q) {
    to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
  }
  // word = the bytes of wide from shift on; shift is the same in all lanes.
  __device__ void shift_down(unsigned* wide, unsigned shift) {
#pragma unroll
    for (int i = 0; i < words + 2; ++i) wide[i] = shift & 8u ? wide[i + 2] : wide[i];
#pragma unroll
    for (int i = 0; i < words + 1; ++i) wide[i] = shift & 4u ? wide[i + 1] : wide[i];
#pragma unroll
    for (int i = 0; i < words; ++i)
      word[i] = __funnelshift_r(wide[i], wide[i + 1], 8 * (shift & 3u));
  }
};

}  // namespace upsweep::cuda
