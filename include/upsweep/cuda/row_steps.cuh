// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp of row_scan does with a chunk: load, prefixes of groups, prefixes of items, store.
#pragma once

#include "upsweep/cuda/row_scan.cuh"

namespace upsweep::cuda {

template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::load(vector* to, int begin) const {
  if (!plain && rows_.staged) return load_staged(to, begin);
#pragma unroll
  for (int k = 0; k < groups; ++k) {
    const int at = begin + group_in_row(k) + mine_ * items;
    const int m = row(k) < p_.lines ? n_ - at : 0;
    if (m <= 0) continue;
    const In* const first = p_.in + p_.at(row(k)).in;
    if constexpr (plain)
      to[k].load_global(first + at, true, items);
    else if (p_.in_reversed)
      to[k].load_global_reversed(first - at, m);
    else
      to[k].load_global(first + at, false, m);
  }
}

// Element by element, so that neighbouring lanes read neighbouring elements whatever the alignment.
template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::load_staged(vector* to, int begin) const {
  In* const staged = reinterpret_cast<In*>(stage());
  const unsigned rest = p_.lines - first_, most = rows_.rows_of_batch(groups);
  const int rows = static_cast<int>(rest < most ? rest : most);
  const int count = rows_.chunks == 1 ? rows * n_ : n_ - begin;
  const In* const from = p_.in + p_.at(first_).in + begin;
#pragma unroll
  for (int i = 0; i < groups * items; ++i)
    if (i * 32 + lane_id() < count) staged[i * 32 + lane_id()] = from[i * 32 + lane_id()];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < groups; ++k) {
    const int at = group_in_row(k) + mine_ * items;
    const int m = row(k) < p_.lines ? n_ - begin - at : 0;
    const In* const mine = staged + static_cast<int>(row(k) - first_) * n_ + at;
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) to[k].set(i, mine[i]);
  }
  __syncwarp();
}

template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::find_starts(int chunk) {
  if (rows_.group_level == 0) {
#pragma unroll
    for (int k = 0; k < groups; ++k) starts_of_row<1>(k);
  } else if (rows_.group_level == shape::group_level) {
    starts_of_row<groups>(0);
    if (walks && rows_.chunks > 1 && length(0) >= shape::chunk) {
      prefix_.next(chunk, block_sum<0, groups>(sum_, p_.op, groups));
      after_[groups - 1] = prefix_.before.value;
    }
  } else if constexpr (groups == 4) {
    starts_of_row<2>(0);
    starts_of_row<2>(2);
  }
}

// before[i] is the prefix before item i of this lane's vector in group k, before[items] after it.
template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::down(int k, T* before) {
  if constexpr (!keep_left) sum_lanes(k);
  bool has = p_.has_start || begin_ + group_in_row(k) != 0;
  before[0] =
      prefix_of_lane<5>(start_[k], has, theirs_[keep_left ? k : 0], mine_, full_lanes(k), p_.op);
  const T next = from_next_lane(before[0]);
  before[items] = mine_ == (1 << rows_.lane_level) - 1 ? after_[k] : next;
  T x[items];
  unpack(k, x);
  block_prefixes<0, items>(x, before, has, p_.op, left(k));
}

template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::put_plain(int k, T* before) const {
  if constexpr (plain) {
    if (left(k) <= 0) return;
    Out* const to = p_.out + p_.at(row(k)).out + offset(k);
    if (p_.what == result::inclusive) return store_quads<items>(to, before + 1);
    if (!p_.has_init && offset(k) == 0) before[0] = p_.empty;
    store_quads<items>(to, before);
  }
}

template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::put(int k, const T* before) const {
  const int m = left(k), step = p_.out_reversed ? -1 : 1;
  if (m <= 0) return;
  const std::int64_t line = p_.at(row(k)).out;
  Out* const to = p_.out + line + step * offset(k);
  if (p_.what == result::inclusive) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) to[step * i] = store_as<Out>(before[i + 1]);
  } else if (p_.what == result::exclusive) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) to[step * i] = store_as<Out>(before[i]);
    if (!p_.has_init && offset(k) == 0) to[0] = store_as<Out>(p_.empty);
  }
#pragma unroll
  for (int i = 0; i < items; ++i)
    if (i + 1 == m) {
      if (p_.total != nullptr) p_.total[line] = store_as<Out>(before[i + 1]);
      if (p_.total_after) to[step * m] = store_as<Out>(before[i + 1]);
    }
}

// How many results there are of group k, whose first row exists. A total follows the last item.
template <class In, class Out, class T, class Op, row_case which>
__device__ int batch_of_rows<In, Out, T, Op, which>::results_of_group(int k, int pitch) const {
  const unsigned rest = p_.lines - first_row(k), most = rows_.rows_of_group();
  if (rows_.group_level == 0 && rows_.chunks == 1)
    return static_cast<int>(rest < most ? rest : most) * pitch;
  const int here = n_ - begin_ - group_in_row(k);
  if (here > shape::group_items) return shape::group_items;
  return here > 0 ? here + pitch - n_ : 0;
}

// The results of a group lie one behind the other, as the rows do.
template <class In, class Out, class T, class Op, row_case which>
__device__ void batch_of_rows<In, Out, T, Op, which>::put_staged(int k, const T* before) const {
  Out* const staged = reinterpret_cast<Out*>(stage());
  const int pitch = n_ + (p_.total_after ? 1 : 0), m = left(k);
  if (m > 0) {
    Out* const to = staged + (lane_id() >> rows_.lane_level) * pitch + mine_ * items;
    const bool inclusive = p_.what == result::inclusive;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const T value = inclusive ? before[i + 1] : before[i];
      if (i < m) to[i] = store_as<Out>(value);
      if (i + 1 == m && p_.total_after) to[m] = store_as<Out>(before[i + 1]);
    }
    if (!inclusive && !p_.has_init && offset(k) == 0) to[0] = store_as<Out>(p_.empty);
  }
  __syncwarp();
  if (first_row(k) < p_.lines) {
    Out* const to = p_.out + p_.at(first_row(k)).out + begin_ + group_in_row(k);
    for (int i = lane_id(), end = results_of_group(k, pitch); i < end; i += 32) to[i] = staged[i];
  }
  __syncwarp();
}

}  // namespace upsweep::cuda
