// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree between the chunks of a tile, one chunk a lane: the level above warp.cuh.
#pragma once

#include "upsweep/cuda/lane.cuh"

namespace upsweep::cuda {

// `chunks` (a power of two up to 32) sums of chunks, of which the first `full` are of full chunks.
// By all lanes of a warp; lanes beyond `chunks` hold copies.
template <int chunks, class T, class Op>
class tile_sums {
 public:
  __device__ tile_sums(const T* chunk_sum, const Op& op, int full) : full_(full) {
    sum_ = sum_neighbours<levels>(chunk_sum[lane()], theirs_, lane(), full, op);
  }

  // The tile's sum; of no use where the tile is not full.
  __device__ const T& sum() const { return sum_; }

  // The prefix before each full chunk and the first that is not, from that before the tile.
  __device__ void prefixes(T start, bool has, const T& end, const Op& op, T* chunk_prefix) const {
    start = prefix_of_lane<levels>(start, has, theirs_, lane(), full_, op);
    if (lane_id() < chunks) chunk_prefix[lane_id()] = start;
    if (lane_id() == 0) chunk_prefix[chunks] = end;
  }

 private:
  static constexpr int log2_of(int n) { return n == 1 ? 0 : 1 + log2_of(n / 2); }
  static constexpr int levels = log2_of(chunks);
  __device__ static int lane() { return lane_id() & (chunks - 1); }

  int full_;
  T sum_, theirs_[levels];
};

}  // namespace upsweep::cuda
