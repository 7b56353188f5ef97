// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel runs a scan.
#pragma once

#include <algorithm>

#include "upsweep/cuda/block_scan.cuh"
#include "upsweep/cuda/bulk_scan.cuh"
#include "upsweep/cuda/launch.cuh"

namespace upsweep::cuda {

// Which kernels a call may use. Bits are the same on every path; tests and benchmarks choose. Where
// there are no bulk copies, plain tiles stand in for them.
enum class path { best, small_tiles, medium_tiles, plain_tiles, bulk_tiles };

// Tiles of a launch: line_tiles of each of `lines` lines, one at least.
inline constexpr std::uint64_t most_tiles = std::uint64_t{1} << 30;

inline unsigned checked_tiles(std::uint64_t lines, std::uint64_t line_tiles) {
  if (line_tiles > most_tiles || lines > most_tiles || line_tiles * lines > most_tiles)
    throw argument_error("upsweep: more elements than one call on a device can scan");
  return static_cast<unsigned>(std::max<std::uint64_t>(1, line_tiles * lines));
}

template <class In, class Out, class T, class Op>
class engine {
 public:
  engine(const problem<In, Out, T, Op>& p, workspace& space, cudaStream_t stream)
      : p_(p), space_(space), stream_(stream) {}

  // The path of small tiles, for programs that compile nothing else: one kernel for each operator.
  void run_small_tiles() {
    if (p_.lines != 0) by_blocks<1>();
  }

  void run(path which) {
    if (p_.lines == 0) return;
    if (which == path::best) which = choose();
    if (which == path::bulk_tiles && !has_bulk_copies()) which = path::plain_tiles;
    switch (which) {
      case path::bulk_tiles:
        return bulk();
      case path::plain_tiles:
        return by_blocks<large_groups>();
      case path::medium_tiles:
        return by_blocks<medium_groups>();
      default:
        return by_blocks<1>();
    }
  }

 private:
  static constexpr int large_groups = full_groups<In>;
  // For 8 bytes a size in between is worth one kernel more.
  static constexpr int medium_groups =
      sizeof(T) == 8 && large_groups == 4 ? large_groups / 2 : large_groups;

  // Measured, see docs/performance.md: tiles as small as the device can hold all at once, if any
  // can, or a large one for each line, or rings of them. Items of 4 bytes gain from rings later.
  path choose() const {
    using large = block_shape<In, T, large_groups>;
    constexpr int most = (sizeof(In) == 4 && sizeof(T) == 4 ? 2 : 1) * large::blocks;
    if (p_.lines > 1 && p_.n <= large::tile / 2) return path::plain_tiles;
    if (fit<1>(2)) return path::small_tiles;
    if (fit<medium_groups>(large::blocks)) return path::medium_tiles;
    return fit<large_groups>(most) ? path::plain_tiles : path::bulk_tiles;
  }

  // Whether each multiprocessor needs to hold no more than so many tiles.
  template <int groups>
  bool fit(int each) const {
    const std::uint64_t all = static_cast<std::uint64_t>(each * space_.processors());
    return tiles_of(p_.n, block_shape<In, T, groups>::tile) <= all / p_.lines;
  }

  bool has_bulk_copies() const {
    return space_.has_bulk_copies() && has_new_code<bulk_scan<In, Out, T, Op>>(space_.device());
  }

  static std::uint64_t tiles_of(std::uint64_t n, std::uint64_t tile) {
    return n / tile + (n % tile != 0 ? 1 : 0);
  }

  void bulk() {
    using shape = bulk_shape<In, T>;
    const std::uint64_t line_tiles = tiles_of(p_.n, shape::tile);
    const unsigned tiles = checked_tiles(p_.lines, line_tiles);
    space_.use(stream_, p_.lines, line_tiles, granules_of<T>, [&](const levels& words) {
      const auto blocks = std::min<unsigned>(tiles, static_cast<unsigned>(space_.processors()));
      launch<bulk_scan<In, Out, T, Op>>(
          space_.device(), stream_, {blocks, shape::threads, sizeof(bulk_ring<In, T>)}, p_, words);
    });
  }

  template <int groups>
  void by_blocks() {
    using shape = block_shape<In, T, groups>;
    constexpr auto kernel = block_scan<In, Out, T, Op, groups>;
    const std::uint64_t line_tiles = tiles_of(p_.n, shape::tile);
    const unsigned tiles = checked_tiles(p_.lines, line_tiles);
    const int device = space_.device();
    if (line_tiles <= 1) {
      const int warps = static_cast<int>((std::max<std::uint64_t>(p_.n, 1) - 1) / shape::chunk) + 1;
      launch<kernel>(device, stream_, {tiles, 32 * warps}, p_, levels{}, exchange::alone);
    } else if (block_of_tiles<In, Out, T, Op, groups>::has_clusters && p_.lines == 1 &&
               line_tiles <= max_cluster && has_new_code<kernel>(device)) {
      launch<kernel>(device, stream_, {tiles, shape::threads, 0, tiles}, p_, levels{},
                     exchange::cluster);
    } else {
      space_.use(stream_, p_.lines, line_tiles, granules_of<T>, [&](const levels& words) {
        const auto blocks =
            std::min<unsigned>(tiles, 4u * static_cast<unsigned>(space_.processors()));
        launch<kernel>(device, stream_, {blocks, shape::threads}, p_, words, exchange::look_back);
      });
    }
  }

  const problem<In, Out, T, Op>& p_;
  workspace& space_;
  cudaStream_t stream_;
};

}  // namespace upsweep::cuda
