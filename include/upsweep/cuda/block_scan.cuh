// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan by plain loads: a block of warps takes a tile into registers, sums it, learns the
// prefix before it, and stores. It serves every device, and small arrays on all of them.
//
// Blocks hand sums on in one of three ways: not at all (one tile), through the shared memory of a
// cluster (few tiles, compute capability 9.0 and later; no workspace needed), or by tree look-back.
#pragma once

#include <cooperative_groups.h>

#include "upsweep/cuda/look_back.cuh"
#include "upsweep/cuda/problem.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/tile_sums.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

enum class exchange { alone, cluster, look_back };

inline constexpr int max_cluster = 8;  // blocks in a cluster that every such device can hold

template <class In, class T, int groups>
struct block_shape {
  static constexpr int warps = sizeof(T) <= 8 ? 16 : 8, threads = 32 * warps;
  static constexpr int blocks = groups == 1 && sizeof(T) <= 8 ? 2 : 1;  // registers for so many
  static constexpr int chunk = groups * 32 * lane_vector<In>::items;
  static constexpr int tile = warps * chunk;
};

// Three barriers a tile keep this and the ticket from tile to tile: after the ticket (1), after the
// sums (2), after the prefixes (3). The ticket is read before 2 and written after 3. chunk_sum is
// written between 1 and 2, read by the first warp between 2 and 3; nodes are that warp's
// alone. chunk_prefix is written between 2 and 3 and read between 3 and the next 1. Where all words
// are read (find_by_groups), a fourth lies between 2 and 3: before it the warps write nodes and
// group_sum, after it the first warp reads them.
template <class T, int warps>
struct block_memory {
  T chunk_sum[warps], chunk_prefix[warps + 1], nodes[max_nodes], cluster_sum[max_cluster];
  T group_sum[warps];
};

template <class In, class Out, class T, class Op, int groups>
class block_of_tiles {
 public:
  using shape = block_shape<In, T, groups>;
  using memory = block_memory<T, shape::warps>;
  // Whether left neighbours' sums stay in registers: where that spills none (measured).
  static constexpr bool keep_left =
      groups == 1 ? sizeof(T) <= 4 : std::is_floating_point_v<T> && std::is_same_v<Op, plus>;
  using tree = warp_tree<In, T, Op, groups, keep_left>;

  __device__ block_of_tiles(const problem<In, Out, T, Op>& p, const levels& words, exchange how)
      : p_(p), words_(words), how_(how), memory_(*reinterpret_cast<memory*>(shared())) {
    n_ = p.length();
    line_tiles_ = static_cast<unsigned>((n_ + shape::tile - 1) / shape::tile);
    tiles_ = line_tiles_ * p.lines;
  }

  __device__ void run() {
    if (n_ == 0 && blockIdx.x == 0) put_empty_totals(p_);
    if (how_ != exchange::look_back) {  // the blocks of a cluster, or the lines, are the tiles
      one_tile(blockIdx.x);
      return;
    }
    __shared__ unsigned ticket, epoch;
    do {
      if (threadIdx.x == 0) ticket = take_ticket(words_), epoch = words_.state->epoch;
      __syncthreads();
      const unsigned mine = ticket;
      epoch_ = epoch;
      last_ = mine >= tiles_ || (gridDim.x >= tiles_ && epoch_ != last_epoch);
      if (mine < tiles_) one_tile(mine);
      if (mine >= tiles_ && threadIdx.x == 0) leave(words_, gridDim.x, epoch_);
    } while (!last_);
  }

 private:
  __device__ static unsigned char* shared() {
    __shared__ __align__(16) unsigned char bytes[sizeof(memory)];
    return bytes;
  }

  __device__ void one_tile(unsigned index);
  __device__ T push_to_cluster(const T& sum, unsigned rank);
  __device__ void find_prefixes(std::uint64_t line, unsigned tile, int m);
  __device__ void find_by_groups(const line_levels& at, unsigned tile, int m);
  __device__ void sum_group(const line_levels& at, unsigned tile);
  __device__ line_levels levels_of(std::uint64_t line) const {
    return {words_, words_.words + line * words_.line_words * granules_of<T>, epoch_};
  }

  __device__ void load(tree& t, std::int64_t line, std::uint64_t position, int m) const {
    const In* const first = p_.in + line;
    const auto start = static_cast<std::int64_t>(position) + warp_id() * shape::chunk;
    const In* const low = p_.in_reversed ? first - start - (tree::items - 1) : first + start;
    const bool aligned = reinterpret_cast<std::uintptr_t>(low) % 16 == 0;
#pragma unroll
    for (int k = 0; k < groups; ++k) {
      const int offset = k * tree::group_items + lane_id() * tree::items;
      const int here = m - offset;
      if (here >= tree::items || !p_.in_reversed)
        t.raw[k].load_global(p_.in_reversed ? low - offset : low + offset, aligned, here);
      else
        t.raw[k].load_global_reversed(first - start - offset, here);
      if (p_.in_reversed && here >= tree::items) t.raw[k].reverse();
    }
  }

  const problem<In, Out, T, Op>& p_;
  const levels& words_;
  exchange how_;
  memory& memory_;
  std::uint64_t n_;
  unsigned line_tiles_, tiles_, epoch_ = 0;
  bool last_ = false;  // whether the block takes no ticket after this one
};

template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::one_tile(unsigned index) {
  const unsigned line = p_.lines == 1 ? 0 : index / line_tiles_;
  const unsigned tile = index - line * line_tiles_;
  const std::uint64_t position = std::uint64_t{tile} * shape::tile;
  const bool exists = tile < line_tiles_;  // a cluster may have more blocks than there are tiles
  const int m = exists ? items_from(n_, position, shape::tile) : 0;
  const int warp = warp_id(), mine = m - warp * shape::chunk;
  const line_map::offsets at = p_.at(line);
  tree t;
  load(t, at.in, position, mine);
  t.up(p_.op, mine);
  const T sum = t.sum(p_.op, mine);
  if (lane_id() == 0) memory_.chunk_sum[warp] = sum;
  __syncthreads();
  find_prefixes(line, tile, m);
  __syncthreads();
  if (p_.what == result::none && m > shape::tile) return;
  const T start = memory_.chunk_prefix[warp], end = memory_.chunk_prefix[warp + 1];
  const tile_output<In, Out, T, Op> out(p_, at.out, position, m > shape::tile);
  const bool has = p_.has_start || tile > 0 || warp > 0;
  t.forget_items();
  t.down(start, has, end, p_.op, mine, [&](int k, const T* before) {
    const int offset = k * tree::group_items + lane_id() * tree::items;
    out.put(warp * shape::chunk + offset, mine - offset, before);
  });
}

// The prefix of every chunk of the tile, into shared memory. By the first warp, but for the barrier
// of a cluster. Meanwhile another counts the block as left, if this is its last tile: ticket and
// epoch have been read, and a trip to L2 at the end would be waited for by the next kernel.
template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::find_prefixes(std::uint64_t line,
                                                                      unsigned tile, int m) {
  if (how_ == exchange::look_back && line_tiles_ > 32 && line_tiles_ <= 32 * shape::warps)
    return find_by_groups(levels_of(line), tile, m);
  if (how_ != exchange::cluster && warp_id() != 0) {
    if (last_ && threadIdx.x == 32) leave(words_, gridDim.x, epoch_);
    return;
  }
  const tile_sums<shape::warps, T, Op> sums(memory_.chunk_sum, p_.op, m / shape::chunk);
  look_back<T, Op> look(memory_.nodes, p_.start, p_.has_start, p_.op);
  if (how_ == exchange::cluster) {
    const T left = push_to_cluster(sums.sum(), tile);
    if (warp_id() != 0) return;
    look.find_among(left, tile);
  } else if (how_ == exchange::look_back) {
    const line_levels at = levels_of(line);
    if (m > shape::tile) publish_sums(at, tile, sums.sum(), p_.op);
    if (p_.what == result::none && m > shape::tile) return;
    look.find(at, line, tile);
  } else {
    look.find_among(sums.sum(), 0);
  }
  const T end = m >= shape::tile ? look.end(tile, sums.sum()) : look.start.value;
  sums.prefixes(look.start.value, look.start.any, end, p_.op, memory_.chunk_prefix);
}

// The same for lines of few groups of 32 tiles: by all warps of the block, each of which reads the
// words of all tiles of a group. So nobody waits for words of groups, which come a trip later.
template <class In, class Out, class T, class Op, int groups>
__device__ void block_of_tiles<In, Out, T, Op, groups>::find_by_groups(const line_levels& at,
                                                                       unsigned tile, int m) {
  const auto sums_of_chunks = [&] {
    return tile_sums<shape::warps, T, Op>(memory_.chunk_sum, p_.op, m / shape::chunk);
  };
  if (m > shape::tile && warp_id() == 0) {
    const T sum = sums_of_chunks().sum();
    if (lane_id() == 0) publish(at.at<T>(0, tile), sum, epoch_);
  }
  if (last_ && threadIdx.x == shape::threads - 32) leave(words_, gridDim.x, epoch_);
  if (p_.what == result::none && m > shape::tile) return;
  sum_group(at, tile);
  __syncthreads();
  if (warp_id() != 0) return;
  const auto sums = sums_of_chunks();  // once more: to keep them would spill
  look_back<T, Op> look(memory_.nodes, p_.start, p_.has_start, p_.op);
  const int full = static_cast<int>(tile / 32);
  look.find_behind(memory_.group_sum[lane_id() < full ? lane_id() : 0], tile);
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

template <class In, class Out, class T, class Op, int groups>
__global__ void __launch_bounds__(block_shape<In, T, groups>::threads,
                                  block_shape<In, T, groups>::blocks)
    block_scan(const __grid_constant__ problem<In, Out, T, Op> p,
               const __grid_constant__ levels words, exchange how) {
#if __CUDA_ARCH__ >= 900
  if (how == exchange::cluster) cooperative_groups::this_cluster().barrier_arrive();
#endif
  follow_earlier_kernels();
  block_of_tiles<In, Out, T, Op, groups>(p, words, how).run();
}

}  // namespace upsweep::cuda
