// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of long lines that lie side by side, on devices of compute capability 9.0 and later: one
// persistent block on each multiprocessor, its warps specialised, a ring of tiles in shared memory.
// A tile is a strip of 32 neighbouring lines by so many steps as fill a stage; a lane has a line of
// its own, so that nothing is handed from lane to lane.
//
//   loaders    2 warps   take tickets, copy each tile into the next free stage
//   reducers   4 warps   sum of each chunk (a part of a warp's steps), lane by lane
//   look-back  6 warps   in turns: publish the tile's word, wait for those to its left, leave the
//                        prefix of each chunk in the place of its sum
//   scanners   16 warps  take a chunk each into registers, free the stage, wait for its prefix,
//                        form and store all prefixes
//
// Tickets count all strips of a step before the next, so that words are mostly there when they are
// asked for. bulk_scan.cuh is the same for lines that lie one behind the other.
#pragma once

#include "upsweep/cuda/bulk_ring.cuh"
#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/strip_words.cuh"

namespace upsweep::cuda {

template <class In, class T>
struct strip_shape {
  static constexpr int scanners = sizeof(T) <= 8 ? 16 : 8, reducers = scanners / 4, lookers = 6;
  static constexpr int loaders = 2;
  static constexpr int threads = 32 * (loaders + lookers + reducers + scanners);
  static constexpr int rows = column_rows<T>, tile = scanners * rows;
  static constexpr int row_bytes = 32 * static_cast<int>(sizeof(In));
  static constexpr std::size_t stage_bytes = static_cast<std::size_t>(tile) * row_bytes;
  static constexpr std::size_t slot_bytes = (scanners + 1) * 32 * sizeof(T) + 4 + 3 * 8;
  static constexpr std::size_t available = 227 * 1024;
  static constexpr int stages =
      static_cast<int>((available - slot_bytes - 256) / (stage_bytes + slot_bytes + 8));
  static constexpr int slots = stages + 1;
  // Tiles of a block that are on their way from memory at once: enough to keep it busy. With more,
  // the words that other tiles wait for would stand behind them in the same queues.
  static constexpr int on_the_way = 2;
  static_assert(stages >= 2);
};

template <class In, class T>
struct strip_ring {
  using shape = strip_shape<In, T>;
  alignas(128) unsigned char stage[shape::stages][shape::stage_bytes];
  alignas(16) unsigned char sums[shape::slots][shape::scanners + 1][32 * sizeof(T)];
  barrier_word full[shape::slots], summed[shape::slots], carried[shape::slots];
  barrier_word empty[shape::stages];
  unsigned ticket[shape::slots];

  // Of chunk c and this lane: the sum, then the prefix before it; behind the last, that after it.
  __device__ T& sum(int slot, int c) { return reinterpret_cast<T*>(sums[slot][c])[lane_id()]; }
};

// How an array is cut into strips: those of one row of neighbours, of all rows, and the tiles of a
// line.
struct strip_layout {
  column_steps steps;
  unsigned width = 1;  // lines that lie side by side, one element apart
  unsigned row_strips = 1, strips = 1, line_tiles = 1;
  strip_levels levels;
};

template <class In, class Out, class T, class Op>
class block_of_strips {
 public:
  using shape = strip_shape<In, T>;
  using cells = column_cells<In, Out, T, Op>;
  static constexpr int rows = shape::rows;

  __device__ block_of_strips(const problem<In, Out, T, Op>& p, const strip_layout& cut,
                             const levels& words)
      : p_(p), cut_(cut), words_(words), ring_(*reinterpret_cast<strip_ring<In, T>*>(shared())) {
    tiles_ = cut.strips * cut.line_tiles;
  }

  // By one thread, before anything that another kernel may have written is read.
  __device__ void set_up() {
    for (int i = 0; i < shape::slots; ++i) {
      ::cuda::ptx::mbarrier_init(&ring_.full[i], 32 * shape::loaders);
      ::cuda::ptx::mbarrier_init(&ring_.summed[i], shape::reducers);
      ::cuda::ptx::mbarrier_init(&ring_.carried[i], shape::lookers);
    }
    for (int i = 0; i < shape::stages; ++i)
      ::cuda::ptx::mbarrier_init(&ring_.empty[i], shape::scanners + shape::reducers);
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
  }

  __device__ void run() {
    epoch_ = words_.state->epoch;
    __syncthreads();
    int warp = warp_id();
    if (warp < shape::loaders)
      load(warp);
    else if ((warp -= shape::loaders) < shape::lookers)
      find_prefixes(warp);
    else if ((warp -= shape::lookers) < shape::reducers)
      reduce(warp);
    else
      scan(warp - shape::reducers);
    if (epoch_ != last_epoch) return;
    __syncthreads();
    if (threadIdx.x == 0) leave(words_, gridDim.x, epoch_);
  }

 private:
  struct place {
    unsigned strip, tile;    // of the array, of the line
    std::uint64_t position;  // in the line
    int m;                   // see items_from
    unsigned line;           // the strip's first
    int lines;               // of the strip
  };

  __device__ static unsigned char* shared() {
    extern __shared__ __align__(128) unsigned char upsweep_strips[];
    return upsweep_strips;
  }
  __device__ place place_of(unsigned ticket) const {
    place at;
    at.tile = ticket / cut_.strips;
    at.strip = ticket - at.tile * cut_.strips;
    const unsigned row = at.strip / cut_.row_strips;
    const unsigned first = (at.strip - row * cut_.row_strips) * 32;
    at.line = row * cut_.width + first;
    at.lines = cut_.width - first < 32 ? static_cast<int>(cut_.width - first) : 32;
    at.position = std::uint64_t{at.tile} * shape::tile;
    at.m = items_from(p_.n, at.position, shape::tile);
    return at;
  }

  __device__ static void loaders_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(32 * shape::loaders) : "memory");
  }
  __device__ void load(int loader);
  __device__ void copy_tile(const place& at, unsigned char* stage, int loader) const;
  __device__ void reduce(int warp);
  __device__ void find_prefixes(int looker);
  __device__ void prefixes_of(const place& at, int slot);
  __device__ void scan(int chunk);

  // A chunk of the tile in a stage, into registers; of this lane's line.
  __device__ void take(T* x, int stage, int chunk) const {
    const In* const first = reinterpret_cast<const In*>(ring_.stage[stage]) + lane_id();
#pragma unroll
    for (int i = 0; i < rows; ++i) x[i] = load_as<T, In>(first[(chunk * rows + i) * 32]);
  }

  const problem<In, Out, T, Op>& p_;
  const strip_layout& cut_;
  const levels& words_;
  strip_ring<In, T>& ring_;
  unsigned tiles_, epoch_ = 0;
};

template <class In, class Out, class T, class Op>
__global__ void __launch_bounds__(strip_shape<In, T>::threads, 1)
    bulk_columns(const __grid_constant__ problem<In, Out, T, Op> p,
                 const __grid_constant__ strip_layout cut, const __grid_constant__ levels words) {
#if __CUDA_ARCH__ >= 900
  block_of_strips<In, Out, T, Op> block(p, cut, words);
  if (threadIdx.x == 0) block.set_up();
  follow_earlier_kernels();
  block.run();
#endif
}

}  // namespace upsweep::cuda

#include "upsweep/cuda/strip_roles.cuh"
