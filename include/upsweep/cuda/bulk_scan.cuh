// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of large arrays on devices with bulk copies (compute capability 9.0 and later): one
// persistent block on each multiprocessor, its warps specialised, a ring of tiles in shared memory.
//
//   loader    1 thread   takes tickets, copies each tile into the next free stage
//   reducers  4-8 warps  sum of each chunk -> chunk_sum
//   publisher 1 warp     sum of the tile or pair -> its word
//   groups    1 warp     sums of groups of words -> words of the levels above
//   look-back 1 warp     waits for the words to the left, prefix of each chunk -> chunk_prefix
//   scanners  16 warps   take a chunk each into registers, free the stage, wait for the prefix of
//                        the chunk, form and store all prefixes
//
// Loads, sums, the wait for other blocks and stores of different tiles overlap, so that memory is
// busy throughout. Every tile is taken by a ticket, in order: the tiles that a tile waits for are
// held by running blocks, whatever else runs on the device. Where there are many tiles, a ticket is
// for a pair of neighbours: they share a word and a look-back, which takes as long as memory needs
// for a tile (docs/performance.md).
#pragma once

#include "upsweep/cuda/bulk_ring.cuh"
#include "upsweep/cuda/problem.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/tile_sums.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class Out, class T, class Op>
class bulk_block {
 public:
  using shape = bulk_shape<In, T>;
  using tree = warp_tree<In, T, Op, shape::groups, shape::keep_left>;

  __device__ bulk_block(const problem<In, Out, T, Op>& p, const levels& words)
      : p_(p), words_(words), ring_(*reinterpret_cast<bulk_ring<In, T>*>(shared())) {
    set_length(p.n);
    pair_ = tiles_ > 3 * gridDim.x ? 1 : 0;
  }

  // By one thread, while earlier kernels end: reads nothing that they may write. To call a tile to
  // L2 before they wrote it does no harm, since it is in L2 that they write.
  __device__ void set_up() {
    for (int i = 0; i < shape::slots; ++i) {
      ::cuda::ptx::mbarrier_init(&ring_.full[i], 1);
      ::cuda::ptx::mbarrier_init(&ring_.summed[i], shape::reducers);
      ::cuda::ptx::mbarrier_init(&ring_.carried[i], 2);
    }
    ::cuda::ptx::mbarrier_init(&ring_.first_summed, shape::scanners);
    ::cuda::ptx::mbarrier_init(&ring_.group_full, 1);
    ::cuda::ptx::mbarrier_init(&ring_.group_free, 1);
    for (int i = 0; i < shape::stages; ++i)
      ::cuda::ptx::mbarrier_init(&ring_.empty[i], shape::scanners + shape::reducers);
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
    if (p_.device_n == nullptr) call_to_l2(first_tile(blockIdx.x));  // likely taken first
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
      publish_tiles();
    } else if (warp == 2) {
      publish_upper_levels();
    } else if (warp == 3) {
      find_prefixes();
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
  __device__ place place_of(unsigned number) const {
    const unsigned line = p_.lines == 1 ? 0 : number / line_tiles_;
    const unsigned tile = number - line * line_tiles_;
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

  // The first tile of a ticket. A pair does not reach into the next line.
  __device__ unsigned first_tile(unsigned ticket) const {
    if (p_.lines == 1 || pair_ == 0) return ticket << pair_;
    const unsigned pairs = (line_tiles_ + 1) / 2, line = ticket / pairs;
    return line * line_tiles_ + 2 * (ticket - line * pairs);
  }
  __device__ unsigned tile_after(unsigned number) const {
    if (pair_ != 0) {
      const unsigned tile = p_.lines == 1 ? number : number % line_tiles_;
      if (tile % 2 == 0 && tile + 1 < line_tiles_) return number + 1;
    }
    return first_tile(take_ticket(words_));
  }
  __device__ bool is_second(const place& at) const { return pair_ != 0 && at.tile % 2 != 0; }
  // Which word is that of the tile or pair.
  __device__ unsigned word_of(const place& at) const { return at.tile >> pair_; }

  // A reduction asks for no more than the last prefix of each line.
  __device__ bool needs_prefixes(const place& at) const {
    return p_.what != result::none || at.tile >> pair_ == (line_tiles_ - 1) >> pair_;
  }

  __device__ void load(unsigned ticket);
  __device__ void call_to_l2(unsigned number) const;
  __device__ void copy_tile(const place& at, int stage, barrier_word* full);
  __device__ void publish_tiles();
  __device__ void publish_upper_levels();
  __device__ void hand_on(unsigned round, unsigned number, const T& sum);
  __device__ void find_prefixes();
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
  int pair_;  // log2 of the tiles of a ticket (measured, see docs/performance.md)
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
