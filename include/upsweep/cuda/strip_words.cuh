// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree look-back for strips of lines that lie side by side: each lane has a line, and words, of its
// own, so that a warp reads and writes them together, and lanes hand each other nothing.
//
// As in look_back.cuh, level 0 holds the sum of each tile, level q those of each aligned group of
// 8^q tiles. Eight, not 32, since each lane reads all words of a group that it needs: up to seven a
// level. And a tile that knows the prefix after itself publishes that, too, where its number is
// odd: the prefix before tile t is that before any number made of the leading bits of t, and one
// block for each bit that is missing. So whoever comes late needs one word, and whoever comes early
// those of two or three levels, until an earlier tile's prefix is met.
#pragma once

#include "upsweep/cuda/look_back.cuh"

namespace upsweep::cuda {

inline constexpr int strip_radix_level = 3;  // log2 of the tiles of a group
inline constexpr int max_strip_levels = 10;

// Where each level begins, in words of a line, behind its prefixes.
struct strip_levels {
  unsigned start[max_strip_levels] = {};

  // Words of a line of that many tiles.
  __host__ std::uint64_t set(std::uint64_t tiles) {
    std::uint64_t words = tiles / 2;
    for (int q = 0; q < max_strip_levels; ++q, tiles >>= strip_radix_level) {
      start[q] = static_cast<unsigned>(words);
      words += tiles;
    }
    return words;
  }
};

// The words of one lane's line.
struct strip_words {
  granule* words;
  std::uint64_t pitch;  // from word to word of a line, in granules
  unsigned epoch;
  const strip_levels& levels;

  __device__ granule* at(int level, unsigned index) const {
    return words + (levels.start[level] + index) * pitch;
  }
  // That of the prefix before an even tile.
  __device__ granule* prefix(unsigned tile) const { return words + (tile / 2 - 1) * pitch; }
};

// The look-back of one lane.
template <class T, class Op>
class strip_look_back {
 public:
  // init: the prefix before the line, if any.
  __device__ strip_look_back(const strip_words& words, const T& init, bool any, const Op& op)
      : end(init), start{init, any}, words_(words), op_(op) {}

  T end;                // the prefix after the tile, where the tile is full
  folded<T, Op> start;  // that before it, if any

  // For a full tile that is the first and only one: nothing to wait for.
  __device__ void only(const T& own) {
    folded<T, Op> last = start;
    last.add(op_, own);
    end = last.value;
  }

  // Publishes the words that end with tile t and waits for those left of it. own: the tile's sum,
  // right where it is full. goes_on: it is full and not the line's last, so that somebody needs it.
  __device__ void find(unsigned t, const T& own, bool full, bool goes_on) {
    if (goes_on) publish(words_.at(0, t), own, words_.epoch);
    const int ones = __ffs(static_cast<int>(~t)) - 1;
    T node[step * max_strip_levels], group = own;
    for (int q = 0;; ++q) {
      const unsigned index = t >> step * q;
      if (ones >= step * (q + 1)) {  // the group ends here, too
        add_level(q, index, node + step * q, 0);
        if (!goes_on) continue;
#pragma unroll
        for (int j = 0; j < step; ++j) group = combine(op_, node[step * q + j], group);
        publish(words_.at(q + 1, index >> step), group, words_.epoch);
        continue;
      }
      const int from =
          ones > step * q ? ones : step * q;  // the lowest bit that may be left to a prefix
      const unsigned before = t >> from << from;
      if (!add_level(q, index, node + step * q, before) && before != 0) continue;
      fold(t, own, full, node, ones, from);
      break;
    }
    if (goes_on && (t & 1) != 0) publish(words_.prefix(t + 1), end, words_.epoch);
  }

 private:
  static constexpr int step = strip_radix_level;
  static constexpr int at_once = sizeof(T) <= 12 ? 7 : 1;  // words that are asked for together

  // Waits for the words of the group of `index` that lie left of it and sums them to blocks: one
  // for each set bit of the index in its group. If by then the prefix before that tile is there,
  // start becomes it, and the answer is true.
  __device__ bool add_level(int level, unsigned index, T* node, unsigned before) {
    const int count = static_cast<int>(index & 7);
    bool found = false;
#pragma unroll 1
    for (int from = 0; from == 0 || from < count; from += at_once) {
      T v[at_once];
      const int rest = count - from;
      unsigned missing = (1u << (rest < at_once ? rest : at_once)) - 1;
      do {
        if (before != 0 && !found)
          found = observe(words_.prefix(before), start.value, words_.epoch);
#pragma unroll
        for (int i = 0; i < at_once; ++i)
          if ((missing >> i & 1) != 0 &&
              observe(words_.at(level, (index & ~7u) + from + i), v[i], words_.epoch))
            missing &= ~(1u << i);
      } while (missing != 0);
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (from + i < count) count_up(from + i, v[i], node);
    }
    start.any = start.any || found;
    return found;
  }

  // A binary counter: the i-th value joins the blocks of the ones at the end of i.
  __device__ void count_up(int i, T value, T* node) const {
    int j = 0;
#pragma unroll
    for (; j < step && (i >> j & 1) != 0; ++j) value = combine(op_, node[j], value);
    if (j < step) node[j] = value;
  }

  // start: the prefix before the bits of t from `from` on.
  __device__ void fold(unsigned t, const T& own, bool full, const T* node, int ones, int from) {
#pragma unroll 1
    for (int j = from - 1; j >= ones; --j)
      if ((t >> j & 1) != 0) start.add(op_, node[j]);
    if (full) {  // the low ones of t and the tile itself become one block of t + 1
      T carried = own;
#pragma unroll 1
      for (int j = 0; j < ones; ++j) carried = combine(op_, node[j], carried);
      folded<T, Op> last = start;
      last.add(op_, carried);
      end = last.value;
    }
#pragma unroll 1
    for (int j = ones - 1; j >= 0; --j) start.add(op_, node[j]);
  }

  const strip_words words_;
  const Op& op_;
};

}  // namespace upsweep::cuda
