// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree between the chunks of a tile of lines side by side: each lane for its own line. The
// counterpart of tile_sums.cuh.
#pragma once

#include "upsweep/cuda/look_back.cuh"

namespace upsweep::cuda {

// chunk(c): where this lane's sum of chunk c is. Of `chunks` (a power of two from 4 on) the first
// `full` are full. Four at a time, for the sake of registers.
template <int chunks, class T, class Op, class Chunk>
class strip_sums {
 public:
  // Of no use unless `used`.
  __device__ strip_sums(const Op& op, int full, Chunk chunk, bool used = true)
      : op_(op), full_(full), chunk_(chunk) {
    if (!used) return;
#pragma unroll
    for (int f = 0; f < fours; ++f) {
      T four[4];
      load(four, f);
      sum_[f] = block_sum<0, 4>(four, op, full - 4 * f);
    }
  }

  // The tile's sum; of no use where the tile is not full.
  __device__ T sum() const { return block_sum<0, fours>(sum_, op_, full_ / 4); }

  // Calls put(c, prefix) with the prefix before each full chunk and the first that is not, from
  // that before the tile. It may overwrite the sum of chunk c.
  template <class Put>
  __device__ void prefixes(const folded<T, Op>& before_tile, Put&& put) const {
    T start[fours];
    start[0] = before_tile.value;
    block_prefixes<0, fours>(sum_, start, before_tile.any, op_, full_ / 4);
#pragma unroll
    for (int f = 0; f < fours; ++f) {
      T four[4], before[4];
      load(four, f);
      before[0] = start[f];
      block_prefixes<0, 4>(four, before, before_tile.any || f > 0, op_, full_ - 4 * f);
#pragma unroll
      for (int c = 0; c < 4; ++c) put(4 * f + c, before[c]);
    }
  }

 private:
  static constexpr int fours = chunks / 4;

  __device__ void load(T* four, int f) const {
#pragma unroll
    for (int c = 0; c < 4; ++c) four[c] = chunk_(4 * f + c);
  }

  const Op& op_;
  const int full_;
  const Chunk chunk_;
  T sum_[fours];
};

}  // namespace upsweep::cuda
