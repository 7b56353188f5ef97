// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a line that lies beside others: a lane's loads and stores, a step of the axis apart.
#pragma once

#include "upsweep/cuda/problem.cuh"

namespace upsweep::cuda {

// Steps of a line that a lane holds in registers at once: its chunk.
template <class T>
inline constexpr int column_rows = sizeof(T) <= 2    ? 32
                                   : sizeof(T) <= 4  ? 16
                                   : sizeof(T) <= 8  ? 8
                                   : sizeof(T) <= 16 ? 4
                                                     : 2;

// A step along the axis, in elements.
struct column_steps {
  std::int64_t in = 0, out = 0;
};

// m, here: how many items of the line there are from `position` on; it may be negative.
template <class In, class Out, class T, class Op>
class column_cells {
 public:
  static constexpr int rows = column_rows<T>;

  __device__ column_cells(const problem<In, Out, T, Op>& p, const column_steps& steps,
                          const line_map::offsets& line)
      : p_(p), steps_(steps), line_(line) {}

  __device__ void load(In* to, std::uint64_t position, int m) const {
    const In* from = p_.in + line_.in + static_cast<std::int64_t>(position) * steps_.in;
#pragma unroll
    for (int i = 0; i < rows; ++i, from += steps_.in)
      if (i < m) to[i] = *from;
  }

  // before[i] is the prefix before item i of the chunk, before[rows] the one after it.
  __device__ void put(std::uint64_t position, int m, const T* before) const {
    if (m <= 0) return;
    Out* const first = p_.out + line_.out + static_cast<std::int64_t>(position) * steps_.out;
    Out* to = first;
    if (p_.what == result::inclusive) {
#pragma unroll
      for (int i = 0; i < rows; ++i, to += steps_.out)
        if (i < m) *to = store_as<Out>(before[i + 1]);
    } else if (p_.what == result::exclusive) {
#pragma unroll
      for (int i = 0; i < rows; ++i, to += steps_.out)
        if (i < m) *to = store_as<Out>(before[i]);
      if (position == 0 && !p_.has_init) *first = store_as<Out>(p_.empty);
    }
    put_total(position, m, before);
  }

  // The same into shared memory, where cell(i) is that of row i, but for the total.
  template <class Cell>
  __device__ void put_shared(Cell&& cell, std::uint64_t position, const T* before) const {
    if (p_.what == result::inclusive) {
#pragma unroll
      for (int i = 0; i < rows; ++i)
        *reinterpret_cast<Out*>(cell(i)) = store_as<Out>(before[i + 1]);
      return;
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) *reinterpret_cast<Out*>(cell(i)) = store_as<Out>(before[i]);
    if (position == 0 && !p_.has_init) *reinterpret_cast<Out*>(cell(0)) = store_as<Out>(p_.empty);
  }

  // Where the line ends with the chunk, what is wanted of it as a whole.
  __device__ void put_total(std::uint64_t position, int m, const T* before) const {
    if (m <= 0 || m > rows || (p_.total == nullptr && !p_.total_after)) return;
    T last = before[0];
#pragma unroll
    for (int i = 1; i <= rows; ++i)
      if (i == m) last = before[i];
    if (p_.total != nullptr) p_.total[line_.out] = store_as<Out>(last);
    if (p_.total_after)
      p_.out[line_.out + (static_cast<std::int64_t>(position) + m) * steps_.out] =
          store_as<Out>(last);
  }

 private:
  const problem<In, Out, T, Op>& p_;
  const column_steps& steps_;
  const line_map::offsets line_;
};

}  // namespace upsweep::cuda
