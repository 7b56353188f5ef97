// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree look-back for strips of 32 lines that lie side by side: each lane has a line of its own.
//
// As in look_back.cuh, there is a word for the sum of each tile and one for that of each aligned
// group of 32. But a lane reads all words of its line, up to 32 of either kind, so that two warps
// share them: one has those of tiles, the other those of groups. What lies above groups of 1024
// tiles comes from one word: the last tile of such a group publishes the prefix after it, and also
// the sum of the largest aligned block that ends there (a Fenwick tree, 1994), of which the next
// such prefixes are made.
#pragma once

#include "upsweep/cuda/look_back.cuh"
#include "upsweep/cuda/strip_words.cuh"

namespace upsweep::cuda {

// The operator for a lane; one whose line does not exist applies nothing.
template <class T, class Op>
struct strip_lane {
  const Op& op;
  bool exists;

  __device__ T join(const T& left, const T& right) const {
    return harmless<Op, T> || exists ? combine(op, left, right) : right;
  }
  __device__ void add(folded<T, Op>& sum, const T& block) const {
    if (harmless<Op, T> || exists) sum.add(op, block);
  }
};

// Sums of neighbouring words as they come: a binary counter of blocks. block[j] is that of bit j of
// how many have come, up to 16.
template <class T, class Op>
struct strip_counter {
  static constexpr int levels = strip_group_level;
  T block[levels];

  __device__ void take(int i, T value, const strip_lane<T, Op>& lane) {
#pragma unroll
    for (int j = 0; j < levels; ++j) {
      if ((i >> j & 1) == 0) {
        block[j] = value;
        return;
      }
      value = lane.join(block[j], value);
    }
  }
  // Waits for `count` words, up to 16, from `first` on.
  template <class Words>
  __device__ void take_words(const Words& words, unsigned first, unsigned count,
                             const strip_lane<T, Op>& lane) {
    words.collect(first, static_cast<int>(count),
                  [&](int i, const T& value) { take(i, value, lane); });
  }
};

// The sum of the group of tiles that ends with tile t.
template <class T, class Op>
class strip_group {
 public:
  // Waits for the words of the others, which are all held by running blocks. What the tile itself
  // holds need not be known yet.
  template <class Words>
  __device__ void gather(const Words& words, unsigned t, const strip_lane<T, Op>& lane) {
    left_.take_words(words, words.tile(t - 31), 16, lane);
    right_.take_words(words, words.tile(t - 15), 15, lane);
  }
  // own: the sum of tile t.
  __device__ T sum(T own, const strip_lane<T, Op>& lane) const {
#pragma unroll
    for (int j = 0; j < 4; ++j) own = lane.join(right_.block[j], own);
    return lane.join(left_.block[4], own);
  }

 private:
  strip_counter<T, Op> left_, right_;
};

// What is gathered for a tile: the blocks of the low bits of its number, then what lies before; and
// what is read early for the end of a group of groups, where there is room.
template <class T>
inline constexpr int strip_kept = sizeof(T) <= 32 ? 4 : 0;
template <class T>
inline constexpr int strip_values = strip_block_level + 1 + strip_kept<T>;

// The look-back of a tile.
template <class T, class Op, int at_once>
class strip_look_back {
 public:
  // gathered: shared memory for that many values of each lane, of all who gather. init: the prefix
  // before the line, if any.
  __device__ strip_look_back(const strip_words<T, at_once>& words, unsigned char* gathered,
                             const T& init, bool any, const strip_lane<T, Op>& lane)
      : start{init, any}, words_(words), gathered_(gathered), lane_(lane), upper_{init, any} {}

  folded<T, Op> start;  // the prefix before the tile, if any

  // Waits for words left of tile t. What the tile itself holds need not be known yet. part 0: those
  // of tiles, 1: of groups, and the prefix before the group of groups. In both what is older comes
  // first, so that little is left to do when the last is there. full: that the tile is.
  __device__ void gather(unsigned t, int part, bool full) const {
    const bool ends_block = part == 1 && (t & low_bits) == low_bits && full;
    if (ends_block) read_early(t >> strip_block_level);
    const int level = part == 0 ? 0 : strip_group_level;
    const unsigned index = t >> level, used = index & 31;
    const unsigned first = part == 0 ? words_.tile(t & ~31u) : words_.group(index & ~31u);
    strip_counter<T, Op> counter;
    if (used != 0) counter.take_words(words_, first, used < 16 ? used : 16, lane_);
    put(counter, used < 16 ? used : 16, level);
    if (part == 1 && t >> strip_block_level != 0)
      value(strip_block_level) = words_.wait_for_word(words_.prefix((t >> strip_block_level) - 1));
    if (used <= 16) return;
    counter.take_words(words_, first + 16, used - (ends_block ? 15 : 16), lane_);
    put(counter, used - 16, level);
    if (ends_block) end_block(t >> strip_block_level, counter.block[4]);
  }

  // When all is gathered: forms start. By the warp that gathered tiles.
  __device__ void find(unsigned t) {
    const unsigned low = t & low_bits, ones = trailing(low);
    if (t >> strip_block_level != 0) {
      upper_.value = value(strip_block_level);
      upper_.any = true;
    }
    add_blocks(upper_, low ^ ones);
    start = upper_;
    add_blocks(start, ones);
  }

  // The prefix after the full tile t that was found, from its own sum: the blocks of the low ones
  // of t and the tile become one block of t + 1. That after a group of groups is published.
  __device__ T end(unsigned t, const T& own) {
    const unsigned ones = trailing(t & low_bits);
    if (ones == low_bits) return words_.wait_for_word(words_.prefix(t >> strip_block_level));
    T carried = own;
#pragma unroll 1
    for (int j = 0; (ones >> j & 1) != 0; ++j) carried = lane_.join(value(j), carried);
    folded<T, Op> last = upper_;
    lane_.add(last, carried);
    return last.value;
  }

 private:
  static constexpr unsigned low_bits = (1u << strip_block_level) - 1;

  // The ones at the end of a number.
  __device__ static unsigned trailing(unsigned bits) { return bits & ~(bits + 1); }

  __device__ T& value(int i) const { return reinterpret_cast<T*>(gathered_)[i * 32 + lane_id()]; }

  // The blocks of so many words that came.
  __device__ void put(const strip_counter<T, Op>& counter, unsigned came, int level) const {
#pragma unroll
    for (int j = 0; j < strip_group_level; ++j)
      if ((came >> j & 1) != 0) value(level + j) = counter.block[j];
  }

  // All tiles of the next group of groups wait for what end_block publishes. So of the words which
  // that needs, and which are there long before, the first are read early. 0: the prefix before the
  // largest block that ends with b; 1 + j: see left_of.
  __device__ void read_early(unsigned b) const {
    const unsigned before = b & (b + 1);
#pragma unroll 1
    for (int i = 0; i < strip_kept<T>; ++i) {
      if (i > 0 && (b >> (i - 1) & 1) == 0) return;
      if (i == 0 && before == 0) continue;
      early(i) = words_.wait_for_word(i == 0 ? words_.prefix(before - 1) : left_of(b, i - 1));
    }
  }
  __device__ T& early(int i) const { return value(strip_block_level + 1 + i); }
  __device__ T early_or_now(int i, unsigned word) const {
    return i < strip_kept<T> ? early(i) : words_.wait_for_word(word);
  }
  // The word of the left half of that block of 2^(j + 1) which ends with block b.
  __device__ unsigned left_of(unsigned b, int j) const { return words_.block((b >> j << j) - 1); }

  // Publishes what ends with block b, a group of groups, besides its groups: the prefix after it
  // and the sum of the largest block that ends there. right: the sum of its right half.
  __device__ void end_block(unsigned b, const T& right) const {
    T sum = lane_.join(value(strip_block_level - 1), right);
#pragma unroll 1
    for (int j = 0; (b >> j & 1) != 0; ++j)
      sum = lane_.join(early_or_now(j + 1, left_of(b, j)), sum);
    folded<T, Op> last = start;
    const unsigned before = b & (b + 1);
    if (before != 0) last.value = early_or_now(0, words_.prefix(before - 1)), last.any = true;
    lane_.add(last, sum);
    words_.publish(words_.prefix(b), last.value);
    words_.publish(words_.block(b), sum);
  }

  // Adds the blocks of the set bits, largest first.
  __device__ void add_blocks(folded<T, Op>& sum, unsigned bits) const {
    if (bits == 0) return;
    T next = value(highest(bits));
#pragma unroll 1
    do {
      const T block = next;
      bits ^= 1u << highest(bits);
      if (bits != 0) next = value(highest(bits));
      lane_.add(sum, block);
    } while (bits != 0);
  }
  __device__ static int highest(unsigned bits) { return 31 - __clz(static_cast<int>(bits)); }

  const strip_words<T, at_once>& words_;
  unsigned char* const gathered_;
  const strip_lane<T, Op> lane_;
  folded<T, Op> upper_;  // start without the blocks of the low ones of t
};

}  // namespace upsweep::cuda
