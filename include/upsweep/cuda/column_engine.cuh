// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel scans lines that are not contiguous, and its launch.
//
//   very many side by side   a lane walks down each, out of a ring of bulk copies (bulk_walk); on
//                            older devices, and where rows are short, of loads of its own
//                            (column_walk)
//   long and side by side    a ring of strips with look-back (bulk_columns)
//   else                     column_scan
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "upsweep/cuda/bulk_columns.cuh"
#include "upsweep/cuda/bulk_walk.cuh"
#include "upsweep/cuda/column_scan.cuh"
#include "upsweep/cuda/column_walk.cuh"
#include "upsweep/cuda/engine.cuh"

namespace upsweep::cuda {

inline int level_of(std::uint64_t n) { return n <= 1 ? 0 : std::bit_width(n - 1); }

// Whether what begins at `first`, and any number of steps of these dimensions from there, lies at
// multiples of 16 bytes.
template <class E>
bool begin_aligned(const E* first, const std::int64_t* steps, int from, int to) {
  auto places = reinterpret_cast<std::uintptr_t>(first);
  for (int d = from; d < to; ++d) places |= static_cast<std::uintptr_t>(steps[d]) * sizeof(E);
  return places % 16 == 0;
}

template <class In, class Out, class T, class Op>
class column_engine {
 public:
  column_engine(const problem<In, Out, T, Op>& p, const column_steps& steps, workspace& space,
                cudaStream_t stream)
      : p_(p), steps_(steps), space_(space), stream_(stream) {}

  void run() const {
    strip_layout cut;
    bool strips_do = false;
    if constexpr (strip_shape<In, T>::fits) strips_do = describe_strips(cut.map);
    if (walk_in_bulk(strips_do)) return;
    const auto many = 32 * 24 * processors();
    if (p_.lines >= many && p_.n <= walk_down<In, Out, T, Op>::longest) return walk();
    if constexpr (strip_shape<In, T>::fits)
      if (strips_do) return strips(cut);
    tiles();
  }

 private:
  using columns_of = column_shape<T>;

  unsigned processors() const { return static_cast<unsigned>(space_.processors()); }
  // Lines that lie side by side, one element apart; 0 where none do.
  unsigned width() const { return p_.at.rank > 0 && p_.at.in[0] == 1 ? p_.at.extent[0] : 0; }
  template <auto kernel>
  bool copies_in_bulk() const {
    return space_.has_bulk_copies() && has_new_code<kernel>(space_.device());
  }

  void walk() const {
    using shape = walk_down<In, Out, T, Op>;
    const unsigned blocks = (p_.lines + shape::threads - 1) / shape::threads;
    launch<column_walk<In, Out, T, Op>>(space_.device(), stream_, {blocks, shape::threads}, p_,
                                        steps_);
  }

  // False where that does not suit the array: too few lines for all multiprocessors, rows so short
  // that bulk copies of them are slow (a copy takes about 50 cycles, whatever its size), or lines
  // longer than a lane can keep blocks of. Strips are faster than short rows.
  bool walk_in_bulk(bool strips_do) const {
    using shape = walk_shape<In, T>;
    if constexpr (shape::fits) {
      if (width() == 0 || p_.n < shape::rows || p_.n > shape::longest ||
          !copies_in_bulk<bulk_walk<In, Out, T, Op>>() ||
          static_cast<std::uint64_t>(std::abs(steps_.in)) * sizeof(In) < 16)
        return false;
      walk_layout cut;
      cut.steps = steps_;
      cut.width = width();
      choose_groups(cut);
      const std::size_t row_bytes = std::min(cut.group_lines, cut.width) * sizeof(In);
      if (row_bytes < (strips_do ? 1024 : 512) || 2 * cut.groups < processors()) return false;
      cut.bulk_stores = stores_in_bulk();
      launch<bulk_walk<In, Out, T, Op>>(
          space_.device(), stream_,
          {std::min(cut.groups, processors()), shape::threads, sizeof(walk_ring<In, T>)}, p_, cut);
      return true;
    }
    return false;
  }

  // Groups as large as can be, for long copies, of which each block walks down equally many.
  void choose_groups(walk_layout& cut) const {
    using shape = walk_shape<In, T>;
    const unsigned rows = p_.lines / cut.width, strips = (cut.width + 31) / 32;
    double least = 0;
    for (unsigned k = shape::walkers; k > 0; --k) {
      const unsigned groups = (strips + k - 1) / k, all = rows * groups;
      const double cost = ((all + processors() - 1) / processors()) * (k + 0.75);  // measured
      if (least != 0 && cost >= least) continue;
      least = cost;
      cut.group_lines = 32 * k;
      cut.row_groups = groups;
      cut.groups = all;
    }
    // More than that waits in the queues of memory (docs/performance.md).
    constexpr std::size_t enough = 48 * 1024;
    const std::size_t stage = cut.group_lines * sizeof(In) * shape::rows;
    cut.on_the_way =
        static_cast<int>(std::min<std::size_t>(shape::stages, (enough + stage - 1) / stage));
  }

  // Where results can go where the input was, and from there to memory row by row.
  bool stores_in_bulk() const {
    return sizeof(Out) == sizeof(In) && alignof(Out) <= 16 && p_.what != result::none &&
           p_.at.out[0] == 1 && p_.at.extent[0] * sizeof(Out) % 16 == 0 &&
           begin_aligned(p_.in, p_.at.in, 1, p_.at.rank) &&
           begin_aligned(p_.in, &steps_.in, 0, 1) &&
           begin_aligned(p_.out, p_.at.out, 1, p_.at.rank) &&
           begin_aligned(p_.out, &steps_.out, 0, 1);
  }

  // Describes the input for copies of whole tiles. False where strips do not suit the array.
  bool describe_strips(CUtensorMap& map) const {
    using shape = strip_shape<In, T>;
    if (width() < 24 || p_.n <= columns_of::longest_alone || p_.n >= 0x7fffffffu - shape::tile ||
        !copies_in_bulk<bulk_columns<In, Out, T, Op>>())
      return false;
    box_source source;
    const bool down = steps_.in < 0;
    source.data = p_.in + (down ? static_cast<std::int64_t>(p_.n - 1) * steps_.in : 0);
    source.extent[0] = width() * sizeof(In);
    source.extent[1] = p_.n;
    source.stride[0] = static_cast<std::uint64_t>(std::abs(steps_.in)) * sizeof(In);
    unsigned lines = p_.lines / width();
    for (int d = 1; d < p_.at.rank; ++d) {
      if (p_.at.in[d] <= 0) return false;
      source.extent[d + 1] = d + 1 < p_.at.rank ? p_.at.extent[d] : lines;
      source.stride[d] = static_cast<std::uint64_t>(p_.at.in[d]) * sizeof(In);
      lines /= p_.at.extent[d];
    }
    source.across = shape::row_bytes;
    source.along = shape::box_rows;
    return describe(map, source);
  }

  // cut: whose map describes the input.
  void strips(strip_layout& cut) const {
    using shape = strip_shape<In, T>;
    cut.steps = steps_;
    cut.width = width();
    cut.row_strips = (cut.width + 31) / 32;
    const std::uint64_t all = std::uint64_t{p_.lines / cut.width} * cut.row_strips;
    const std::uint64_t line_tiles = (p_.n + shape::tile - 1) / shape::tile;
    checked_tiles(all, line_tiles);
    cut.strips = static_cast<unsigned>(all);
    cut.line_tiles = static_cast<unsigned>(line_tiles);
    const std::uint64_t line_words = cut.words.set(line_tiles);
    space_.use(stream_, all, line_words, strip_word<T>::granules, [&](const levels& words) {
      const auto blocks = std::min(cut.strips * cut.line_tiles, processors());
      launch<bulk_columns<In, Out, T, Op>>(space_.device(), stream_,
                                           {blocks, shape::threads, sizeof(strip_ring<In, T>)}, p_,
                                           cut, words);
    });
  }

  void tiles() const {
    column_layout cut;
    cut.steps = steps_;
    const std::uint64_t chunks = (p_.n + columns_of::rows - 1) / columns_of::rows;
    cut.chunk_level = std::min(level_of(chunks), level_of(columns_of::warps));
    const std::uint64_t strips = (std::uint64_t{p_.lines} + 31) / 32;
    const unsigned side = static_cast<unsigned>(columns_of::warps) >> cut.chunk_level;
    cut.strip_tiles = static_cast<unsigned>((strips + side - 1) / side);
    const std::uint64_t line_tiles = (chunks + (1u << cut.chunk_level) - 1) >> cut.chunk_level;
    checked_tiles(cut.strip_tiles, line_tiles);
    cut.line_tiles = static_cast<unsigned>(std::max<std::uint64_t>(1, line_tiles));
    if (cut.line_tiles == 1)
      return launch<column_scan<In, Out, T, Op, true>>(
          space_.device(), stream_, {cut.strip_tiles, columns_of::threads}, p_, cut, levels{});
    const std::uint64_t line_words = cut.words.set(line_tiles);
    space_.use(stream_, cut.strip_tiles, line_words, strip_word<T>::granules,
               [&](const levels& words) {
                 const auto blocks = std::min(cut.strip_tiles * cut.line_tiles, 4 * processors());
                 launch<column_scan<In, Out, T, Op, false>>(
                     space_.device(), stream_, {blocks, columns_of::threads}, p_, cut, words);
               });
  }

  const problem<In, Out, T, Op>& p_;
  const column_steps steps_;
  workspace& space_;
  const cudaStream_t stream_;
};

}  // namespace upsweep::cuda
