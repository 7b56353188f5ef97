// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree look-back: how a tile learns the prefix before it from the sums of the tiles to its left.
//
// Level 0 holds the sum of each tile, level q those of each aligned group of 32^q tiles. A tile
// publishes its sum at once; the last tile of a group also publishes the group's, one level up, and
// so on. The prefix before tile t is the fold of the blocks of the set bits of t, largest first. A
// warp reads the words of t's own groups left of t, one a lane and level, sums them to aligned
// blocks, the nodes, and folds those: two or three hops whatever the number of tiles, and exactly
// the association of the definition. Related: decoupled look-back (Merrill and Garland 2016) with
// any order; Fenwick trees (1994) for which blocks a prefix needs.
#pragma once

#include "upsweep/cuda/lane.cuh"
#include "upsweep/cuda/workspace.cuh"

namespace upsweep::cuda {

inline constexpr int max_nodes = 5 * max_levels;

// The words of one line.
struct line_levels {
  const levels& all;
  granule* words;
  unsigned epoch;

  template <class T>
  __device__ granule* at(int level, unsigned index) const {
    return words + static_cast<std::size_t>(all.level_start[level] + index) * granules_of<T>;
  }
};

// For each of `count` neighbouring levels: sums v of lanes [0, used) to aligned blocks, so that
// nodes[5 * level + j], for each set bit j of used, is the sum of the 2^j lanes that end where the
// bits of used down to j end. By all lanes of a warp; the levels' shuffles overlap.
template <int count, class T, class Op>
__device__ void make_nodes(T* v, const unsigned* used, T* nodes, const Op& op) {
  const unsigned lane = threadIdx.x & 31;
#pragma unroll
  for (int j = 0; j < 5; ++j)
#pragma unroll
    for (int q = 0; q < count; ++q) {
      if ((used[q] >> j & 1) != 0 && lane == (used[q] >> j << j) - 1) nodes[5 * q + j] = v[q];
      if (j == 4) continue;
      join_left(v[q], j, static_cast<int>(lane), static_cast<int>(used[q]), op);
    }
}

// A prefix that grows block by block.
template <class T, class Op>
struct folded {
  T value;
  bool any;
  __device__ void add(const Op& op, const T& block) {
    value = guarded<Op, T> && !any ? block : combine(op, value, block);
    any = true;
  }
};

// The look-back of one warp over the tiles it meets, from left to right. What is above the two
// lowest levels changes once in 1024 tiles: it is kept from tile to tile.
template <class T, class Op>
class look_back {
 public:
  // nodes: room for max_nodes values in shared memory. init: the prefix before the line, if any.
  __device__ look_back(T* nodes, const T& init, bool any, const Op& op)
      : nodes_(nodes), init_{init, any}, high_{init, any}, op_(op) {}

  folded<T, Op> start;  // the prefix before the tile, if any

  // Waits for the words left of tile t and forms start. What the tile itself holds need not be
  // known yet.
  __device__ void find(const line_levels& line, std::uint64_t line_index, unsigned t) {
    __syncwarp();  // the last tile's nodes have been read
    if (t >> 10 != high_index_ || line_index != line_index_) {
      high_index_ = t >> 10;
      line_index_ = line_index;
      high_ = init_;
      if (high_index_ != 0) find_high(line, t);
    }
    constexpr int at_once = sizeof(T) <= 12 ? 2 : 1;
#pragma unroll
    for (int low = 0; low < 2; low += at_once)
      if (t >> 5 * low != 0) collect<at_once>(line, t, low);
    __syncwarp();
    fold(t);
  }

  // The same for a line's first tile: needs nothing.
  __device__ void begin() { start = upper_ = init_; }

  // The same for tile t of a few whose sums are at hand, lane i holding that of tile i.
  __device__ void find_among(T sums, unsigned t) {
    make_nodes<1>(&sums, &t, nodes_, op_);
    __syncwarp();
    fold(t);
  }

  // The same for tile t of a few groups when the nodes of its own are there; lane i holds the sum
  // of group i.
  __device__ void find_behind(T group_sums, unsigned t) {
    const unsigned used = t >> 5;
    make_nodes<1>(&group_sums, &used, nodes_ + 5, op_);
    __syncwarp();
    fold(t);
  }

  // The prefix after the tile t that was found last, from its own sum: the blocks of the low ones
  // of t and the tile become one block of t + 1.
  __device__ T end(unsigned t, const T& own) const {
    T carried = own;
#pragma unroll 1
    for (int j = 0; (t >> j & 1) != 0; ++j) carried = combine(op_, nodes_[j], carried);
    folded<T, Op> last = upper_;
    last.add(op_, carried);
    return last.value;
  }

 private:
  template <int at_once>
  __device__ void collect(const line_levels& line, unsigned t, int low) {
    const unsigned lane = threadIdx.x & 31;
    T v[at_once];
    unsigned used[at_once], missing = 0;
#pragma unroll
    for (int q = 0; q < at_once; ++q) {
      used[q] = t >> 5 * (low + q) & 31;
      if (lane < used[q]) missing |= 1u << q;
    }
    do {
#pragma unroll
      for (int q = 0; q < at_once; ++q)
        if ((missing >> q & 1) != 0 &&
            observe(line.at<T>(low + q, (t >> 5 * (low + q) & ~31u) + lane), v[q], line.epoch))
          missing &= ~(1u << q);
    } while (__any_sync(all_lanes, missing != 0));
    make_nodes<at_once>(v, used, nodes_ + 5 * low, op_);
  }

  __device__ void find_high(const line_levels& line, unsigned t) {
#pragma unroll 1
    for (int level = 2; level < max_levels && t >> 5 * level != 0; ++level)
      collect<1>(line, t, level);
    __syncwarp();
    add_nodes(high_, t >> 10 << 10);
  }

  // Adds the nodes of the set bits, largest first.
  __device__ void add_nodes(folded<T, Op>& sum, unsigned bits) const {
#pragma unroll 1
    while (bits != 0) {
      const int j =
          31 - __clz(static_cast<int>(bits | 1));  // a node even where read before the test
      sum.add(op_, nodes_[j]);
      bits ^= 1u << j;
    }
  }

  __device__ void fold(unsigned t) {
    const int ones = __ffs(static_cast<int>(~t)) - 1;
    const unsigned upper = t >> ones << ones;
    upper_ = high_;
    if (ones <= 10) {
#pragma unroll
      for (int j = 9; j >= 0; --j)
        if ((upper >> j & 1) != 0) upper_.add(op_, nodes_[j]);
    } else {
      upper_ = init_;
      add_nodes(upper_, upper);
    }
    start = upper_;
    add_nodes(start, t ^ upper);
  }

  T* const nodes_;
  const folded<T, Op> init_;
  folded<T, Op> high_;   // the part from the third level on
  folded<T, Op> upper_;  // start without the blocks of the low ones of t
  unsigned high_index_ = 0;
  std::uint64_t line_index_ = 0;
  const Op& op_;
};

// Publishes the sums of the groups that end with the full tile t, if any, from that of the tile. By
// a whole warp. Waits for the words of the groups' other tiles, which are all held by running
// blocks.
template <class T, class Op>
__device__ void publish_groups(const line_levels& line, unsigned t, T sum, const Op& op) {
  const unsigned lane = threadIdx.x & 31;
  unsigned index = t;
  for (int q = 1; q < max_levels && (index & 31) == 31; ++q, index >>= 5) {
    T v = sum;
    if (lane < 31)
      while (!observe(line.at<T>(q - 1, (index & ~31u) + lane), v, line.epoch)) {
      }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 5; ++j) join_left(v, j, static_cast<int>(lane), everything{}, op);
    sum = v;
    if (lane == 31) publish(line.at<T>(q, index >> 5), sum, line.epoch);
  }
}

// Hands on the sum of the full tile t, and those of the groups that end with it.
template <class T, class Op>
__device__ void publish_sums(const line_levels& line, unsigned t, const T& sum, const Op& op) {
  if ((threadIdx.x & 31) == 0) publish(line.at<T>(0, t), sum, line.epoch);
  publish_groups(line, t, sum, op);
}

__device__ inline unsigned take_ticket(const levels& all) {
  return atomicAdd(&all.state->ticket, 1u);
}

// The last block to take no more tickets leaves the workspace ready for the next launch: that needs
// no other kernel and no memset, and can be replayed in a graph. By one thread of each block. In
// the launch before epochs begin anew all words are cleared: then, after all of the block's reads,
// and with fences, lest a word that a block stored overtakes the zero that another stores after it.
// Else nothing here has an order but this: a block counts itself as left when it has in hand what
// it got from the fields that are reset, so that these accesses lie behind it.
inline constexpr unsigned last_epoch = 0xffffffffu;

__device__ inline void leave(const levels& all, unsigned blocks, unsigned epoch) {
  if (epoch == last_epoch) __threadfence();
  if (atomicAdd(&all.state->left, 1u) != blocks - 1) return;
  if (epoch == last_epoch) {
    __threadfence();
    for (std::size_t i = 0; i < all.capacity; ++i) store_granule(all.words + i, {{0, 0, 0}, 0});
    epoch = 0;
  }
  *all.state = {0, 0, epoch + 1};
}

}  // namespace upsweep::cuda
