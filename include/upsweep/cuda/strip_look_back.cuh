// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree look-back for strips of 32 lines that lie side by side: each lane has a line of its own.
//
// As in look_back.cuh, there is a word for the sum of each tile and one for that of each aligned
// group of 32. But a lane reads all words of its line, up to 31 of either kind, so that two warps
// share them: one has the left half of each group, one the right. What lies above groups of 1024
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
  // Waits for `count` words from `first` on.
  __device__ void take_words(const strip_words<T>& words, unsigned first, int count,
                             const strip_lane<T, Op>& lane) {
    words.collect(first, count < 8 ? count : 8,
                  [&](int i, const T& value) { take(i, value, lane); });
    if (count > 8)
      words.collect(first + 8, count - 8, [&](int i, const T& value) { take(8 + i, value, lane); });
  }
};

// The sum of the group of tiles that ends with tile t.
template <class T, class Op>
class strip_group {
 public:
  // Waits for the words of the others, which are all held by running blocks. What the tile itself
  // holds need not be known yet.
  __device__ void gather(const strip_words<T>& words, unsigned t, const strip_lane<T, Op>& lane) {
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

// The look-back of a tile.
template <class T, class Op>
class strip_look_back {
 public:
  // What is gathered for a tile: the blocks of the low bits of its number, then what lies before.
  static constexpr int values = strip_block_level + 1;

  // gathered: shared memory for that many values of each lane, of all who gather. init: the prefix
  // before the line, if any.
  __device__ strip_look_back(const strip_words<T>& words, unsigned char* gathered, const T& init,
                             bool any, const strip_lane<T, Op>& lane)
      : start{init, any},
        words_(words),
        gathered_(gathered),
        lane_(lane),
        init_{init, any},
        upper_{init, any} {}

  folded<T, Op> start;  // the prefix before the tile, if any

  // Waits for the words of one half of tile t's groups, 0 or 1, which lie left of it. What the tile
  // itself holds need not be known yet.
  __device__ void gather(unsigned t, int half) const {
    gather(t, words_.tile(t & ~31u), half, 0);
    const unsigned group = t >> strip_group_level;
    gather(group, words_.group(group & ~31u), half, strip_group_level);
    const unsigned block = t >> strip_block_level;
    if (half == 1 && block != 0)
      value(strip_block_level) = words_.wait_for_word(words_.prefix(block - 1));
  }

  // When all is gathered: forms start.
  __device__ void find(unsigned t) {
    if (t >> strip_block_level != 0) {
      upper_.value = value(strip_block_level);
      upper_.any = true;
    }
    const unsigned low = t & low_bits, ones = trailing(low);
    add_blocks(upper_, low ^ ones);
    start = upper_;
    add_blocks(start, ones);
  }

  // The prefix after the tile t that was found, from its own sum: the blocks of the low ones of t
  // and the tile become one block of t + 1. Publishes what others need of it, if any do.
  __device__ T end(unsigned t, const T& own, bool goes_on) {
    T carried = own;
    const unsigned ones = trailing(t & low_bits);
#pragma unroll 1
    for (int j = 0; (ones >> j & 1) != 0; ++j) carried = lane_.join(value(j), carried);
    if (ones == low_bits) return end_of_block(t >> strip_block_level, carried, goes_on);
    folded<T, Op> last = upper_;
    lane_.add(last, carried);
    return last.value;
  }

 private:
  static constexpr unsigned low_bits = (1u << strip_block_level) - 1;

  // The ones at the end of a number.
  __device__ static unsigned trailing(unsigned bits) { return bits & ~(bits + 1); }

  __device__ T& value(int i) const { return reinterpret_cast<T*>(gathered_)[i * 32 + lane_id()]; }

  // Of the words left of `index` in its group, which begins with the word `first`, those of one
  // half.
  __device__ void gather(unsigned index, unsigned first, int half, int level) const {
    const int used = static_cast<int>(index & 31) - 16 * half, count = used < 16 ? used : 16;
    if (count <= 0) return;
    strip_counter<T, Op> counter;
    counter.take_words(words_, first + 16 * static_cast<unsigned>(half), count, lane_);
#pragma unroll
    for (int j = 0; j < strip_group_level; ++j)
      if ((count >> j & 1) != 0) value(level + j) = counter.block[j];
  }

  // The prefix after the last tile of group of groups b, whose sum is known.
  __device__ T end_of_block(unsigned b, T sum, bool goes_on) const {
    int j = 0;
#pragma unroll 1
    for (; (b >> j & 1) != 0; ++j)
      sum = lane_.join(words_.wait_for_word(words_.block((b >> j << j) - 1)), sum);
    if (goes_on) words_.publish(words_.block(b), sum);
    folded<T, Op> last = init_;
    const unsigned before = b >> j << j;
    if (before != 0) last.value = words_.wait_for_word(words_.prefix(before - 1)), last.any = true;
    lane_.add(last, sum);
    if (goes_on) words_.publish(words_.prefix(b), last.value);
    return last.value;
  }

  // Adds the blocks of the set bits, largest first.
  __device__ void add_blocks(folded<T, Op>& sum, unsigned bits) const {
#pragma unroll 1
    while (bits != 0) {
      const int j = 31 - __clz(static_cast<int>(bits));
      lane_.add(sum, value(j));
      bits ^= 1u << j;
    }
  }

  const strip_words<T>& words_;
  unsigned char* const gathered_;
  const strip_lane<T, Op> lane_;
  const folded<T, Op> init_;
  folded<T, Op> upper_;  // start without the blocks of the low ones of t
};

}  // namespace upsweep::cuda
