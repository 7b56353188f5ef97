// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prefix of one who takes the chunks of a line one after the other: a binary counter of block
// sums, as on the CPU (order.hpp), in registers.
#pragma once

#include "upsweep/cuda/look_back.cuh"

namespace upsweep::cuda {

// For lines of less than 2^levels chunks. All lanes of a warp are at the same chunk.
template <class T, class Op, int levels>
class chunk_prefix {
 public:
  // init: the prefix before the line, if any.
  __device__ chunk_prefix(const T& init, bool any, const Op& op)
      : before{init, any}, init_{init, any}, op_(op) {}

  folded<T, Op> before;  // the prefix before the present chunk, if any

  // Goes on to the next chunk. sum: of chunk number `chunk`, which is full. The chunk and the
  // blocks of the ones at the end of its number become one block, the last of the fold.
  __device__ void next(int chunk, const T& sum) {
    const int ones = __ffs(~chunk) - 1;
    T carried = sum;
    before = init_;
#pragma unroll
    for (int j = levels - 1; j >= 0; --j)
      if (j > ones && (chunk >> j & 1) != 0) before.add(op_, node_[j]);
#pragma unroll
    for (int j = 0; j < levels; ++j) {
      if (j < ones) carried = combine(op_, node_[j], carried);
      if (j == ones) node_[j] = carried;
    }
    before.add(op_, carried);
  }

 private:
  const folded<T, Op> init_;
  T node_[levels];  // sums of 2^j chunks, for each set bit j of the chunk's number
  const Op& op_;
};

}  // namespace upsweep::cuda
