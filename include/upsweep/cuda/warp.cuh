// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one warp does with a chunk: groups of 32 vectors, one a lane, as the canonical tree.
//
//   chunk   | group 0: lane 0, lane 1, ... lane 31 | group 1 | ... |      a lane holds a vector
//
// up() forms the sums, once the elements are in registers; down() forms every prefix, once the
// prefix before the chunk is known. In between the warp may wait.
#pragma once

#include "upsweep/cuda/convert.cuh"
#include "upsweep/cuda/lane.cuh"

namespace upsweep::cuda {

// Groups in a chunk: 64 bytes a lane, at most 4 vectors.
template <class In>
inline constexpr int full_groups = lane_vector<In>::bytes <= 16   ? 4
                                   : lane_vector<In>::bytes <= 32 ? 2
                                                                  : 1;

// keep_left: whether the sums of left neighbours stay in registers from up() to down(); else they
// are formed again, by five shuffles a group.
template <class In, class T, class Op, int groups_, bool keep_left>
struct warp_tree {
  using vector = lane_vector<In>;
  static constexpr int groups = groups_;
  static constexpr int items = vector::items;  // of a vector
  static constexpr int group_items = 32 * items;
  static constexpr int chunk = groups * group_items;

  vector raw[groups];

  // m, here and below: how many items of the chunk exist; it may exceed the chunk, or be negative.
  __device__ void up(const Op& op, int m) {
#pragma unroll
    for (int k = 0; k < groups; ++k) group_sum[k] = sum_lanes(k, op, m);
  }
  // The chunk's sum, in every lane; of no use where the chunk is not full.
  __device__ T sum(const Op& op, int m) const {
    return block_sum<0, groups>(group_sum, op, m < 0 ? 0 : m / group_items);
  }

  // Calls put(k, before) for each group: before[i] is the prefix before item i of this lane's
  // vector, before[items] the one after it. start is the prefix before the chunk, where there is
  // one (has), end the one after it, where the chunk is full.
  template <class Put>
  __device__ void down(const T& start, bool has, const T& end, const Op& op, int m, Put&& put) {
    T group_start[groups];
    group_start[0] = start;
    block_prefixes<0, groups>(group_sum, group_start, has, op, m < 0 ? 0 : m / group_items);
#pragma unroll
    for (int k = 0; k < groups; ++k) {
      T* const theirs = left[keep_left ? k : 0];
      if constexpr (!keep_left) sum_lanes(k, op, m);
      T before[items + 1];
      bool here = has || k > 0;
      before[0] = prefix_of_lane<5>(group_start[k], here, theirs, lane_id(), full_lanes(k, m), op);
      T x[items];
      unpack(k, x);
      const T after = from_next_lane(before[0]);
      const T& last = k + 1 < groups ? group_start[k + 1 < groups ? k + 1 : k] : end;
      before[items] = lane_id() == 31 ? last : after;
      block_prefixes<0, items>(x, before, here, op, left_in_lane(k, m));
      put(k, before);
    }
  }

  // How many items of this lane's vector exist: up to 0 or from `items` on where none or all do.
  __device__ static int left_in_lane(int k, int m) {
    return m - k * group_items - lane_id() * items;
  }

 private:
  T group_sum[groups];
  T left[keep_left ? groups : 1][5];

  __device__ void unpack(int k, T* x) const {
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = load_as<T, In>(raw[k][i]);
  }
  __device__ T lane_sum(int k, const Op& op, int m) const {
    T x[items];
    unpack(k, x);
    return block_sum<0, items>(x, op, left_in_lane(k, m));
  }
  // The group's sum; the neighbours' are left in left[].
  __device__ T sum_lanes(int k, const Op& op, int m) {
    return sum_neighbours<5>(lane_sum(k, op, m), left[keep_left ? k : 0], lane_id(),
                             full_lanes(k, m), op);
  }
  __device__ static int full_lanes(int k, int m) {
    const int rest = m - k * group_items;
    return rest < 0 ? 0 : rest / items;
  }
};

}  // namespace upsweep::cuda
