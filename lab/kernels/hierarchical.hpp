// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hierarchical: three kernels. Every block scans a tile and writes the tile's total; the totals
// are scanned, by the same algorithm again if they are many; every block adds the sum of the tiles
// before it. Any n. Block is the algorithm that scans a tile.
//
//   3 1 7 0 | 4 1 6 3          tiles
//   3 4 11 11 | 4 5 11 14      totals 11 14  ->  offsets e 11
//   3 4 11 11 | 15 16 22 25    the offset of each tile added
//
// cost(n): traffic 4 n elements and 3 a tile; kernels 3 for two levels, 5 for three
// The last kernel adds to what lies in y: run twice without the first, it is wrong.
// Order: not the canonical one, whatever Block is: offset + (B1 + B2) is not (offset + B1) + B2.
#pragma once

#include "lab/kernels/hillis_steele.hpp"

namespace upsweep::lab {

// Adds offsets[b] to the prefixes that end in tile b, from tile 1 on.
template <class T, class Op>
struct add_offsets {
  global<const T> offsets;
  global<T> y;
  std::uint32_t tile_size;
  bool exclusive;
  Op op;

  template <class M>
  UPSWEEP_HD void operator()(M& m) const {
    const std::uint32_t b = m.block() + 1;
    m.step("add offsets"_at, 0, true);
    const T offset = m.load(offsets, b, "offsets[b]"_at);
    for (std::uint32_t i = m.thread(); i < tile_size; i += m.threads()) {
      const std::uint64_t at = std::uint64_t{b} * tile_size + i + (exclusive ? 1 : 0);
      if (at >= y.size) continue;
      const T sum = m.apply(op, offset, m.load(y, at, "y[i]"_at));
      m.store(y, at, sum, "y[i]"_at);
      m.show(at, sum, std::uint64_t{b} * tile_size - (exclusive ? 0 : 1));
    }
  }
};

template <class Block = hillis_steele>
struct hierarchical {
  static constexpr const char* name = "hierarchical";

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size == 0) return;
    const unsigned threads = how.threads != 0 ? how.threads : threads_for<Block, T>(x.size);
    check_threads<Block>(threads);
    check_shared(Block::name, threads, sizeof(T), Block::template bytes<T>(threads));
    const std::uint32_t size = threads * Block::items;
    const std::uint64_t tiles = (x.size + size - 1) / size;
    if (size < 2 && tiles > 1)
      throw argument_error("upsweep: hierarchical needs tiles of two elements");
    const shape form{tiles, threads, Block::template bytes<T>(threads), false};
    scan_tiles<Block, T, Op> first{{x, y, {}, 0, 0, how.exclusive}, op};
    if (tiles == 1) return d.launch("scan tiles", form, first);
    first.job.totals = d.template array<T>("totals", tiles);
    const global<T> offsets = d.template array<T>("offsets", tiles);
    d.launch("scan tiles", form, first);
    scan(d, global<const T>(first.job.totals), offsets, op, {true, threads});
    d.launch("add offsets", {tiles - 1, threads, 0, false},
             add_offsets<T, Op>{offsets, y, size, how.exclusive, op});
  }
};

}  // namespace upsweep::lab
