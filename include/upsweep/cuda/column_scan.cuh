// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of lines that lie side by side: a lane has a line of its own. Nothing is handed from
// lane to lane, so lines may have any strides; neighbours in memory are read and written together.
//
//   chunk   32 neighbouring lines (a strip) by `rows` steps, in the registers of a warp
//   tile    the chunks of a block: 2^k chunks of a strip one behind the other, and as many
//           strips as there are warps left
//
// A tile learns the prefixes before it by tree look-back, lane by lane (strip_look_back.cuh). Lines
// of one tile need none: alone.
#pragma once

#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/strip_look_back.cuh"
#include "upsweep/cuda/strip_sums.cuh"

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
  strip_layout_of_words words;
};

template <class T, int warps, bool alone>
struct column_memory {
  T sum[warps][32];              // of each chunk; then the prefix before it
  T end[alone ? warps : 1][32];  // of each strip: the prefix after its chunks
};
template <class T, int warps>
struct column_memory<T, warps, false> {
  T sum[warps][32];
  T end[1][32];
  // Of the two warps that look back, and of that which publishes groups.
  alignas(16) unsigned char rows[3][strip_word<T>::room];
  alignas(16) unsigned char gathered[strip_values<T> * 32 * sizeof(T)];
};

template <class In, class Out, class T, class Op, bool alone>
class block_of_columns {
 public:
  using shape = column_shape<T>;
  using memory = column_memory<T, shape::warps, alone>;
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
  __device__ void look_left(unsigned line, unsigned tile, int m);
  __device__ void find_prefixes(unsigned line, unsigned tile, int m);

  __device__ auto sums_of_chunks(int m) const {
    const int first = warp_id() - chunk_, lane = lane_id();
    const auto chunk = [this, first, lane](int c) {
      return memory_.sum[c < chunks_ ? first + c : first][lane];
    };
    return strip_sums<shape::warps, T, Op, decltype(chunk)>(p_.op, m < 0 ? 0 : m / rows, chunk);
  }
  // Of a line, for one of the warps that need them.
  __device__ strip_words<T, few_loads> words_of(unsigned line, int warp) const {
    return {words_.words + line / 32 * words_.line_words * strip_word<T>::granules, epoch_,
            cut_.words, memory_.rows[warp]};
  }
  // The same in all lanes of a strip, also in those without a line.
  __device__ int items_of(unsigned tile) const {
    return items_from(p_.n, std::uint64_t{tile} * (shape::warps * rows), shape::warps * rows);
  }

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
  if constexpr (!alone) {
    if (warp < 3) look_left(line, tile, all);
    __syncthreads();
  }
  if (chunk_ == 0) find_prefixes(line, tile, all);
  __syncthreads();
  if (p_.what == result::none && m > rows) return;
  T before[rows + 1];
  before[0] = memory_.sum[warp][lane];
  before[rows] =
      chunk_ + 1 < chunks_ ? memory_.sum[warp + 1][lane] : memory_.end[alone ? warp : 0][lane];
  block_prefixes<0, rows>(x, before, p_.has_start || first != 0, p_.op, m);
  cells.put(first, m, before);
}

// By three warps: the tile's word, and those of tiles to its left; those of groups; the word of the
// group that ends with the tile, if any.
template <class In, class Out, class T, class Op, bool alone>
__device__ void block_of_columns<In, Out, T, Op, alone>::look_left(unsigned line, unsigned tile,
                                                                   int m) {
  const int warp = warp_id();
  const auto words = words_of(line, warp);
  const strip_lane<T, Op> lane{p_.op, line < p_.lines};
  constexpr int tile_rows = shape::warps * rows;
  if (warp == 0 && items_of(tile) > tile_rows)
    words.publish(words.tile(tile), sums_of_chunks(m).sum());
  const bool full = items_of(tile) >= tile_rows;
  if (warp == 2 && tile % 32 == 31 && full) {
    strip_group<T, Op> group;
    group.gather(words, tile, lane);
    words.publish(words.group(tile / 32), group.sum(sums_of_chunks(m).sum(), lane));
  }
  if (warp < 2)
    strip_look_back<T, Op, few_loads>(words, memory_.gathered, p_.start, p_.has_start, lane)
        .gather(tile, warp, full);
}

// The prefix of every chunk of a strip, by its first warp; the end is left to its last.
template <class In, class Out, class T, class Op, bool alone>
__device__ void block_of_columns<In, Out, T, Op, alone>::find_prefixes(unsigned line, unsigned tile,
                                                                       int m) {
  constexpr int tile_rows = shape::warps * rows;
  const int warp = warp_id(), lane = lane_id();
  const auto sums = sums_of_chunks(m);
  folded<T, Op> start{p_.start, p_.has_start};
  T end = p_.start;
  if constexpr (alone) {
    folded<T, Op> last = start;
    if (m >= tile_rows) last.add(p_.op, sums.sum());
    end = last.value;
  } else {
    const auto words = words_of(line, 0);
    strip_look_back<T, Op, few_loads> look(words, memory_.gathered, p_.start, p_.has_start,
                                           {p_.op, line < p_.lines});
    look.find(tile);
    if (items_of(tile) >= tile_rows) end = look.end(tile, sums.sum());
    start = look.start;
  }
  sums.prefixes(start, [&](int c, const T& prefix) {
    if (c < chunks_) memory_.sum[warp + c][lane] = prefix;
    if (c == chunks_) end = prefix;
  });
  memory_.end[alone ? warp + chunks_ - 1 : 0][lane] = end;
}

template <class In, class Out, class T, class Op, bool alone>
__global__ void __launch_bounds__(column_shape<T>::threads, 2)
    column_scan(const __grid_constant__ problem<In, Out, T, Op> p,
                const __grid_constant__ column_layout cut, const __grid_constant__ levels words) {
  follow_earlier_kernels();
  block_of_columns<In, Out, T, Op, alone>(p, cut, words).run();
}

}  // namespace upsweep::cuda
