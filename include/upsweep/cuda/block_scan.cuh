// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan by plain loads: a block of warps takes a tile into registers, sums it, learns the
// prefix before it, and stores. It serves every device, and small arrays on all of them.
//
// Blocks hand sums on in one of three ways: not at all (one tile), through the shared memory of a
// cluster (few small tiles, compute capability 9.0 and later; no workspace needed), or by tree
// look-back.
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
  static constexpr int blocks = sizeof(T) <= 8 ? 2 : 1;  // registers for so many at once
  static constexpr int chunk = groups * 32 * lane_vector<In>::items;
  static constexpr int tile = warps * chunk;
};

// Two barriers a tile keep this from tile to tile: after the sums (1), after the prefixes (2).
// chunk_sum is written before 1 and read between 1 and 2; nodes and aside are the first warp's
// alone. chunk_prefix is written between 1 and 2 and read after 2, as is the next ticket.
// sums_in_chunk are, for each chunk, those of its groups, written before 1 and read after 2 by the
// chunk's warp. Where all words are read (find_by_groups), a third lies between 1 and 2: before it
// the warps write nodes and group_sum, after it the first warp reads them. nodes begin and end with
// a quad, since compilers load whole ones.
template <class T, int warps, int groups, int words>
struct block_memory {
  T chunk_sum[warps], chunk_prefix[warps + 1];
  alignas(16) alignas(T) T nodes[max_nodes];
  alignas(16) alignas(T) T cluster_sum[max_cluster];
  unsigned aside[words], ticket, epoch;
  T group_sum[warps], sums_in_chunk[warps][groups];
};

template <class In, class Out, class T, class Op, int groups>
class block_of_tiles {
 public:
  using shape = block_shape<In, T, groups>;
  // Whether the first warp puts its items aside while it looks back.
  static constexpr bool short_of_registers = groups > 2;
  static constexpr int words_aside = short_of_registers ? 32 * groups * lane_vector<In>::words : 1;
  using memory = block_memory<T, shape::warps, groups, words_aside>;
  // Whether left neighbours' sums stay in registers: where that spills none (measured).
  static constexpr bool keep_left = groups == 1 && sizeof(T) <= 32;
  // Whether a chunk's sums of groups go through shared memory meanwhile.
  static constexpr bool put_sums = groups > 1;
  using tree = warp_tree<In, T, Op, groups, keep_left>;
  using sums_of_chunks = tile_sums<shape::warps, T, Op>;
  // Clusters of larger tiles are slower than the same in small ones.
  static constexpr bool has_clusters = groups == 1;

  __device__ block_of_tiles(const problem<In, Out, T, Op>& p, const levels& words)
      : p_(p), words_(words), memory_(*reinterpret_cast<memory*>(shared())) {}

  // A copy of the code for each way: small arrays take as long as it takes to fetch it.
  __device__ void run(exchange how) {
    if (how == exchange::alone) return only_tile<exchange::alone>();
    if constexpr (has_clusters)
      if (how == exchange::cluster) return only_tile<exchange::cluster>();
    by_tickets();
  }

 private:
  // The blocks of a cluster, or the lines, are the tiles.
  template <exchange how>
  __device__ void only_tile() {
    measure();
    if (n_ == 0 && blockIdx.x == 0) put_empty_totals(p_);
    one_tile<how>(blockIdx.x);
  }
  __device__ void by_tickets() {
    if (threadIdx.x == 0) memory_.ticket = take_ticket(words_), memory_.epoch = words_.state->epoch;
    __syncthreads();
    epoch_ = memory_.epoch;
    do {
      measure();
      const unsigned mine = memory_.ticket;
      if (n_ == 0 && mine == 0) put_empty_totals(p_);
      last_ = mine >= tiles_ || (gridDim.x >= tiles_ && epoch_ != last_epoch);
      if (mine < tiles_)
        one_tile<exchange::look_back>(mine);
      else if (threadIdx.x == 0)
        leave(words_, gridDim.x, epoch_);
    } while (!last_);
  }

  __device__ static unsigned char* shared() {
    alignas(memory) __shared__ unsigned char bytes[sizeof(memory)];
    return bytes;
  }

  // For each tile anew: registers are short.
  __device__ void measure() {
    n_ = p_.length();
    line_tiles_ = static_cast<unsigned>((n_ + shape::tile - 1) / shape::tile);
    tiles_ = line_tiles_ * p_.lines;
  }
  template <exchange how>
  __device__ void one_tile(unsigned index);
  // By one thread while others look back: takes the ticket of the next tile or, if this is the
  // block's last, counts the block as left, since ticket and epoch have been read. At the end
  // either would be waited for: by the block, by the next kernel.
  __device__ unsigned go_on() {
    if (!last_) return take_ticket(words_);
    leave(words_, gridDim.x, epoch_);
    return 0;
  }
  __device__ T push_to_cluster(const T& sum, unsigned rank);
  template <exchange how>
  __device__ void find_prefixes(std::uint64_t line, unsigned tile, int m, tree& t);
  __device__ void find_by_groups(const line_levels& at, unsigned tile, int m, tree& t);
  __device__ void put_prefixes(const look_back<T, Op>& look, const sums_of_chunks& sums,
                               unsigned tile, int m);
  __device__ void sum_group(const line_levels& at, unsigned tile);
  __device__ line_levels levels_of(std::uint64_t line) const {
    return {words_, words_.words + line * words_.line_words * granules_of<T>, epoch_};
  }

  // Reversed lines item by item: each case takes registers.
  __device__ void load(tree& t, std::int64_t line, std::uint64_t position, int m) const {
    const int offset = warp_id() * shape::chunk + lane_id() * tree::items;
    const auto start = static_cast<std::int64_t>(position) + offset;
    const In* const first = p_.in + line + (p_.in_reversed ? -start : start);
    const bool aligned = reinterpret_cast<std::uintptr_t>(first) % 16 == 0;
    m -= lane_id() * tree::items;
#pragma unroll
    for (int k = 0; k < groups; ++k) {
      const int step = k * tree::group_items;
      if (p_.in_reversed)
        t.raw[k].load_global_reversed(first - step, m - step);
      else
        t.raw[k].load_global(first + step, aligned, m - step);
    }
  }

  __device__ void sum_chunk(tree& t, int m) {
    const int warp = warp_id();
    if constexpr (put_sums) {
      T* const in_chunk = memory_.sums_in_chunk[warp];
      if (!guarded<Op, T> || m >= shape::chunk)
        t.write_sums(p_.op, memory_.chunk_sum + warp, in_chunk);
      else
        t.write_sums(p_.op, m, memory_.chunk_sum + warp, in_chunk);
    } else {
      t.up(p_.op, m);
      const T sum = t.sum(p_.op, m);
      if (lane_id() == 0) memory_.chunk_sum[warp] = sum;
    }
  }

  const problem<In, Out, T, Op>& p_;
  const levels& words_;
  memory& memory_;
  std::uint64_t n_;
  unsigned line_tiles_, tiles_, epoch_ = 0;
  bool last_ = false;  // whether the block takes no ticket after this one
};

template <class In, class Out, class T, class Op, int groups>
template <exchange how>
__device__ void block_of_tiles<In, Out, T, Op, groups>::one_tile(unsigned index) {
  unsigned line = 0, tile = index;
  if constexpr (how == exchange::alone)
    line = index, tile = 0;
  else if (how == exchange::look_back && p_.lines != 1)
    line = index / line_tiles_, tile = index - line * line_tiles_;
  const std::uint64_t position = std::uint64_t{tile} * shape::tile;
  const bool exists = tile < line_tiles_;  // a cluster may have more blocks than there are tiles
  const int m = exists ? items_from(n_, position, shape::tile) : 0;
  const int warp = warp_id(), mine = m - warp * shape::chunk;
  const line_map::offsets at = p_.at(line);
  tree t;
  load(t, at.in, position, mine);
  sum_chunk(t, mine);
  __syncthreads();
  find_prefixes<how>(line, tile, m, t);
  __syncthreads();
  if (p_.what == result::none && m > shape::tile) return;
  const T start = memory_.chunk_prefix[warp], end = memory_.chunk_prefix[warp + 1];
  const tile_output<In, Out, T, Op> out(p_, at.out, position, m > shape::tile);
  const bool has = p_.has_start || tile > 0 || warp > 0;
  t.forget_items();
  if constexpr (put_sums) {
    t.read_sums(memory_.sums_in_chunk[warp]);
    __syncwarp();  // before the next tile's are written
  }
  t.down(start, has, end, p_.op, mine, [&](int k, const T* before) {
    const int offset = k * tree::group_items + lane_id() * tree::items;
    out.put(warp * shape::chunk + offset, mine - offset, before);
  });
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
  block_of_tiles<In, Out, T, Op, groups>(p, words).run(how);
}

}  // namespace upsweep::cuda

#include "upsweep/cuda/block_prefixes.cuh"
