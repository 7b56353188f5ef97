// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a block of block_scan learns the prefixes of its tile's chunks from the sums of these and
// from the blocks to its left.
#pragma once

#include "upsweep/cuda/block_scan.cuh"

namespace upsweep::cuda {

// The prefix of every chunk of the tile, into shared memory. By the first warp, but for the barrier
// of a cluster.
template <class In, class Out, class T, class Op, int groups>
template <exchange how>
__device__ void block_of_tiles<In, Out, T, Op, groups>::find_prefixes(std::uint64_t line,
                                                                      unsigned tile, int m,
                                                                      tree& t) {
  constexpr bool by_words = how == exchange::look_back;
  const bool handed_on = m > shape::tile;  // the line goes on
  if (by_words && line_tiles_ <= 32 * shape::warps)
    return find_by_groups(levels_of(line), tile, m, t);
  if (how != exchange::cluster && warp_id() != 0) {
    if (by_words && threadIdx.x == 32) memory_.ticket = go_on();
    return;
  }
  const sums_of_chunks sums(memory_.chunk_sum, p_.op, m / shape::chunk);
  T left = sums.sum();
  if constexpr (how == exchange::cluster) {
    left = push_to_cluster(left, tile);
    if (warp_id() != 0) return;
  }
  if constexpr (by_words) {
    if (handed_on) publish_sums(levels_of(line), tile, left, p_.op);
    if (handed_on && p_.what == result::none) return;
  }
  if constexpr (short_of_registers && by_words) t.put_aside(memory_.aside);
  look_back<T, Op> look(memory_.nodes, p_.start, p_.has_start, p_.op);
  if constexpr (by_words)
    look.find(levels_of(line), line, tile);
  else if constexpr (how == exchange::cluster)
    look.find_among(left, m > 0 ? tile : 0);  // what is beyond the end has no sums to its left
  else
    look.begin();
  put_prefixes(look, sums, tile, m);
  if constexpr (short_of_registers && by_words) t.take_back(memory_.aside);
}

// The same for lines of up to 32 tiles a warp: by all warps of the block, each of which reads the
// words of all tiles of a group. So nobody waits for words of groups, which come a trip later.
template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::find_by_groups(const line_levels& at,
                                                                       unsigned tile, int m,
                                                                       tree& t) {
  const bool handed_on = m > shape::tile;
  const sums_of_chunks sums(memory_.chunk_sum, p_.op, m / shape::chunk);
  if (handed_on && threadIdx.x == 0) publish(at.at<T>(0, tile), sums.sum(), epoch_);
  const bool needed = !handed_on || p_.what != result::none;
  const bool goes_on = threadIdx.x == shape::threads - 32;
  const unsigned next = goes_on ? go_on() : 0;
  if (needed) sum_group(at, tile);  // who does not wait for the ticket
  if (goes_on) memory_.ticket = next;
  if (!needed) return;
  __syncthreads();
  if (warp_id() != 0) return;
  if constexpr (short_of_registers) t.put_aside(memory_.aside);
  look_back<T, Op> look(memory_.nodes, p_.start, p_.has_start, p_.op);
  const int full = static_cast<int>(tile / 32);
  look.find_behind(memory_.group_sum[lane_id() < full ? lane_id() : 0], tile);
  put_prefixes(look, sums, tile, m);
  if constexpr (short_of_registers) t.take_back(memory_.aside);
}

template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::put_prefixes(const look_back<T, Op>& look,
                                                                     const sums_of_chunks& sums,
                                                                     unsigned tile, int m) {
  const T end = m >= shape::tile ? look.end(tile, sums.sum()) : look.start.value;
  sums.prefixes(look.start.value, look.start.any, end, p_.op, memory_.chunk_prefix);
}

// Waits for the words left of the tile in the group that is this warp's, if any: the sum of a full
// group, or the nodes of the tile's own. The first warp, which has most to do, has the last group.
template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::sum_group(const line_levels& at,
                                                                  unsigned tile) {
  const unsigned group = static_cast<unsigned>(warp_id() + shape::warps - 1) % shape::warps;
  const unsigned first = 32 * group, lane = static_cast<unsigned>(lane_id());
  if (first >= tile) return;
  const unsigned used = tile - first < 32 ? tile - first : 32;
  T v{};
  if (lane < used)
    while (!observe(at.at<T>(0, first + lane), v, at.epoch)) {
    }
  __syncwarp();
  if (used < 32) return make_nodes<1>(&v, &used, memory_.nodes, p_.op);
  T unused[5];
  const T sum = sum_neighbours<5>(v, unused, lane_id(), everything{}, p_.op);
  if (lane == 0) memory_.group_sum[group] = sum;
}

// Hands this block's sum to the blocks after it and returns, in lane i, that of block i. A block
// must have begun before its memory is written: the first barrier; and must not use what was
// written before all have: the second. Nobody reads another's memory, so any may end first.
template <class In, class Out, class T, class Op, int groups>
__device__ T block_of_tiles<In, Out, T, Op, groups>::push_to_cluster(const T& sum, unsigned rank) {
#if __CUDA_ARCH__ >= 900
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_wait();
  const unsigned to = threadIdx.x;
  if (to > rank && to < cluster.num_blocks())
    *cluster.map_shared_rank(&memory_.cluster_sum[rank], to) = sum;
  cluster.sync();
#endif
  const int lane = lane_id();
  return memory_.cluster_sum[lane < max_cluster ? lane : 0];
}

}  // namespace upsweep::cuda
