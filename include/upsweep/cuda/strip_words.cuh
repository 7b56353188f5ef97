// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree look-back for strips of lines that lie side by side: each lane has a line, and words, of its
// own, so that a warp reads and writes them together.
//
// Tile t publishes one word: the sum of the largest aligned block of tiles that ends with it, 2^j
// of them where j is the number of ones at the end of t. It forms that from the words of tiles t -
// 1, t - 2, t - 4, ... t - 2^(j-1). The prefix before tile t is the fold of one word for each set
// bit of t, largest first: the order of the definition. The words are a Fenwick tree (Fenwick
// 1994), as many as there are tiles.
#pragma once

#include "upsweep/cuda/look_back.cuh"

namespace upsweep::cuda {

// The words of one lane's line.
struct strip_words {
  granule* words;
  std::uint64_t pitch;  // from tile to tile, in granules
  unsigned epoch;

  __device__ granule* at(unsigned tile) const { return words + tile * pitch; }
};

// The look-back of one lane.
template <class T, class Op>
class strip_look_back {
 public:
  // init: the prefix before the line, if any.
  __device__ strip_look_back(const T& init, bool any, const Op& op)
      : end(init), start{init, any}, op_(op) {}

  T end;                // the prefix after the tile, where the tile is full
  folded<T, Op> start;  // that before it, if any

  // Waits for the words left of tile t. own: the tile's sum, right where it is full. goes_on: it is
  // full and not the line's last, so that somebody needs its word.
  __device__ void find(const strip_words& words, unsigned t, const T& own, bool full,
                       bool goes_on) {
    const int ones = __ffs(static_cast<int>(~t)) - 1;
    const unsigned low = (1u << ones) - 1;
    T carried = own;
    if (full) {
#pragma unroll 1
      for (int j = 0; j < ones; ++j) carried = combine(op_, wait(words, t - (1u << j)), carried);
    }
    if (goes_on) publish(words.at(t), carried, words.epoch);
    add_blocks(words, t, t & ~low);
    if (full) {
      folded<T, Op> last = start;
      last.add(op_, carried);
      end = last.value;
    }
    add_blocks(words, t, low);
  }

 private:
  __device__ static T wait(const strip_words& words, unsigned tile) {
    T value;
    while (!observe(words.at(tile), value, words.epoch)) {
    }
    return value;
  }

  // Adds the blocks of these bits of t, largest first; several words are asked for at once.
  __device__ void add_blocks(const strip_words& words, unsigned t, unsigned bits) {
    constexpr int at_once = sizeof(T) <= 12 ? 4 : 1;
#pragma unroll 1
    while (bits != 0) {
      T v[at_once];
      const granule* from[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int j = 31 - __clz(static_cast<int>(bits));
        from[i] = bits == 0 ? nullptr : words.at((t >> j << j) - 1);
        if (bits != 0) bits ^= 1u << j;
      }
      unsigned missing = 0;
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (from[i] != nullptr) missing |= 1u << i;
      while (missing != 0) {
#pragma unroll
        for (int i = 0; i < at_once; ++i)
          if ((missing >> i & 1) != 0 && observe(from[i], v[i], words.epoch)) missing &= ~(1u << i);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (from[i] != nullptr) start.add(op_, v[i]);
    }
  }

  const Op& op_;
};

}  // namespace upsweep::cuda
