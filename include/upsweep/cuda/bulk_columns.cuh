// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of long lines that lie side by side, on devices of compute capability 9.0 and later: one
// persistent block on each multiprocessor, its warps specialised, a ring of tiles in shared memory.
// A tile is a strip of 32 neighbouring lines by so many steps as fill a stage; a lane has a line of
// its own, so that nothing is handed from lane to lane.
//
//   loader     1 thread  takes tickets, copies each tile into the next free stage
//   reducers   2-4 warps sum of each chunk (a part of a warp's steps), lane by lane
//   publisher  1 warp    sum of the tile -> its word
//   groups     1 warp    sums of groups of tiles -> their words
//   look-back  6-8 warps pairs, in turns: wait for words to the left, a kind each; one of the two:
//                        prefix of each chunk -> in the place of its sum
//   scanners   16 warps  take a chunk each, free the stage, take one of the next tile, wait for the
//                        prefix of the first, form and store all its prefixes
//
// Tickets count all strips of a step before the next, so that words are mostly there when they are
// asked for. bulk_scan.cuh is the same for lines that lie one behind the other.
#pragma once

#include "upsweep/cuda/bulk_ring.cuh"
#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/strip_look_back.cuh"
#include "upsweep/cuda/strip_sums.cuh"
#include "upsweep/cuda/tensor_map.cuh"

namespace upsweep::cuda {

template <class In, class T>
struct strip_shape {
  // Eight-byte values need 72 registers, so they have fewer warps (measured).
  static constexpr bool is_long = sizeof(T) == 8;
  static constexpr int scanners = sizeof(T) <= 8 ? 16 : 8, reducers = scanners / (is_long ? 8 : 4);
  static constexpr int pairs = is_long ? 3 : sizeof(T) <= 16 ? 4 : 1, lookers = 2 * pairs;
  static constexpr int threads = 32 * (3 + lookers + reducers + scanners);
  static constexpr int rows = column_rows<T>, tile = scanners * rows;
  static constexpr int row_bytes = 32 * static_cast<int>(sizeof(In));
  static constexpr int box_rows = tile < 256 ? tile : 256;  // of one copy
  static constexpr std::size_t stage_bytes = static_cast<std::size_t>(tile) * row_bytes;
  // Copies fill whole lines of shared memory.
  static constexpr std::size_t stage_pitch = (stage_bytes + 127) / 128 * 128;
  static constexpr std::size_t slot_bytes = (scanners + 2) * 32 * sizeof(T) + 4 + 4 * 8;
  static constexpr int gathered_bytes = strip_values<T> * 32 * static_cast<int>(sizeof(T));
  static constexpr std::size_t available = 227 * 1024;
  static constexpr std::size_t fixed_bytes =
      2 * slot_bytes + pairs * (gathered_bytes + 16) + (lookers + 2) * strip_word<T>::room + 256;
  static constexpr int stages =
      static_cast<int>((available - fixed_bytes) / (stage_pitch + slot_bytes + 8));
  static constexpr int slots = stages + 2;  // scanners hold two tiles
  // Tiles of a block that are on their way from memory at once: enough to keep it busy. With more,
  // the words that other tiles wait for would stand behind them in the same queues.
  static constexpr int on_the_way = 2;
  static constexpr bool fits = stages >= 2;  // not where items are larger than what they add up to
};

// Barriers are those of bulk_ring.cuh. A slot is used again by the same argument, a turn later:
// scanners take the tile of turn c + 2 after they have read the prefixes of turn c. And:
//
//   published    the tile's sum, and reads of sums of chunks, by the publisher -> the pair that
//                looks back, which puts prefixes in the place of these sums
//   carried      counts all who look back or publish groups, also those whose turn it is not,
//                when they have read the ticket
//   meet(pair)   what both of a pair have gathered -> the one that goes on; its reads -> the next
template <class In, class T>
struct strip_ring {
  using shape = strip_shape<In, T>;
  static_assert(shape::fits);
  alignas(128) unsigned char stage[shape::stages][shape::stage_pitch];
  alignas(16) unsigned char sums[shape::slots][shape::scanners + 2][32 * sizeof(T)];
  alignas(16) unsigned char gathered[shape::pairs][(shape::gathered_bytes + 15) / 16 * 16];
  // Of the warps that look back, publish tiles, and publish groups.
  alignas(16) unsigned char rows[shape::lookers + 2][strip_word<T>::room];
  barrier_word full[shape::slots], summed[shape::slots], published[shape::slots];
  barrier_word carried[shape::slots];
  barrier_word empty[shape::stages];
  unsigned ticket[shape::slots];

  // Of chunk c and this lane: the sum, then the prefix before it; behind the last, that after it.
  __device__ T& sum(int slot, int c) { return reinterpret_cast<T*>(sums[slot][c])[lane_id()]; }
  // Of the tile.
  __device__ T& own(int slot) { return sum(slot, shape::scanners + 1); }
};

// How an array is cut into strips: those of one row of neighbours, of all rows, and the tiles of a
// line.
struct strip_layout {
  CUtensorMap map;  // of the input: lines side by side, steps, up to three more dimensions
  column_steps steps;
  unsigned width = 1;  // lines that lie side by side, one element apart
  unsigned row_strips = 1, strips = 1, line_tiles = 1;
  strip_layout_of_words words;
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

  // By one thread, before anything that another kernel may have written is read. The tile that is
  // called to L2 is likely the block's first.
  __device__ void set_up() {
    for (int i = 0; i < shape::slots; ++i) {
      ::cuda::ptx::mbarrier_init(&ring_.full[i], 1);
      ::cuda::ptx::mbarrier_init(&ring_.summed[i], shape::reducers);
      ::cuda::ptx::mbarrier_init(&ring_.published[i], 1);
      ::cuda::ptx::mbarrier_init(&ring_.carried[i], shape::lookers + 1);
    }
    for (int i = 0; i < shape::stages; ++i)
      ::cuda::ptx::mbarrier_init(&ring_.empty[i], shape::scanners + shape::reducers);
    call_to_l2(blockIdx.x);
    ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
  }

  __device__ void run() {
    unsigned ticket = 0;
    if (threadIdx.x == 0) ticket = take_ticket(words_);
    epoch_ = words_.state->epoch;
    __syncthreads();
    int warp = warp_id();
    if (warp == 0) {
      if (lane_id() == 0) load(ticket);
    } else if (--warp == 0)
      publish_tiles();
    else if (--warp == 0)
      publish_groups();
    else if (--warp < shape::lookers)
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

  __device__ strip_words<T, many_loads<T>> words_of(const place& at, int warp) const {
    return {words_.words + at.strip * words_.line_words * strip_word<T>::granules, epoch_,
            cut_.words, ring_.rows[warp]};
  }
  __device__ strip_lane<T, Op> lane_of(const place& at) const {
    return {p_.op, lane_id() < at.lines};
  }
  __device__ auto sums_of_chunks(const place& at, int slot, bool used = true) const {
    const auto chunk = [this, slot](int c) { return ring_.sum(slot, c); };
    return strip_sums<shape::scanners, T, Op, decltype(chunk)>(
        p_.op, lane_id() < at.lines ? at.m / rows : 0, chunk, used);
  }

  // The two warps of a pair; barrier 0 is that of all.
  __device__ static void meet(int pair) {
    __syncwarp();
#if defined(__CUDACC__)
    asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
#else  // tests/protocol runs this text on the CPU
    __barrier_sync_count(1 + pair, 64);
#endif
  }
  __device__ void load(unsigned ticket);
  __device__ void corner_of(const place& at, std::int32_t* corner) const;
  __device__ void call_to_l2(unsigned ticket) const;
  __device__ void copy_tile(const place& at, unsigned char* stage, barrier_word* full) const;
  __device__ void reduce(int warp);
  // By a whole warp that has done its part for the tile of a slot, or has none.
  __device__ void carry(int slot) {
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.carried[slot]);
  }
  __device__ void publish_tiles();
  __device__ void publish_groups();
  __device__ void find_prefixes(int looker);
  __device__ void look_left(const place& at, const ring_turn<shape>& turn, int looker);
  __device__ void scan(int chunk);
  // A chunk of the tile of a turn, when it is there; returns the tile's ticket.
  __device__ unsigned take_ahead(T* x, const ring_turn<shape>& turn, int chunk) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) return ticket;
    take(x, turn.stage(), chunk);
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.empty[turn.stage()]);
    return ticket;
  }

  // A chunk of the tile in a stage, into registers; of this lane's line.
  __device__ void take(T* x, int stage, int chunk) const {
    const In* const first = reinterpret_cast<const In*>(ring_.stage[stage]) + lane_id();
    const bool down = cut_.steps.in < 0;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const int row = chunk * rows + i;
      x[i] = load_as<T, In>(first[(down ? shape::tile - 1 - row : row) * 32]);
    }
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
