// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for strips of 32 lines that lie side by side: a word holds a value of each line, packed
// into granules, and is published and read by a whole warp.
#pragma once

#include "upsweep/cuda/lane.cuh"
#include "upsweep/cuda/word.cuh"

namespace upsweep::cuda {

inline constexpr int strip_group_level = 5;                      // log2 of the tiles of a group
inline constexpr int strip_block_level = 2 * strip_group_level;  // and of a group of groups

// Where words of each kind begin, in words of a strip; those of tiles begin at 0. See
// strip_look_back.cuh.
struct strip_layout_of_words {
  unsigned groups = 0, blocks = 0, prefixes = 0;

  // Words of a strip of that many tiles.
  __host__ std::uint64_t set(std::uint64_t tiles) {
    groups = static_cast<unsigned>(tiles);
    blocks = groups + static_cast<unsigned>(tiles >> strip_group_level);
    prefixes = blocks + static_cast<unsigned>(tiles >> strip_block_level);
    return prefixes + (tiles >> strip_block_level);
  }
};

// A word, and a row of shared memory that holds one unpacked.
template <class T>
struct strip_word {
  static constexpr int granules = (32 * static_cast<int>(sizeof(T)) + 11) / 12;
  static constexpr int alignment = alignof(T) < 4 ? 4 : static_cast<int>(alignof(T));
  static constexpr int bytes = (granules * 12 + alignment - 1) / alignment * alignment;
  // Words that one warp unpacks at a time; large values one by one.
  static constexpr int rows = sizeof(T) <= 16 ? 8 : 1;

  __device__ static T& value(unsigned char* row) { return reinterpret_cast<T*>(row)[lane_id()]; }
  __device__ static unsigned* payload(unsigned char* row, int g) {
    return reinterpret_cast<unsigned*>(row) + 3 * g;
  }
};

// The words of one strip.
template <class T>
class strip_words {
 public:
  // first: that of the strip's first word. pitch: granules from word to word. rows: shared memory
  // of the warp that uses this, strip_word<T>::rows rows.
  __device__ strip_words(granule* first, std::uint64_t pitch, unsigned epoch,
                         const strip_layout_of_words& layout, unsigned char* rows)
      : first_(first), pitch_(pitch), epoch_(epoch), layout_(layout), rows_(rows) {}

  // Which word is that of the sum of a tile; a group; the blocks that end with a group of groups;
  // and that of the prefix after such a group.
  __device__ unsigned tile(unsigned t) const { return t; }
  __device__ unsigned group(unsigned g) const { return layout_.groups + g; }
  __device__ unsigned block(unsigned b) const { return layout_.blocks + b; }
  __device__ unsigned prefix(unsigned b) const { return layout_.prefixes + b; }

  // By a whole warp, each lane with its line's value.
  __device__ void publish(unsigned word, const T& value) const {
    strip_word<T>::value(rows_) = value;
    __syncwarp();
    for (int g = lane_id(); g < granules; g += 32) {
      const unsigned* const three = strip_word<T>::payload(rows_, g);
      store_granule(at(word) + g, {{three[0], three[1], three[2]}, epoch_});
    }
    __syncwarp();
  }

  // Waits for `count` words, up to 8, from `first` on, and calls take(i, value) for each, in order.
  // By a whole warp.
  template <class Take>
  __device__ void collect(unsigned first, int count, Take&& take) const {
    constexpr int rows = strip_word<T>::rows;
#pragma unroll
    for (int from = 0; from < 8; from += rows) {
      if (from >= count) break;
      const int here = count - from < rows ? count - from : rows;
#pragma unroll 1
      for (int begin = 0; begin < here * granules; begin += 32 * at_once)
        wait_for(first + from, begin, here * granules);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < rows; ++i)
        if (i < here) take(from + i, strip_word<T>::value(rows_ + i * strip_word<T>::bytes));
      __syncwarp();
    }
  }
  __device__ T wait_for_word(unsigned word) const {
    T found{};
    collect(word, 1, [&](int, const T& value) { found = value; });
    return found;
  }

 private:
  static constexpr int granules = strip_word<T>::granules;

  __device__ granule* at(unsigned word) const { return first_ + word * pitch_; }

  // Loads of a lane that are on their way before any is looked at: eight words of 4-byte values.
  // More would take registers that are not there, and a spill costs a trip to L2 as well.
  static constexpr int at_once = 3;

  // Granules from `begin` on of the words from `first` on, of which there are `end`, to the rows.
  __device__ void wait_for(unsigned first, int begin, int end) const {
    const granule* from[at_once];
    unsigned missing = 0;
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int g = begin + 32 * k + lane_id(), word = g / granules;
      from[k] = at(first + static_cast<unsigned>(word)) + (g - word * granules);
      if (g < end) missing |= 1u << k;
    }
    do {
      granule seen[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if ((missing >> k & 1) != 0) seen[k] = load_granule(from[k]);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if ((missing >> k & 1) != 0 && seen[k].epoch == epoch_) {
          const int g = begin + 32 * k + lane_id(), word = g / granules;
          unsigned* const three =
              strip_word<T>::payload(rows_ + word * strip_word<T>::bytes, g - word * granules);
          three[0] = seen[k].payload[0], three[1] = seen[k].payload[1];
          three[2] = seen[k].payload[2];
          missing &= ~(1u << k);
        }
    } while (__any_sync(all_lanes, missing != 0));
  }

  granule* const first_;
  const std::uint64_t pitch_;
  const unsigned epoch_;
  const strip_layout_of_words& layout_;
  unsigned char* const rows_;
};

}  // namespace upsweep::cuda
