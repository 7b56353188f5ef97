// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of bulk_scan: a ring of tiles, and the barriers by which its warps hand them
// on.
#pragma once

#include <cuda/ptx>

#include <cstdint>
#include <type_traits>

#include "upsweep/cuda/look_back.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class T>
struct bulk_shape {
  // Few warps for large accumulators: they need the registers.
  static constexpr int scanners = sizeof(T) <= 8 ? 16 : 8;
  // More reducers gain where the sum of a chunk takes long and registers are left.
  static constexpr bool is_long = std::is_arithmetic_v<T> && sizeof(T) == 8;
  static constexpr int reducers = is_long ? scanners / 2 : scanners / 4;
  static constexpr int threads = 32 * (4 + reducers + scanners);
  static constexpr int groups = full_groups<In>;
  static constexpr int chunk = groups * 32 * lane_vector<In>::items;
  static constexpr int tile = scanners * chunk;
  // Whether scanners keep what they sum in registers; else they take the groups' sums of reducers.
  static constexpr bool keep_left = sizeof(T) <= 4;
  static constexpr int handed_on = keep_left ? 0 : groups;  // sums a chunk
  static constexpr std::size_t tile_bytes = tile * sizeof(In);
  static constexpr std::size_t stage_bytes = (tile_bytes + 16 + 127) / 128 * 128;  // any alignment

  // What belongs to a tile besides its items lives one turn longer than its stage: the scanners
  // free that when they hold the items in registers. So there is one slot more than stages.
  static constexpr int slot_values = (2 + handed_on) * scanners + 1;
  static constexpr std::size_t slot_bytes = slot_values * sizeof(T) + 4 + 3 * 8;
  static constexpr int fixed_values = max_nodes + 1;
  static constexpr std::size_t fixed_bytes = fixed_values * sizeof(T) + slot_bytes + 320;
  static constexpr std::size_t available = 227 * 1024;
  static constexpr int stages =
      static_cast<int>((available - fixed_bytes) / (stage_bytes + slot_bytes + 8));
  static constexpr int slots = stages + 1;
  // Tiles of a block that are on their way from memory at once: enough to keep it busy. More would
  // fill the queues of L2, and the words that all tiles wait for would stand in them.
  static constexpr int on_the_way = 2;
  static_assert(stages >= 2);
};

using barrier_word = std::uint64_t;

// What each barrier orders, that is, which writes to shared memory before an arrival and which
// reads after a wait. compute-sanitizer's racecheck does not follow mbarriers between roles and
// reports just these pairs.
//
//   full          a tile's number and what is copied by hand, by the loader; the bulk copy itself
//                 -> all who read the tile
//   summed        sums of chunks and groups, by the reducers -> publisher, look-back, scanners
//   first_summed  those of a block's first tile, by the scanners -> reducers, who go on to summed
//   carried       prefixes of chunks, by the look-back -> scanners
//   empty         reads of a stage, by reducers and scanners -> the next copy to it
//   group_full    what publish_tiles hands on -> publish_upper_levels
//   group_free    its reads -> what is handed on next
//
// A slot needs no barrier of its own to be used again: turn c + slots is begun when `empty` says
// that all have read the tile of turn c + 1, since slots = stages + 1. Reducers read that after all
// they do for turn c. Scanners read it after they have read the prefixes of turn c, behind
// `carried`, at which publisher and look-back arrive after their last access to the slot.
template <class In, class T>
struct bulk_ring {
  using shape = bulk_shape<In, T>;
  alignas(128) unsigned char stage[shape::stages][shape::stage_bytes];
  barrier_word full[shape::slots], summed[shape::slots], carried[shape::slots];
  barrier_word empty[shape::stages];
  barrier_word first_summed;            // by the scanners, see bulk_block::reduce
  barrier_word group_full, group_free;  // of what publish_tiles hands to publish_upper_levels
  unsigned tile[shape::slots];          // its number, counted over all lines
  unsigned group_end;
  alignas(T) unsigned char memory[sizeof(T) *
                                  (shape::slots * shape::slot_values + shape::fixed_values)];

  __device__ T* chunk_sum(int slot) {
    return reinterpret_cast<T*>(memory) + slot * shape::slot_values;
  }
  __device__ T* chunk_prefix(int slot) { return chunk_sum(slot) + shape::scanners; }
  __device__ T* group_sums(int slot, int chunk) {
    return chunk_prefix(slot) + shape::scanners + 1 + chunk * shape::handed_on;
  }
  __device__ T* nodes() { return chunk_sum(shape::slots); }
  __device__ T& group_sum() { return nodes()[max_nodes]; }
};

// Where a warp is in the ring. Parities tell one round of a barrier from the next. One number, of
// which the rest is made anew each time: kernels are short of registers.
template <class shape>
struct ring_turn {
  unsigned count = 0;
  __device__ int stage() const { return static_cast<int>(count % shape::stages); }
  __device__ int slot() const { return static_cast<int>(count % shape::slots); }
  __device__ unsigned stage_parity() const { return count / shape::stages & 1; }
  __device__ unsigned slot_parity() const { return count / shape::slots & 1; }
  __device__ void next() { ++count; }
};

__device__ inline void arrive(barrier_word* b) { ::cuda::ptx::mbarrier_arrive(b); }
__device__ inline void wait(barrier_word* b, unsigned parity) {
  while (!::cuda::ptx::mbarrier_try_wait_parity(b, parity)) {
  }
}

// Copies the bytes from begin to end to shared memory, where target stands for the address origin,
// a multiple of 16, and arrives at full: now, or when the copy is complete. Bulk copies need
// multiples of 16 bytes. Where the array goes on, on the left or on the right, they take a few
// bytes of the neighbours too; where it ends the last bytes are copied by hand.
__device__ inline void copy_bytes(std::uintptr_t begin, std::uintptr_t end, bool more_left,
                                  bool more_right, unsigned char* target, std::uintptr_t origin,
                                  barrier_word* full) {
  std::uintptr_t from = begin & ~std::uintptr_t{15}, to = (end + 15) & ~std::uintptr_t{15};
  if (from != begin && !more_left) from += 16;
  if (to != end && !more_right) to -= 16;
  const auto by_hand = [&](std::uintptr_t b, std::uintptr_t e) {
    for (; b < e; ++b) target[b - origin] = *reinterpret_cast<const unsigned char*>(b);
  };
  if (from >= to) {
    by_hand(begin, end);
    return arrive(full);
  }
  by_hand(begin, from);
  by_hand(to, end);
  const auto size = static_cast<std::uint32_t>(to - from);
  ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                         ::cuda::ptx::space_shared, full, size);
  ::cuda::ptx::cp_async_bulk(::cuda::ptx::space_cluster, ::cuda::ptx::space_global,
                             target + (from - origin), reinterpret_cast<const void*>(from), size,
                             full);
}

}  // namespace upsweep::cuda
