// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of lines that lie side by side: a lane has a line of its own. Nothing is handed from
// lane to lane, so lines may have any strides; neighbours in memory are read and written together.
//
//   chunk   32 neighbouring lines (a strip) by `rows` steps, in the registers of a warp
//   tile    the chunks of a block: 2^k chunks of a strip one behind the other, and as many
//           strips as there are warps left
//
// A tile learns the prefixes before it by tree look-back, lane by lane (strip_words.cuh). Lines of
// one tile need none: alone.
#pragma once

#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/strip_words.cuh"

namespace upsweep::cuda {

template <class T>
struct column_shape {
  static constexpr int rows = column_rows<T>;
  static constexpr int warps = sizeof(T) <= 16 ? 16 : 8, threads = 32 * warps;
  static constexpr int longest_alone = warps * rows;  // line that is one tile
};

// How an array is cut into tiles.
struct column_layout {
  column_steps steps;
  int chunk_level = 0;       // a tile has 2^chunk_level chunks of a strip
  unsigned strip_tiles = 1;  // tiles side by side
  unsigned line_tiles = 1;   // tiles one behind the other
  strip_levels levels;
};

template <class T, int warps>
struct column_memory {
  T sum[warps][32];  // of each chunk; then the prefix before it
  T end[warps][32];  // of each strip: the prefix after its chunks
};

template <class In, class Out, class T, class Op, bool alone>
class block_of_columns {
 public:
  using shape = column_shape<T>;
  using memory = column_memory<T, shape::warps>;
  static constexpr int rows = shape::rows;

  __device__ block_of_columns(const problem<In, Out, T, Op>& p, const column_layout& cut,
                              const levels& words)
      : p_(p), cut_(cut), memory_(*reinterpret_cast<memory*>(shared())), words_(words) {
    chunks_ = 1 << cut.chunk_level;
    chunk_ = warp_id() & (chunks_ - 1);
    if constexpr (!alone) epoch_ = words.state->epoch;
  }

  __device__ void run() {
    if constexpr (alone)
      one_tile(blockIdx.x, 0);
    else
      by_tickets();
  }

 private:
  __device__ void by_tickets() {
    __shared__ unsigned ticket;
    for (;;) {
      if (threadIdx.x == 0) ticket = take_ticket(words_);
      __syncthreads();
      const unsigned mine = ticket;
      if (mine >= cut_.line_tiles * cut_.strip_tiles) break;
      const unsigned tile = mine / cut_.strip_tiles;
      one_tile(mine - tile * cut_.strip_tiles, tile);
    }
    if (threadIdx.x == 0) leave(words_, gridDim.x, epoch_);
  }

  __device__ static unsigned char* shared() {
    __shared__ __align__(16) unsigned char bytes[sizeof(memory)];
    return bytes;
  }

  __device__ void one_tile(unsigned strips, unsigned tile);
  __device__ void find_prefixes(unsigned line, unsigned tile, int m);

  const problem<In, Out, T, Op>& p_;
  const column_layout& cut_;
  memory& memory_;
  const levels& words_;
  int chunks_, chunk_;
  unsigned epoch_ = 0;
};

// m, here and below: how many items of the line there are from the tile, or the chunk, on.
template <class In, class Out, class T, class Op, bool alone>
__device__ void block_of_columns<In, Out, T, Op, alone>::one_tile(unsigned strips, unsigned tile) {
  const int warp = warp_id(), lane = lane_id(), tile_rows = rows << cut_.chunk_level;
  const unsigned strip = strips * (shape::warps >> cut_.chunk_level) + (warp >> cut_.chunk_level);
  const unsigned line = strip * 32 + lane;
  const std::uint64_t position = std::uint64_t{tile} * tile_rows;
  const int all = line < p_.lines ? items_from(p_.n, position, tile_rows) : 0;
  const int m = all - chunk_ * rows;
  const std::uint64_t first = position + chunk_ * rows;
  const column_cells<In, Out, T, Op> cells(p_, cut_.steps, p_.at(line < p_.lines ? line : 0));
  In raw[rows];
  cells.load(raw, first, m);
  T x[rows];
#pragma unroll
  for (int i = 0; i < rows; ++i) x[i] = load_as<T, In>(raw[i]);
  memory_.sum[warp][lane] = block_sum<0, rows>(x, p_.op, m);
  __syncthreads();
  if (chunk_ == 0) find_prefixes(line, tile, all);
  __syncthreads();
  if (p_.what == result::none && m > rows) return;
  T before[rows + 1];
  before[0] = memory_.sum[warp][lane];
  before[rows] = chunk_ + 1 < chunks_ ? memory_.sum[warp + 1][lane] : memory_.end[warp][lane];
  block_prefixes<0, rows>(x, before, p_.has_start || first != 0, p_.op, m);
  cells.put(first, m, before);
}

// The prefix of every chunk of a strip, by its first warp; the end is left to its last. Four chunks
// at a time: all at once would take the registers of the values that the warp holds.
template <class In, class Out, class T, class Op, bool alone>
__device__ void block_of_columns<In, Out, T, Op, alone>::find_prefixes(unsigned line, unsigned tile,
                                                                       int m) {
  constexpr int fours = shape::warps / 4;
  const int warp = warp_id(), lane = lane_id(), full = m < 0 ? 0 : m / rows;
  T sum[fours], start[fours], four[4], before[4];
  const auto load_four = [&](int f) {
#pragma unroll
    for (int c = 0; c < 4; ++c)
      four[c] = memory_.sum[4 * f + c < chunks_ ? warp + 4 * f + c : warp][lane];
  };
#pragma unroll
  for (int f = 0; f < fours; ++f) {
    load_four(f);
    sum[f] = block_sum<0, 4>(four, p_.op, full - 4 * f);
  }
  const std::uint64_t pitch = std::uint64_t{cut_.strip_tiles} * 32 * granules_of<T>;
  const strip_words at{words_.words + line * granules_of<T>, pitch, epoch_, cut_.levels};
  strip_look_back<T, Op> look(at, p_.start, p_.has_start, p_.op);
  const T own = block_sum<0, fours>(sum, p_.op, full / 4);
  if constexpr (alone) {
    if (full >= shape::warps) look.only(own);
  } else {
    if (m > 0) look.find(tile, own, full >= shape::warps, m > shape::warps * rows);
  }
  start[0] = look.start.value;
  block_prefixes<0, fours>(sum, start, look.start.any, p_.op, full / 4);
#pragma unroll
  for (int f = 0; f < fours; ++f) {
    load_four(f);
    before[0] = start[f];
    block_prefixes<0, 4>(four, before, look.start.any || f > 0, p_.op, full - 4 * f);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      if (4 * f + c < chunks_) memory_.sum[warp + 4 * f + c][lane] = before[c];
      if (4 * f + c == chunks_) look.end = before[c];
    }
  }
  memory_.end[warp + chunks_ - 1][lane] = look.end;
}

template <class In, class Out, class T, class Op, bool alone>
__global__ void __launch_bounds__(column_shape<T>::threads)
    column_scan(const __grid_constant__ problem<In, Out, T, Op> p,
                const __grid_constant__ column_layout cut, const __grid_constant__ levels words) {
  follow_earlier_kernels();
  block_of_columns<In, Out, T, Op, alone>(p, cut, words).run();
}

}  // namespace upsweep::cuda
