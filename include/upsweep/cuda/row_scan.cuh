// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scan of many rows: a warp takes a batch of rows into registers, each row in lanes of its own,
// and stores them again. Nothing is handed from warp to warp.
//
//   a row of up to 32 vectors    2^k lanes, so that a group of 32 lanes holds 32 >> k rows
//   of up to a chunk             2 or 4 groups
//   of more                      one chunk after the other, by one warp that keeps the prefix
//
// Rows that do not begin at multiples of 16 bytes are staged through shared memory where they lie
// one behind the other, so that the warp's accesses to device memory stay contiguous.
#pragma once

#include "upsweep/cuda/chunk_prefix.cuh"
#include "upsweep/cuda/problem.cuh"
#include "upsweep/cuda/stream_order.cuh"
#include "upsweep/cuda/warp.cuh"

namespace upsweep::cuda {

template <class In, class Out>
struct row_shape {
  using vector = lane_vector<In>;
  static constexpr int warps = 8, threads = 32 * warps;
  static constexpr int groups = full_groups<In>, group_level = groups == 4 ? 2 : groups - 1;
  static constexpr int items = vector::items, group_items = 32 * items;
  static constexpr int chunk = groups * group_items;
  static constexpr int walk_level = 5;                       // log2 of the most chunks of a row
  static constexpr int longest = chunk << (walk_level - 1);  // row
  // Staged, per warp: the input of a batch, then, in its place, the results of one group and one
  // total a row.
  static constexpr std::size_t in_bytes = chunk * sizeof(In);
  static constexpr std::size_t out_bytes = (group_items + 32) * sizeof(Out);
  static constexpr std::size_t warp_bytes =
      ((in_bytes > out_bytes ? in_bytes : out_bytes) + 15) / 16 * 16;
};

// How rows are laid on lanes: a row has 2^lane_level lanes of 2^group_level groups, more than one
// group only where it has all lanes, and more than one chunk only where it has all groups.
struct row_layout {
  int lane_level = 0, group_level = 0, chunks = 1;
  bool staged = false;

  __host__ __device__ int rows_of_group() const { return 32 >> lane_level; }
  __host__ __device__ unsigned rows_of_batch(int groups) const {
    return static_cast<unsigned>(groups * rows_of_group()) >> group_level;
  }
};

// plain: every row begins at a multiple of 16 bytes and has whole vectors, in and out; nothing is
// reversed or reduced, and there are no totals. plain_chunk: and rows are no longer than a chunk.
enum class row_case { plain_chunk, plain, any };

template <class In, class Out, class T, class Op, row_case which>
class batch_of_rows {
 public:
  using shape = row_shape<In, Out>;
  using vector = typename shape::vector;
  static constexpr int groups = shape::groups, items = shape::items;

  __device__ batch_of_rows(const problem<In, Out, T, Op>& p, const row_layout& rows)
      : p_(p), rows_(rows), n_(static_cast<int>(p.n)), prefix_(p.start, p.has_start, p.op) {
    first_ = (blockIdx.x * shape::warps + warp_id()) * rows.rows_of_batch(groups);
    mine_ = lane_id() & ((1 << rows.lane_level) - 1);
  }

  __device__ void run() {
    if (first_ >= p_.lines) return;
    load(raw_, 0);
    for (int chunk = 0;;) {
      vector next[walks ? groups : 1];
      if (walks && chunk + 1 < rows_.chunks) load(next, (chunk + 1) * shape::chunk);
#pragma unroll
      for (int k = 0; k < groups; ++k) sum_[k] = sum_lanes(k);
      find_starts(chunk);
#pragma unroll
      for (int k = 0; k < groups; ++k) {
        T before[items + 1];
        down(k, before);
        plain ? put_plain(k, before) : rows_.staged ? put_staged(k, before) : put(k, before);
      }
      if constexpr (walks) {
        if (++chunk == rows_.chunks) break;
#pragma unroll
        for (int k = 0; k < groups; ++k) raw_[k] = next[k];
        begin_ += shape::chunk;
      } else {
        break;
      }
    }
  }

 private:
  static constexpr bool plain = which != row_case::any, walks = which != row_case::plain_chunk;
  static constexpr bool keep_left = sizeof(T) <= 4 && !walks;

  // The first row of group k, the row of this lane, and where the group begins in the row.
  __device__ unsigned first_row(int k) const {
    return first_ + ((k >> rows_.group_level) << (5 - rows_.lane_level));
  }
  __device__ unsigned row(int k) const { return first_row(k) + (lane_id() >> rows_.lane_level); }
  __device__ int group_in_row(int k) const {
    return (k & ((1 << rows_.group_level) - 1)) * shape::group_items;
  }
  __device__ int offset(int k) const { return begin_ + group_in_row(k) + mine_ * items; }
  // How many items of the row of this lane there are from the chunk on; from its vector on.
  __device__ int length(int k) const { return row(k) < p_.lines ? n_ - begin_ : 0; }
  __device__ int left(int k) const { return length(k) - group_in_row(k) - mine_ * items; }
  __device__ int full_lanes(int k) const {
    const int rest = length(k) - group_in_row(k);
    return rest < 0 ? 0 : rest / items;
  }

  __device__ void load(vector* to, int begin) const;
  __device__ void load_staged(vector* to, int begin) const;
  __device__ void find_starts(int chunk);
  __device__ void down(int k, T* before);
  __device__ void put_plain(int k, T* before) const;
  __device__ void put(int k, const T* before) const;
  __device__ void put_staged(int k, const T* before) const;
  __device__ int results_of_group(int k, int pitch) const;

  __device__ static unsigned char* stage() {
    extern __shared__ __align__(16) unsigned char upsweep_rows[];
    return upsweep_rows + warp_id() * shape::warp_bytes;
  }
  __device__ void unpack(int k, T* x) const {
#pragma unroll
    for (int i = 0; i < items; ++i) x[i] = load_as<T, In>(raw_[k][i]);
  }
  __device__ T sum_lanes(int k) {
    T x[items];
    unpack(k, x);
    const T sum = block_sum<0, items>(x, p_.op, left(k));
    return sum_neighbours<5>(sum, theirs_[keep_left ? k : 0], mine_, full_lanes(k), p_.op,
                             rows_.lane_level);
  }

  // The prefixes before and after the `size` groups of a row, from its first group k on.
  template <int size>
  __device__ void starts_of_row(int k) {
    const int full = length(k) / shape::group_items;
    start_[k] = prefix_.before.value;
    block_prefixes<0, size>(sum_ + k, start_ + k, prefix_.before.any, p_.op, full);
#pragma unroll
    for (int i = 0; i + 1 < size; ++i) after_[k + i] = start_[k + i + 1];
    if (guarded<Op, T> && length(k) < size * (items << rows_.lane_level)) return;
    folded<T, Op> after = prefix_.before;
    after.add(p_.op, block_sum<0, size>(sum_ + k, p_.op, size));
    after_[k + size - 1] = after.value;
  }

  const problem<In, Out, T, Op>& p_;
  const row_layout& rows_;
  const int n_;
  chunk_prefix<T, Op, shape::walk_level> prefix_;
  unsigned first_;        // row of the batch
  int mine_, begin_ = 0;  // this lane, and the chunk, counted in the row
  vector raw_[groups];
  T sum_[groups], start_[groups], after_[groups];  // of each group
  T theirs_[keep_left ? groups : 1][5];
};

template <class T, row_case which>
inline constexpr int row_blocks = sizeof(T) > 8            ? 1
                                  : sizeof(T) > 4          ? 2
                                  : which == row_case::any ? 3
                                                           : 4;

template <class In, class Out, class T, class Op, row_case which>
__global__ void __launch_bounds__(row_shape<In, Out>::threads, row_blocks<T, which>)
    row_scan(const __grid_constant__ problem<In, Out, T, Op> p,
             const __grid_constant__ row_layout rows) {
  follow_earlier_kernels();
  batch_of_rows<In, Out, T, Op, which>(p, rows).run();
}

}  // namespace upsweep::cuda

#include "upsweep/cuda/row_steps.cuh"
