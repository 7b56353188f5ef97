// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each warp of bulk_columns does. Every role passes the ring's turns in order; a ticket beyond
// the last tile ends it.
#pragma once

#include "upsweep/cuda/bulk_columns.cuh"

namespace upsweep::cuda {

// A ticket is taken when there is room for its tile, since every tile to the right waits for this
// one.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::load(unsigned ticket) {
  ring_turn<shape> turn, arrived;
  for (int i = 0;; ++i, turn.next()) {
    if (i >= shape::on_the_way) {
      wait(&ring_.full[arrived.slot()], arrived.slot_parity());
      arrived.next();
    }
    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);
    if (i > 0) ticket = take_ticket(words_);
    ring_.ticket[turn.slot()] = ticket;
    if (ticket >= tiles_) break;
    copy_tile(place_of(ticket), ring_.stage[turn.stage()], &ring_.full[turn.slot()]);
  }
  arrive(&ring_.full[turn.slot()]);
  if (epoch_ != last_epoch) leave(words_, gridDim.x, epoch_);
}

// Where a tile is in the tensor map. A line that runs downwards has its first step last.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::corner_of(const place& at,
                                                           std::int32_t* corner) const {
  constexpr int unit = static_cast<int>(box_unit(shape::row_bytes));
  unsigned outer = at.line / cut_.width;
  corner[0] = static_cast<std::int32_t>((at.line - outer * cut_.width) * sizeof(In) / unit);
  const auto position = static_cast<std::int64_t>(at.position);
  corner[1] = static_cast<std::int32_t>(
      cut_.steps.in < 0 ? static_cast<std::int64_t>(p_.n) - position - shape::tile : position);
#pragma unroll
  for (int d = 1; d < line_map::most; ++d) {
    const unsigned extent = d < p_.at.rank ? p_.at.extent[d] : 1, next = outer / extent;
    corner[d + 1] = static_cast<std::int32_t>(outer - next * extent);
    outer = next;
  }
}

// Whole tiles, whatever there is of them: where the array ends, zeros come.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::copy_tile(const place& at, unsigned char* stage,
                                                           barrier_word* full) const {
  std::int32_t from[box_rank];
  corner_of(at, from);
  ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                         ::cuda::ptx::space_shared, full,
                                         static_cast<std::uint32_t>(shape::stage_bytes));
#pragma unroll
  for (int row = 0; row < shape::tile; row += shape::box_rows, from[1] += shape::box_rows)
    ::cuda::ptx::cp_async_bulk_tensor(::cuda::ptx::space_cluster, ::cuda::ptx::space_global,
                                      stage + row * shape::row_bytes, &cut_.map, from, full);
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::call_to_l2(unsigned ticket) const {
  if (ticket >= tiles_) return;
  std::int32_t from[box_rank];
  corner_of(place_of(ticket), from);
#if defined(__CUDACC__)  // else tests/protocol runs this text on the CPU
#pragma unroll
  for (int row = 0; row < shape::tile; row += shape::box_rows, from[1] += shape::box_rows)
    asm volatile(
        "cp.async.bulk.prefetch.tensor.5d.L2.global.tile [%0, {%1, %2, %3, %4, %5}];" ::"l"(
            &cut_.map),
        "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]), "r"(from[4])
        : "memory");
#endif
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::reduce(int warp) {
  constexpr int chunks = shape::scanners / shape::reducers;  // of each
  ring_turn<shape> turn;
  for (;; turn.next()) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    T sum[chunks];
#pragma unroll
    for (int i = 0; i < chunks; ++i) {
      const int chunk = warp + i * shape::reducers;
      T x[rows];
      take(x, turn.stage(), chunk);
      sum[i] = block_sum<0, rows>(x, p_.op, lane_id() < at.lines ? at.m - chunk * rows : 0);
    }
#pragma unroll
    for (int i = 0; i < chunks; ++i) ring_.sum(turn.slot(), warp + i * shape::reducers) = sum[i];
    __syncwarp();
    if (lane_id() == 0) {
      arrive(&ring_.empty[turn.stage()]);
      arrive(&ring_.summed[turn.slot()]);
    }
  }
  if (lane_id() == 0) arrive(&ring_.summed[turn.slot()]);
}

// The tile's sum goes to the other blocks at once, whatever this block has to wait for. Nobody is
// right of a line's last tile.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::publish_tiles() {
  ring_turn<shape> turn;
  for (;; turn.next()) {
    const int slot = turn.slot();
    wait(&ring_.summed[slot], turn.slot_parity());
    const unsigned ticket = ring_.ticket[slot];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    const T sum = sums_of_chunks(at, slot).sum();
    ring_.own(slot) = sum;
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.published[slot]);
    const auto words = words_of(at, shape::lookers);
    if (at.m > shape::tile) words.publish(words.tile(at.tile), sum);
  }
}

// A warp of its own: it waits for other blocks, and the word of the next tile must not. It does so
// while the group's last tile is summed.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::publish_groups() {
  ring_turn<shape> turn;
  for (;; turn.next()) {
    const int slot = turn.slot();
    wait(&ring_.full[slot], turn.slot_parity());
    const unsigned ticket = ring_.ticket[slot];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    if (at.tile % 32 == 31 && at.m >= shape::tile) {
      const auto words = words_of(at, shape::lookers + 1);
      const auto lane = lane_of(at);
      strip_group<T, Op> group;
      group.gather(words, at.tile, lane);
      wait(&ring_.published[slot], turn.slot_parity());
      words.publish(words.group(at.tile / 32), group.sum(ring_.own(slot), lane));
    }
    carry(slot);
  }
}

// What lies left of a tile is looked for while the tile is summed. One whose turn it is not
// arrives all the same: only that keeps the loader from giving the slot to another tile before this
// warp has seen what is in it.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::find_prefixes(int looker) {
  const int pair = looker / 2;
  ring_turn<shape> turn;
  for (int whose = 0;; turn.next(), whose = whose + 1 < shape::pairs ? whose + 1 : 0) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    if (whose == pair) look_left(place_of(ticket), turn, looker);
    carry(turn.slot());
  }
}

// By both of a pair, of which the first goes on when both have gathered; the second does not
// gather for the next tile before that has been used.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::look_left(const place& at,
                                                           const ring_turn<shape>& turn,
                                                           int looker) {
  const int pair = looker / 2, part = looker % 2, slot = turn.slot();
  const auto words = words_of(at, looker);
  strip_look_back<T, Op, many_loads<T>> look(words, ring_.gathered[pair], p_.start, p_.has_start,
                                             lane_of(at));
  meet(pair);
  look.gather(at.tile, part, at.m >= shape::tile);
  if (part == 0) wait(&ring_.published[slot], turn.slot_parity());
  const auto sums = sums_of_chunks(at, slot, part == 0);
  meet(pair);
  if (part != 0) return;
  look.find(at.tile);
  T end = p_.start;
  if (at.m >= shape::tile) end = look.end(at.tile, ring_.own(slot));
  sums.prefixes(look.start, [&](int c, const T& prefix) { ring_.sum(slot, c) = prefix; });
  ring_.sum(slot, shape::scanners) = end;
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::scan(int chunk) {
  ring_turn<shape> turn, ahead;
  T next[rows];
  unsigned ticket = take_ahead(next, ahead, chunk);
  for (; ticket < tiles_; turn.next()) {
    T x[rows], before[rows + 1];
#pragma unroll
    for (int i = 0; i < rows; ++i) x[i] = next[i];
    const place at = place_of(ticket);
    ahead.next();
    ticket = take_ahead(next, ahead, chunk);
    const bool exists = lane_id() < at.lines;
    const int m = exists ? at.m - chunk * rows : 0;
    wait(&ring_.carried[turn.slot()], turn.slot_parity());
    before[0] = ring_.sum(turn.slot(), chunk);
    before[rows] = ring_.sum(turn.slot(), chunk + 1);
    const std::uint64_t position = at.position + chunk * rows;
    block_prefixes<0, rows>(x, before, p_.has_start || position != 0, p_.op, m);
    const unsigned line = at.line + (exists ? lane_id() : 0);
    cells(p_, cut_.steps, p_.at(line)).put(position, m, before);
  }
}

}  // namespace upsweep::cuda
