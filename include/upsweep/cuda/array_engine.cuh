// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel scans the lines of an array along an axis, and its launch.
//
//   axis contiguous       rows     a warp takes short ones, or walks along one (row_scan); long
//                                  or few: a block each, or tiles with look-back (engine)
//   axis not contiguous   columns  see column_engine
#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/cuda/column_engine.cuh"
#include "upsweep/cuda/engine.cuh"
#include "upsweep/cuda/row_scan.cuh"
#include "upsweep/geometry.hpp"

namespace upsweep::cuda {

template <class In, class Out, class T, class Op>
class array_engine {
 public:
  // p: data, operator and init; where the lines lie is taken from g.
  array_engine(const problem<In, Out, T, Op>& p, const geometry& g, workspace& space,
               cudaStream_t stream)
      : p_(p),
        outer_(g),
        in_step_(g.in_step()),
        out_step_(g.out_step()),
        space_(space),
        stream_(stream) {
    p_.n = g.length();
    p_.total_after = g.out_extra != 0;
    if (p_.what == result::none) out_step_ = 1;
    if (p_.n <= 1) in_step_ = 1;
    if (p_.n <= 1 && !p_.total_after) out_step_ = 1;
  }

  void run(path which) {
    if (outer_.size(outer_.rank) == 0) return;
    if (p_.n == 0 && p_.what != result::none && !p_.total_after) return;
    each_part(p_, 0, which);
  }

 private:
  static constexpr std::uint64_t most_lines = most_tiles;
  using rows_of = row_shape<In, Out>;

  // Launches for dimensions from `first` on; the outermost are split where a launch cannot take
  // all.
  void each_part(const problem<In, Out, T, Op>& from, int first, path which) {
    std::uint64_t lines = 1;
    for (int d = first; d < outer_.rank; ++d)
      lines *= outer_.dims[static_cast<std::size_t>(d)].extent;
    const int rank = outer_.rank - first;
    if (rank <= line_map::most && lines <= most_lines)
      return launch_part(from, first, lines, which);
    const upsweep::detail::dimension dim = outer_.dims[static_cast<std::size_t>(first)];
    const std::uint64_t at_once = rank == 1 ? most_lines : 1;
    for (std::uint64_t i = 0; i < dim.extent; i += at_once) {
      problem<In, Out, T, Op> part = from;
      part.in += static_cast<std::int64_t>(i) * dim.in;
      (part.what == result::none ? part.total : part.out) += static_cast<std::int64_t>(i) * dim.out;
      if (rank == 1)
        launch_part(part, first, std::min(at_once, dim.extent - i), which);
      else
        each_part(part, first + 1, which);
    }
  }

  void launch_part(problem<In, Out, T, Op> p, int first, std::uint64_t lines, path which) {
    p.lines = static_cast<unsigned>(lines);
    p.at.rank = outer_.rank - first;
    for (int d = 0; d < p.at.rank; ++d) {
      const auto& dim = outer_.dims[static_cast<std::size_t>(outer_.rank - 1 - d)];
      p.at.extent[d] = static_cast<unsigned>(dim.extent);
      p.at.in[d] = dim.in, p.at.out[d] = dim.out;
    }
    p.in_aligned = begin_aligned(p.in, p.at.in, 0, p.at.rank);
    if (p.n == 0) return engine(p, space_, stream_).run(which);
    if (std::abs(in_step_) != 1 || std::abs(out_step_) != 1)
      return column_engine(p, column_steps{in_step_, out_step_}, space_, stream_).run();
    p.in_reversed = in_step_ < 0;
    p.out_reversed = out_step_ < 0;
    if (which == path::best && suits_warps(p)) return rows(p);
    engine(p, space_, stream_).run(which);
  }

  // Warps take rows where there are enough of them to fill the device, or rows are too short for
  // anything else.
  bool suits_warps(const problem<In, Out, T, Op>& p) const {
    if (p.lines == 1 || p.n == 0) return false;
    const auto many = 12 * static_cast<unsigned>(space_.processors());
    return p.n <= rows_of::chunk || (p.n <= rows_of::longest && p.lines >= many);
  }

  void rows(const problem<In, Out, T, Op>& p) {
    row_layout cut;
    const auto vectors = (p.n + rows_of::items - 1) / rows_of::items;
    cut.lane_level = std::min(level_of(vectors), 5);
    cut.group_level = std::min(level_of((vectors + 31) / 32), rows_of::group_level);
    cut.chunks = static_cast<int>((p.n + rows_of::chunk - 1) / rows_of::chunk);
    const unsigned batch = cut.rows_of_batch(rows_of::groups);
    cut.staged = is_staged(p, batch);
    if constexpr (rows_of::items * sizeof(Out) % 16 == 0 && lane_vector<In>::quads)
      if (is_plain(p) && cut.chunks == 1)
        return launch_rows<row_case::plain_chunk>(p, cut, batch, 0);
      else if (is_plain(p))
        return launch_rows<row_case::plain>(p, cut, batch, 0);
    launch_rows<row_case::any>(p, cut, batch,
                               cut.staged ? rows_of::warps * rows_of::warp_bytes : 0);
  }

  template <row_case which>
  void launch_rows(const problem<In, Out, T, Op>& p, const row_layout& cut, unsigned batch,
                   std::size_t shared) {
    constexpr auto kernel = row_scan<In, Out, T, Op, which>;
    const std::uint64_t batches = (std::uint64_t{p.lines} + batch - 1) / batch;
    const std::uint64_t blocks = (batches + rows_of::warps - 1) / rows_of::warps;
    launch<kernel>(space_.device(), stream_,
                   {static_cast<unsigned>(blocks), rows_of::threads, shared}, p, cut);
  }

  // True where rows have whole vectors at multiples of 16 bytes and nothing is special.
  static bool is_plain(const problem<In, Out, T, Op>& p) {
    return p.in_aligned && begin_aligned(p.out, p.at.out, 0, p.at.rank) &&
           p.n % rows_of::items == 0 && !p.in_reversed && !p.out_reversed &&
           p.what != result::none && !p.total_after;
  }

  // True where the rows of a batch lie one behind the other.
  static bool is_staged(const problem<In, Out, T, Op>& p, unsigned batch) {
    if (p.in_reversed || p.out_reversed || p.what == result::none) return false;
    const auto n = static_cast<std::int64_t>(p.n), results = n + (p.total_after ? 1 : 0);
    return batch == 1 || (p.at.rank <= 1 && p.at.in[0] == n && p.at.out[0] == results);
  }

  problem<In, Out, T, Op> p_;
  upsweep::detail::outer_shape outer_;
  std::int64_t in_step_, out_step_;
  workspace& space_;
  cudaStream_t stream_;
};

}  // namespace upsweep::cuda
