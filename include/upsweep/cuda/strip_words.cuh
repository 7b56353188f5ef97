// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for strips of 32 lines that lie side by side: a word holds a value of each line, packed
// into granules, and is published and read by a whole warp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

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

// A word, and a row of shared memory that holds one unpacked. Rows of neighbouring words lie one
// behind the other without gaps. A word fills whole sectors of L2 (32 bytes): of a sector that two
// blocks had written in part, the rest would come from memory before it can be read.
template <class T>
struct strip_word {
  static constexpr int alignment = alignof(T) < 4 ? 4 : static_cast<int>(alignof(T));
  static constexpr int granules = [] {
    int g = (32 * static_cast<int>(sizeof(T)) + 11) / 12;
    while (g % 2 != 0 || g * 12 % alignment != 0) ++g;
    return g;
  }();
  static constexpr int bytes = granules * 12;
  // Words that one warp unpacks at a time; large values one by one.
  static constexpr int rows = sizeof(T) <= 16 ? 4 : 1;
  static constexpr int room = (rows * bytes + 15) / 16 * 16;

  __device__ static T& value(unsigned char* row) { return reinterpret_cast<T*>(row)[lane_id()]; }
  __device__ static unsigned* payload(unsigned char* row, int g) {
    return reinterpret_cast<unsigned*>(row) + 3 * g;
  }
};

// Loads of a lane that are on their way before any is looked at, or as many as a word needs. Each
// takes four registers, and a spill costs a trip to L2 as well; so kernels that have none to spare
// use few.
inline constexpr int few_loads = 3;
template <class T>
inline constexpr int many_loads = sizeof(T) <= 4 ? 6 : few_loads;

// The words of one strip, one behind the other.
template <class T, int at_once>
class strip_words {
 public:
  // first: the strip's first word. rows: shared memory of the warp that uses this,
  // strip_word<T>::rows rows.
  __device__ strip_words(granule* first, unsigned epoch, const strip_layout_of_words& layout,
                         unsigned char* rows)
      : first_(first), epoch_(epoch), layout_(layout), rows_(rows) {}

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

  // Waits for `count` words, up to 16, from `first` on, and calls take(i, value) for each, in
  // order. By a whole warp.
  template <class Take>
  __device__ void collect(unsigned first, int count, Take&& take) const {
    constexpr int trip = words_a_trip;
#pragma unroll
    for (int from = 0; from < 16; from += trip) {
      if (from >= count) break;
      collect_trip<trip>(first + from, count - from < trip ? count - from : trip,
                         [&](int i, const T& value) { take(from + i, value); });
    }
  }

  __device__ T wait_for_word(unsigned word) const {
    T found{};
    collect_trip<1>(word, 1, [&](int, const T& value) { found = value; });
    return found;
  }

 private:
  static constexpr int granules = strip_word<T>::granules;
  // Words that come by one trip to L2.
  static constexpr int fit = 32 * at_once / granules;
  static constexpr int words_a_trip =
      fit < 1 ? 1 : std::min(16, static_cast<int>(std::bit_floor(static_cast<unsigned>(fit))));

  __device__ granule* at(unsigned word) const { return first_ + std::uint64_t{word} * granules; }

  template <int trip, class Take>
  __device__ void collect_trip(unsigned first, int count, Take&& take) const {
    constexpr int loads = (trip * granules + 31) / 32;
    constexpr int rows = trip < strip_word<T>::rows ? trip : strip_word<T>::rows;
    granule seen[loads];
    const int rest = count * granules - lane_id();
    const granule* const from = at(first) + lane_id();
    unsigned missing = 0;
#pragma unroll
    for (int k = 0; k < loads; ++k)
      if (32 * k < rest) missing |= 1u << k;
    do {
#pragma unroll
      for (int k = 0; k < loads; ++k)
        if ((missing >> k & 1) != 0) seen[k] = load_granule(from + 32 * k);
#pragma unroll
      for (int k = 0; k < loads; ++k)
        if ((missing >> k & 1) != 0 && seen[k].epoch == epoch_) missing &= ~(1u << k);
    } while (__any_sync(all_lanes, missing != 0));
#pragma unroll
    for (int row = 0; row < trip; row += rows) {
      if (row >= count) break;
      unpack<loads, rows>(seen, row, rest);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < rows; ++i)
        if (row + i < count) take(row + i, strip_word<T>::value(rows_ + i * strip_word<T>::bytes));
      __syncwarp();
    }
  }

  // Of the granules seen, of which a lane has so many as `rest` says, those of the words from `row`
  // on, to the rows.
  template <int loads, int rows>
  __device__ void unpack(const granule* seen, int row, int rest) const {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      if (32 * k + 31 < row * granules || 32 * k >= (row + rows) * granules) continue;
      const int g = 32 * k + lane_id() - row * granules;
      if (g < 0 || g >= rows * granules || 32 * k >= rest) continue;
      unsigned* const three = strip_word<T>::payload(rows_, g);
      three[0] = seen[k].payload[0], three[1] = seen[k].payload[1];
      three[2] = seen[k].payload[2];
    }
  }

  granule* const first_;
  const unsigned epoch_;
  const strip_layout_of_words& layout_;
  unsigned char* const rows_;
};

}  // namespace upsweep::cuda
