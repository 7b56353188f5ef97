// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each warp of bulk_columns does. Every role passes the ring's turns in order; a ticket beyond
// the last tile ends it.
#pragma once

#include "upsweep/cuda/bulk_columns.cuh"

namespace upsweep::cuda {

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::load() {
  ring_turn<shape> turn, arrived;
  unsigned ahead = take_ticket(words_);  // it costs a round trip to L2: one turn ahead
  for (int i = 0;; ++i, turn.next()) {
    const unsigned ticket = ahead;
    if (ticket < tiles_) ahead = take_ticket(words_);
    if (i >= shape::on_the_way) {
      wait(&ring_.full[arrived.slot], arrived.slot_parity);
      arrived.next();
    }
    wait(&ring_.empty[turn.stage], turn.stage_parity ^ 1);
    ring_.ticket[turn.slot] = ticket;
    if (ticket >= tiles_) break;
    copy_tile(place_of(ticket), turn.stage, &ring_.full[turn.slot]);
  }
  arrive(&ring_.full[turn.slot]);
  if (epoch_ != last_epoch) leave(words_, gridDim.x, epoch_);
}

// Of lines and steps that are not there, zeros arrive; nothing is made of them.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::copy_tile(const place& at, int stage,
                                                           barrier_word* full) {
  constexpr int rows = shape::tile < most_map_rows ? shape::tile : most_map_rows;
  const unsigned row = at.line / cut_.width;
  box_place box{static_cast<int>((at.line - row * cut_.width) * (sizeof(In) / map_unit<In>)),
                static_cast<int>(at.position),
                {0, 0, 0}};
  unsigned other = row;
#pragma unroll
  for (int d = 1; d < line_map::most; ++d)
    if (d < p_.at.rank) {
      const unsigned next = other / p_.at.extent[d];
      box.other[d - 1] = static_cast<int>(other - next * p_.at.extent[d]);
      other = next;
    }
  ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                         ::cuda::ptx::space_shared, full,
                                         static_cast<unsigned>(shape::stage_bytes));
#pragma unroll
  for (int r = 0; r < shape::tile; r += rows, box.step += rows)
    copy_box(ring_.stage[stage] + r * shape::row_bytes, &map_, p_.at.rank + 1, box, full);
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::reduce(int warp) {
  ring_turn<shape> turn;
  for (;; turn.next()) {
    wait(&ring_.full[turn.slot], turn.slot_parity);
    const unsigned ticket = ring_.ticket[turn.slot];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    for (int chunk = warp; chunk < shape::scanners; chunk += shape::reducers) {
      T x[rows];
      take(x, turn.stage, chunk);
      const int m = lane_id() < at.lines ? at.m - chunk * rows : 0;
      ring_.sum(turn.slot, chunk) = block_sum<0, rows>(x, p_.op, m);
    }
    __syncwarp();
    if (lane_id() == 0) {
      arrive(&ring_.empty[turn.stage]);
      arrive(&ring_.summed[turn.slot]);
    }
  }
  if (lane_id() == 0) arrive(&ring_.summed[turn.slot]);
}

// One whose turn it is not arrives all the same: only that keeps the loader from giving the slot to
// another tile before this warp has seen what is in it.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::find_prefixes(int looker) {
  ring_turn<shape> turn;
  for (int whose = 0;; turn.next(), whose = whose + 1 < shape::lookers ? whose + 1 : 0) {
    wait(&ring_.summed[turn.slot], turn.slot_parity);
    const unsigned ticket = ring_.ticket[turn.slot];
    if (ticket >= tiles_) break;
    if (whose == looker) prefixes_of(place_of(ticket), turn.slot);
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.carried[turn.slot]);
  }
}

// Four chunks at a time, for the sake of registers.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::prefixes_of(const place& at, int slot) {
  constexpr int fours = shape::scanners / 4;
  const int m = lane_id() < at.lines ? at.m : 0, full = m / rows;
  T sum[fours], start[fours], four[4], before[4];
#pragma unroll
  for (int f = 0; f < fours; ++f) {
#pragma unroll
    for (int c = 0; c < 4; ++c) four[c] = ring_.sum(slot, 4 * f + c);
    sum[f] = block_sum<0, 4>(four, p_.op, full - 4 * f);
  }
  const std::uint64_t lane = std::uint64_t{at.strip} * 32 + lane_id();
  const std::uint64_t pitch = std::uint64_t{cut_.strips} * 32 * granules_of<T>;
  const strip_words words{words_.words + lane * granules_of<T>, pitch, epoch_, cut_.levels};
  strip_look_back<T, Op> look(words, p_.start, p_.has_start, p_.op);
  if (m > 0) {
    const T own = block_sum<0, fours>(sum, p_.op, full / 4);
    look.find(at.tile, own, full >= shape::scanners, m > shape::tile);
  }
  start[0] = look.start.value;
  block_prefixes<0, fours>(sum, start, look.start.any, p_.op, full / 4);
#pragma unroll
  for (int f = 0; f < fours; ++f) {
#pragma unroll
    for (int c = 0; c < 4; ++c) four[c] = ring_.sum(slot, 4 * f + c);
    before[0] = start[f];
    block_prefixes<0, 4>(four, before, look.start.any || f > 0, p_.op, full - 4 * f);
#pragma unroll
    for (int c = 0; c < 4; ++c) ring_.sum(slot, 4 * f + c) = before[c];
  }
  ring_.sum(slot, shape::scanners) = look.end;
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::scan(int chunk) {
  ring_turn<shape> turn;
  for (;; turn.next()) {
    wait(&ring_.full[turn.slot], turn.slot_parity);
    const unsigned ticket = ring_.ticket[turn.slot];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    const bool exists = lane_id() < at.lines;
    const int m = exists ? at.m - chunk * rows : 0;
    T x[rows], before[rows + 1];
    take(x, turn.stage, chunk);
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.empty[turn.stage]);
    wait(&ring_.carried[turn.slot], turn.slot_parity);
    before[0] = ring_.sum(turn.slot, chunk);
    before[rows] = ring_.sum(turn.slot, chunk + 1);
    const std::uint64_t position = at.position + chunk * rows;
    block_prefixes<0, rows>(x, before, p_.has_start || position != 0, p_.op, m);
    const unsigned line = at.line + (exists ? lane_id() : 0);
    cells(p_, cut_.steps, p_.at(line)).put(position, m, before);
  }
}

}  // namespace upsweep::cuda
