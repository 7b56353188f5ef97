// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of very many lines that lie side by side: a lane walks down a line of its own, a chunk
// of steps at a time, and asks for the next chunk before it scans the present one. Nothing is
// handed from lane to lane or from block to block.
#pragma once

#include "upsweep/cuda/chunk_prefix.cuh"
#include "upsweep/cuda/column_cells.cuh"
#include "upsweep/cuda/stream_order.cuh"

namespace upsweep::cuda {

inline constexpr int column_walk_level = 10;  // log2 of the chunks that no line reaches

template <class In, class Out, class T, class Op>
class walk_down {
 public:
  static constexpr int warps = 8, threads = 32 * warps, rows = column_rows<T>;
  static constexpr std::uint64_t longest = rows * ((std::uint64_t{1} << column_walk_level) - 1);

  __device__ walk_down(const problem<In, Out, T, Op>& p, const column_steps& steps)
      : p_(p), steps_(steps), prefix_(p.start, p.has_start, p.op) {}

  __device__ void run() {
    const unsigned line = (blockIdx.x * warps + warp_id()) * 32 + lane_id();
    const bool exists = line < p_.lines;
    const line_map::offsets at = p_.at(exists ? line : 0);
    const int n = exists ? static_cast<int>(p_.n) : 0,
              chunks = (static_cast<int>(p_.n) + rows - 1) / rows;
    const column_cells<In, Out, T, Op> cells(p_, steps_, at);
    In next[rows];
    cells.load(next, 0, n);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int begin = chunk * rows, m = n - begin;
      T x[rows], before[rows + 1];
#pragma unroll
      for (int i = 0; i < rows; ++i) x[i] = load_as<T, In>(next[i]);
      if (chunk + 1 < chunks) cells.load(next, begin + rows, m - rows);
      before[0] = prefix_.before.value;
      const bool has = prefix_.before.any;
      if (!guarded<Op, T> || m >= rows) prefix_.next(chunk, block_sum<0, rows>(x, p_.op, rows));
      before[rows] = prefix_.before.value;
      block_prefixes<0, rows>(x, before, has, p_.op, m);
      cells.put(begin, m, before);
    }
  }

 private:
  const problem<In, Out, T, Op>& p_;
  const column_steps& steps_;
  chunk_prefix<T, Op, column_walk_level> prefix_;
};

template <class In, class Out, class T, class Op>
__global__ void __launch_bounds__(walk_down<In, Out, T, Op>::threads, sizeof(T) <= 8 ? 3 : 1)
    column_walk(const __grid_constant__ problem<In, Out, T, Op> p,
                const __grid_constant__ column_steps steps) {
  follow_earlier_kernels();
  walk_down<In, Out, T, Op>(p, steps).run();
}

}  // namespace upsweep::cuda
