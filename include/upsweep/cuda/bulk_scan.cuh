// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of large arrays on devices with bulk copies (compute capability 9.0 and later): one
// persistent block on each multiprocessor, its warps specialised, a ring of tiles in shared memory.
//
//   loader    1 thread   takes tickets, copies each tile into the next free stage
//   reducers  4 warps    sum of each chunk -> chunk_sum
//   publisher 1 warp     sum of the tile -> look-back words
//   look-back 1-2 warps  wait for the words to the left, prefix of each chunk -> chunk_prefix
//   scanners  16 warps   take a chunk each into registers, free the stage, wait for the prefix of
//                        the chunk, form and store all prefixes
//
// Loads, sums, the wait for other blocks and stores of different tiles overlap, so that memory is
// busy throughout. Every tile is taken by a ticket, in order: the tiles that a tile waits for are
// held by running blocks, whatever else runs on the device.
#pragma once

#include <cuda/ptx>

#include "upsweep/cuda/look_back.cuh"
#include "upsweep/cuda/problem.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/tile_sums.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class T>
struct bulk_shape {
  // Few warps for large accumulators: they need the registers.
  static constexpr int scanners = sizeof(T) <= 8 ? 16 : 8, reducers = scanners / 4;
  static constexpr int lookers = 2;
  static constexpr int threads = 32 * (2 + lookers + reducers + scanners);
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
  static constexpr std::size_t fixed_bytes = lookers * max_nodes * sizeof(T) + slot_bytes + 256;
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

template <class In, class T>
struct bulk_ring {
  using shape = bulk_shape<In, T>;
  alignas(128) unsigned char stage[shape::stages][shape::stage_bytes];
  barrier_word full[shape::slots], summed[shape::slots], carried[shape::slots];
  barrier_word empty[shape::stages];
  unsigned ticket[shape::slots];
  alignas(T) unsigned char memory[sizeof(T) *
                                  (shape::slots * shape::slot_values + shape::lookers * max_nodes)];

  __device__ T* chunk_sum(int slot) {
    return reinterpret_cast<T*>(memory) + slot * shape::slot_values;
  }
  __device__ T* chunk_prefix(int slot) { return chunk_sum(slot) + shape::scanners; }
  __device__ T* group_sums(int slot, int chunk) {
    return chunk_prefix(slot) + shape::scanners + 1 + chunk * shape::handed_on;
  }
  __device__ T* nodes(int looker) { return chunk_sum(shape::slots) + looker * max_nodes; }
};

// Where a warp is in the ring. Parities tell one round of a barrier from the next.
template <class shape>
struct ring_turn {
  int stage = 0, slot = 0;
  unsigned stage_parity = 0, slot_parity = 0;
  __device__ void next() {
    if (++stage == shape::stages) stage = 0, stage_parity ^= 1;
    if (++slot == shape::slots) slot = 0, slot_parity ^= 1;
  }
};

__device__ inline void arrive(barrier_word* b) { ::cuda::ptx::mbarrier_arrive(b); }
__device__ inline void wait(barrier_word* b, unsigned parity) {
  while (!::cuda::ptx::mbarrier_try_wait_parity(b, parity)) {
  }
}

template <class In, class Out, class T, class Op>
class bulk_block {
 public:
  using shape = bulk_shape<In, T>;
  using tree = warp_tree<In, T, Op, shape::groups, shape::keep_left>;

  __device__ bulk_block(const problem<In, Out, T, Op>& p, const levels& words)
      : p_(p), words_(words), ring_(*reinterpret_cast<bulk_ring<In, T>*>(shared())) {
    set_length(p.n);
    few_ = tiles_ <= 20 * gridDim.x;
  }

  // By one thread, while earlier kernels end: reads nothing that they may write. To call a tile to
  // L2 before they wrote it does no harm, since it is in L2 that they write.
  __device__ void set_up() {
    for (int i = 0; i < shape::slots; ++i) {
      ::cuda::ptx::mbarrier_init(&ring_.full[i], 1);
      ::cuda::ptx::mbarrier_init(&ring_.summed[i], shape::reducers);
      ::cuda::ptx::mbarrier_init(&ring_.carried[i], static_cast<unsigned>(1 + lookers()));
    }
    for (int i = 0; i < shape::stages; ++i)
      ::cuda::ptx::mbarrier_init(&ring_.empty[i], shape::scanners + shape::reducers);
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
    if (p_.device_n == nullptr) call_to_l2(blockIdx.x);  // likely among the first tickets
  }

  __device__ void run() {
    unsigned ticket = 0;
    if (threadIdx.x == 0) ticket = take_ticket(words_);
    if (p_.device_n != nullptr) set_length(p_.length());
    epoch_ = words_.state->epoch;
    if (n_ == 0 && blockIdx.x == 0) put_empty_totals(p_);
    __syncthreads();
    const int warp = warp_id();
    if (warp == 0) {
      if (lane_id() == 0) load(ticket);
    } else if (warp == 1) {
      publish_all();
    } else if (warp < 2 + shape::lookers) {
      find_prefixes(warp - 2);
    } else if (const int chunk = warp - (shape::threads / 32 - shape::scanners); chunk < 0) {
      const int reducer = chunk + shape::reducers;
      is_plain() ? reduce<true>(reducer) : reduce<false>(reducer);
    } else {
      is_plain() ? scan<true>(chunk) : scan<false>(chunk);
    }
    if (epoch_ != last_epoch) return;
    __syncthreads();
    if (threadIdx.x == 0) leave(words_, gridDim.x, epoch_);
  }

 private:
  struct place {
    std::uint64_t position;
    unsigned line, tile;  // of the array, of the line
    int m;                // see items_from
  };

  __device__ void set_length(std::uint64_t n) {
    n_ = n;
    line_tiles_ = static_cast<unsigned>((n + shape::tile - 1) / shape::tile);
    tiles_ = line_tiles_ * p_.lines;
  }

  __device__ static unsigned char* shared() {
    extern __shared__ __align__(128) unsigned char upsweep_shared[];
    return upsweep_shared;
  }
  __device__ place place_of(unsigned ticket) const {
    const unsigned line = p_.lines == 1 ? 0 : ticket / line_tiles_;
    const unsigned tile = ticket - line * line_tiles_;
    const std::uint64_t position = std::uint64_t{tile} * shape::tile;
    return {position, line, tile, items_from(n_, position, shape::tile)};
  }
  __device__ line_levels levels_of(const place& at) const {
    return {words_, words_.words + at.line * words_.line_words * granules_of<T>, epoch_};
  }

  // Where a tile's lowest address would be, were the tile full. A stage holds it at the same
  // distance from a multiple of 16 bytes: bulk copies move 16 bytes to 16 bytes.
  __device__ std::uintptr_t lowest(const place& at) const {
    const In* const line = p_.in + p_.at(at.line).in;
    const auto position = static_cast<std::int64_t>(at.position);
    return reinterpret_cast<std::uintptr_t>(p_.in_reversed ? line - position - (shape::tile - 1)
                                                           : line + position);
  }

  __device__ int lookers() const { return few_ ? shape::lookers : 1; }

  // A reduction asks for no more than the last prefix of each line.
  __device__ bool needs_prefixes(const place& at) const {
    return p_.what != result::none || at.m <= shape::tile;
  }

  __device__ void load(unsigned ahead);
  __device__ void call_to_l2(unsigned ticket) const;
  __device__ void copy_tile(const place& at, int stage, barrier_word* full);
  __device__ void publish_all();
  __device__ void find_prefixes(int looker);
  template <bool plain>
  __device__ void reduce(int warp);
  template <bool plain>
  __device__ void scan(int chunk);

  // A chunk of the tile in a stage, into registers. plain: the input is aligned to 16 bytes and not
  // reversed, as nearly always.
  template <bool plain>
  __device__ void take(tree& t, const place& at, int stage, int chunk) const {
    const unsigned char* first = ring_.stage[stage];
    if (!plain) first += lowest(at) & 15u;
#pragma unroll
    for (int k = 0; k < shape::groups; ++k) {
      int item = chunk * shape::chunk + k * tree::group_items + lane_id() * tree::items;
      if (!plain && p_.in_reversed) item = shape::tile - tree::items - item;
      t.raw[k].template load_shared<plain>(first + item * static_cast<int>(sizeof(In)));
      if (!plain && p_.in_reversed) t.raw[k].reverse();
    }
  }
  __device__ bool is_plain() const { return p_.in_aligned && !p_.in_reversed; }

  const problem<In, Out, T, Op>& p_;
  const levels& words_;
  bulk_ring<In, T>& ring_;
  std::uint64_t n_;
  unsigned line_tiles_, tiles_, epoch_ = 0;
  bool few_;  // tiles: latency counts; many: throughput (measured, see docs/performance.md)
};

template <class In, class Out, class T, class Op>
__global__ void __launch_bounds__(bulk_shape<In, T>::threads, 1)
    bulk_scan(const __grid_constant__ problem<In, Out, T, Op> p,
              const __grid_constant__ levels words) {
#if __CUDA_ARCH__ >= 900
  bulk_block<In, Out, T, Op> block(p, words);
  if (threadIdx.x == 0) block.set_up();
  follow_earlier_kernels();
  block.run();
#endif
}

}  // namespace upsweep::cuda

#include "upsweep/cuda/bulk_roles.cuh"
