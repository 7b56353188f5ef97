// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel is asked to do, and where a line's items lie and go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/cuda/convert.cuh"
#include "upsweep/cuda/lane.cuh"
#include "upsweep/cuda/lane_vector.cuh"

namespace upsweep::cuda {

enum class result { inclusive, exclusive, none };

// Where the lines of an array begin, counted in elements: the first dimension varies fastest.
struct line_map {
  static constexpr int most = 4;  // dimensions; the host splits what has more
  int rank = 0;
  unsigned extent[most] = {};
  std::int64_t in[most] = {}, out[most] = {};

  struct offsets {
    std::int64_t in, out;
  };
  __host__ __device__ offsets operator()(unsigned line) const {
    offsets o{0, 0};
    int d = 0;
    for (; d + 1 < rank; ++d) {
      const unsigned next = line / extent[d], at = line - next * extent[d];
      o.in += at * in[d], o.out += at * out[d];
      line = next;
    }
    return {o.in + line * in[d], o.out + line * out[d]};
  }
};

// Lines of n elements each, scanned one by one; line l begins at in + at(l).in. A reversed line
// runs downwards from there. P(n) of each line goes to total + at(l).out, where that is given, and
// behind the line's last result where total_after is set.
template <class In, class Out, class T, class Op>
struct problem {
  const In* in = nullptr;
  Out* out = nullptr;
  Out* total = nullptr;
  std::uint64_t n = 0;                      // or, where device_n is given, its upper bound
  const std::uint64_t* device_n = nullptr;  // one line only
  unsigned lines = 1;
  line_map at{};
  T start{};  // init, or for harmless operators the identity
  T empty{};  // what P(0) is written as when there is no init
  bool has_start = false;
  bool has_init = false;
  bool in_aligned = false;  // every line of the input begins at a multiple of 16 bytes
  bool in_reversed = false, out_reversed = false, total_after = false;
  result what = result::inclusive;
  Op op;

  // Lines one after the other, so many elements apart. After `in` is set.
  __host__ void set_lines(unsigned count, std::int64_t in_pitch, std::int64_t out_pitch) {
    lines = count;
    at = {};
    at.in[0] = in_pitch, at.out[0] = out_pitch;
    const auto step = static_cast<std::uintptr_t>(in_pitch) * sizeof(In);
    in_aligned = (reinterpret_cast<std::uintptr_t>(in) | step) % 16 == 0;
  }

  __device__ std::uint64_t length() const {
    return device_n != nullptr ? (*device_n < n ? *device_n : n) : n;
  }
};

// Items of the line from `position` on, as far as a tile of `items` cares: one more than its size
// stands for all that follow it, so that the line's last item is told from the tile's.
__device__ inline int items_from(std::uint64_t n, std::uint64_t position, int items) {
  const std::uint64_t rest = n - position;
  return rest > static_cast<std::uint64_t>(items) ? items + 1 : static_cast<int>(rest);
}

// Stores neighbouring results that fill quads, by quads; at is a multiple of 16 bytes.
template <int items, class Out, class V>
__device__ void store_quads(Out* at, const V* values) {
  constexpr std::size_t bytes = items * sizeof(Out);
  static_assert(bytes % 16 == 0);
  alignas(16) unsigned char packed[bytes];
  constexpr int step = sizeof(Out) == 2 ? 2 : 1;
#pragma unroll
  for (int i = 0; i < items; i += step) {
    if constexpr (step == 2) {
      const unsigned word = store_pair<Out>(values[i], values[i + 1]);
      memcpy(packed + i * sizeof(Out), &word, sizeof(word));
    } else {
      const Out out = store_as<Out>(values[i]);
      memcpy(packed + i * sizeof(Out), &out, sizeof(Out));
    }
  }
#pragma unroll
  for (std::size_t q = 0; q < bytes / 16; ++q) {
    uint4 quad;
    memcpy(&quad, packed + 16 * q, 16);
    reinterpret_cast<uint4*>(at)[q] = quad;
  }
}

// Where the results of a tile go: to the items from `position` on of a line, whose results begin at
// out + line. full: that the line goes on after the tile.
template <class In, class Out, class T, class Op>
class tile_output {
 public:
  static constexpr int items = lane_vector<In>::items;

  __device__ tile_output(const problem<In, Out, T, Op>& p, std::int64_t line,
                         std::uint64_t position, bool full)
      : p_(p), line_(line), begins_line_(position == 0) {
    Out* const first = p.out + line_;
    const auto at = static_cast<std::int64_t>(position);
    lowest_ = p.out_reversed ? first - at - (items - 1) : first + at;
    aligned_ = quads && reinterpret_cast<std::uintptr_t>(lowest_) % 16 == 0;
    plain_ = aligned_ && full && !p.out_reversed && p.what != result::none &&
             (p.what == result::inclusive || p.has_init || !begins_line_);
  }

  // Stores the results of one lane's vector, which begins at item `offset` of the tile and at m
  // items from the line's end. before: see warp_tree::down.
  __device__ void put(int offset, int m, const T* before) const {
    if constexpr (quads) {
      if (plain_ && p_.what == result::inclusive)
        return store_quads<items>(lowest_ + offset, before + 1);
      if (plain_) return store_quads<items>(lowest_ + offset, before);
    }
    put_any(offset, m, before);
  }

 private:
  static constexpr std::size_t bytes = items * sizeof(Out);
  static constexpr bool quads = bytes % 16 == 0;

  __device__ void put_any(int offset, int m, const T* before) const {
    if (m <= 0) return;
    if (p_.what == result::inclusive) store(offset, m, before + 1, false);
    if (p_.what == result::exclusive)
      store(offset, m, before, begins_line_ && offset == 0 && !p_.has_init);
    if (m > items) return;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i + 1 == m) put_total(offset + i + 1, before[i + 1]);
  }

  __device__ void put_total(int after, const T& value) const {
    if (p_.total != nullptr) p_.total[line_] = store_as<Out>(value);
    if (p_.total_after) lowest_[p_.out_reversed ? items - 1 - after : after] = store_as<Out>(value);
  }

  __device__ void store(int offset, int m, const T* values, bool first_is_empty) const {
    Out out[items];
#pragma unroll
    for (int i = 0; i < items; ++i) out[i] = store_as<Out>(values[i]);
    if (first_is_empty) out[0] = store_as<Out>(p_.empty);
    Out* const at = p_.out_reversed ? lowest_ - offset : lowest_ + offset;
    if constexpr (quads) {
      if (aligned_ && m >= items) {
        Out turned[items];
#pragma unroll
        for (int i = 0; i < items; ++i) turned[i] = p_.out_reversed ? out[items - 1 - i] : out[i];
        return store_quads<items>(at, turned);
      }
    }
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) at[p_.out_reversed ? items - 1 - i : i] = out[i];
  }

  const problem<In, Out, T, Op>& p_;
  const std::int64_t line_;
  Out* lowest_;  // of the tile's first vector
  bool begins_line_, aligned_, plain_;
};

// Where there is nothing to scan, the totals are all there is to write. By all threads of a block.
template <class In, class Out, class T, class Op>
__device__ void put_empty_totals(const problem<In, Out, T, Op>& p) {
  const Out value = store_as<Out>(p.has_init ? p.start : p.empty);
  for (unsigned line = threadIdx.x; line < p.lines; line += blockDim.x) {
    if (p.total != nullptr) p.total[p.at(line).out] = value;
    if (p.total_after) p.out[p.at(line).out] = value;
  }
}

}  // namespace upsweep::cuda
