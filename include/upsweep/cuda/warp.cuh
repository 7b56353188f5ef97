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
#include "upsweep/cuda/lane_vector.cuh"

namespace upsweep::cuda {

// Groups in a chunk: 64 bytes a lane, at most 4 vectors.
template <class In>
inline constexpr int full_groups = lane_vector<In>::bytes <= 16   ? 4
                                   : lane_vector<In>::bytes <= 32 ? 2
                                                                  : 1;

// keep_left: whether the sums of left neighbours stay in registers from up() to down(); else they
// are formed again, by five shuffles a group, and down() needs of up() the sums of groups only.
template <class In, class T, class Op, int groups_, bool keep_left>
struct warp_tree {
  using vector = lane_vector<In>;
  static constexpr int groups = groups_;
  static constexpr int items = vector::items;  // of a vector
  static constexpr int group_items = 32 * items;
  static constexpr int chunk = groups * group_items;

  vector raw[groups];

  // m, here and below: how many items of the chunk exist; it may exceed the chunk, or be negative.
  // Or everything{}, where the chunk is full, or the operator harmless.
  template <class M>
  __device__ void up(const Op& op, M m) {
#pragma unroll
    for (int k = 0; k < groups; ++k) group_sum[k] = sum_lanes(k, op, m);
  }
  // The chunk's sum, in every lane; of no use where the chunk is not full.
  template <class M>
  __device__ T sum(const Op& op, M m) const {
    return block_sum<0, groups>(group_sum, op, full_of(m));
  }

  // up() and sum() of a full chunk for those who need no more than these, written where sum and
  // sums_of_groups point to; those of the groups unless up() comes before down() anyway.
  __device__ void write_sums(const Op& op, T* sum, T* sums_of_groups) const {
    T share[groups], unused[5];
#pragma unroll
    for (int k = 0; k < groups; ++k) share[k] = lane_sum(k, op, everything{});
    const int lane = lane_id(), group = lane - (32 - groups);
    if constexpr (keep_left && exactly_associative<Op, T>) {
      const T all = block_sum<0, groups>(share, op, everything{});
      *sum = sum_neighbours<5>(all, unused, lane, everything{}, op);
      return;
    }
    T mine = sum_groups<groups>(share, lane, op);
    if constexpr (!keep_left)
      if (group >= 0) sums_of_groups[group] = mine;
#pragma unroll
    for (int j = 0; 1 << j < groups; ++j) {
      const T theirs = from_partner(mine, 1 << j);
      const int last = 32 - groups + (2 << j) - 1;
      if (harmless<Op, T> || (lane & last) == last) mine = combine(op, theirs, mine);
    }
    if (lane == 31) *sum = mine;
  }
  // The same of a chunk of which the first m items exist.
  __device__ void write_sums(const Op& op, int m, T* sum, T* sums_of_groups) {
    up(op, m);
    const T all = this->sum(op, m);
    if (lane_id() != 0) return;
    *sum = all;
#pragma unroll
    for (int k = 0; k < groups; ++k)
      if constexpr (!keep_left) sums_of_groups[k] = group_sum[k];
  }
  __device__ void read_sums(const T* sums_of_groups) {
#pragma unroll
    for (int k = 0; k < groups; ++k) group_sum[k] = sums_of_groups[k];
  }

  // The items, to and from room for 32 * groups * vector::words words of shared memory: registers
  // for what the warp does meanwhile.
  __device__ void put_aside(unsigned* place) const {
#pragma unroll
    for (int k = 0; k < groups; ++k)
#pragma unroll
      for (int i = 0; i < vector::words; ++i)
        place[(k * vector::words + i) * 32 + lane_id()] = raw[k].word[i];
  }
  __device__ void take_back(const unsigned* place) {
#pragma unroll
    for (int k = 0; k < groups; ++k)
#pragma unroll
      for (int i = 0; i < vector::words; ++i)
        raw[k].word[i] = place[(k * vector::words + i) * 32 + lane_id()];
  }

  // Between up() and down(): what was unpacked for the one is unpacked again for the other. Else
  // compilers keep a register for each small item meanwhile, and spill.
  __device__ void forget_items() {
    if constexpr (sizeof(In) < 4) {
#pragma unroll
      for (int k = 0; k < groups; ++k)
#pragma unroll
        for (int i = 0; i < vector::words; ++i) asm volatile("" : "+r"(raw[k].word[i]));
    }
  }

  // Calls put(k, before) for each group: before[i] is the prefix before item i of this lane's
  // vector, before[items] the one after it. start is the prefix before the chunk, where there is
  // one (has), end the one after it, where the chunk is full.
  template <class M, class Put>
  __device__ void down(const T& start, bool has, const T& end, const Op& op, M m, Put&& put) {
    T group_start[groups];
    group_start[0] = start;
    block_prefixes<0, groups>(group_sum, group_start, has, op, full_of(m));
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

 private:
  T group_sum[groups];
  T left[keep_left ? groups : 1][5];

  // How many items of this lane's vector exist: up to 0 or from `items` on where none or all do.
  template <class M>
  __device__ static M left_in_lane(int k, M m) {
    return m - (k * group_items + lane_id() * items);
  }
  // How many groups are full; how many lanes of a group.
  __device__ static everything full_of(everything) { return {}; }
  __device__ static int full_of(int m) { return m < 0 ? 0 : m / group_items; }
  __device__ static everything full_lanes(int, everything) { return {}; }
  __device__ static int full_lanes(int k, int m) {
    const int rest = m - k * group_items;
    return rest < 0 ? 0 : rest / items;
  }

  __device__ void unpack(int k, T* x) const {
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = load_as<T, In>(raw[k][i]);
  }
  template <class M>
  __device__ T lane_sum(int k, const Op& op, M m) const {
    if constexpr (std::is_same_v<Op, plus> && std::is_integral_v<T> && std::is_integral_v<In> &&
                  sizeof(In) == 1) {
      return static_cast<T>(raw[k].template sum_of_bytes<std::is_signed_v<In>>());
    } else {
      T x[items];
      unpack(k, x);
      return block_sum<0, items>(x, op, left_in_lane(k, m));
    }
  }
  // The group's sum; the neighbours' are left in left[].
  template <class M>
  __device__ T sum_lanes(int k, const Op& op, M m) {
    return sum_neighbours<5>(lane_sum(k, op, m), left[keep_left ? k : 0], lane_id(),
                             full_lanes(k, m), op);
  }
};

}  // namespace upsweep::cuda
