// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each warp of bulk_columns does. Every role passes the ring's turns in order; a ticket beyond
// the last tile ends it.
#pragma once

#include "upsweep/cuda/bulk_columns.cuh"

namespace upsweep::cuda {

// Copies 16 bytes, of which only `bytes` are read, into shared memory, asynchronously.
__device__ inline void copy_async(unsigned char* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes)
               : "memory");
}
// Arrives on a barrier once all copies of this thread so far are there.
__device__ inline void arrive_with_copies(barrier_word* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(b)))
               : "memory");
}

// Several warps share a tile: one alone cannot ask for as much as memory delivers.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::load(int loader) {
  ring_turn<shape> turn, arrived;
  unsigned ahead = 0;  // a ticket costs a round trip to L2: it is taken one turn ahead
  if (threadIdx.x == 0) ahead = take_ticket(words_);
  for (int i = 0;; ++i, turn.next()) {
    if (i >= shape::on_the_way) {
      wait(&ring_.full[arrived.slot()], arrived.slot_parity());
      arrived.next();
    }
    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);
    if (threadIdx.x == 0) ring_.ticket[turn.slot()] = ahead;
    loaders_meet();
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    if (threadIdx.x == 0) ahead = take_ticket(words_);
    copy_tile(place_of(ticket), ring_.stage[turn.stage()], loader);
    arrive_with_copies(&ring_.full[turn.slot()]);
  }
  arrive(&ring_.full[turn.slot()]);
  if (threadIdx.x == 0 && epoch_ != last_epoch) leave(words_, gridDim.x, epoch_);
}

// Every lane copies 16 bytes of a step, the warp 512; of lines that are not there, nothing is read.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::copy_tile(const place& at, unsigned char* stage,
                                                           int loader) const {
  constexpr int pieces = shape::row_bytes / 16, threads = 32 * shape::loaders;
  constexpr int across = pieces < threads ? pieces : threads, steps_at_once = threads / across;
  const int steps = at.m < shape::tile ? at.m : shape::tile, thread = loader * 32 + lane_id();
  const std::int64_t pitch = cut_.steps.in * static_cast<std::int64_t>(sizeof(In));
  const unsigned char* const first =
      reinterpret_cast<const unsigned char*>(p_.in + p_.at(at.line).in) +
      static_cast<std::int64_t>(at.position) * pitch;
#pragma unroll 1
  for (int piece = thread % across; piece < pieces; piece += across) {
    const int rest = at.lines * static_cast<int>(sizeof(In)) - piece * 16;
    if (rest <= 0) continue;
    int step = thread / across;
    const unsigned char* from = first + piece * 16 + step * pitch;
    unsigned char* to = stage + step * shape::row_bytes + piece * 16;
#pragma unroll 8
    for (; step < steps; step += steps_at_once) {
      copy_async(to, from, rest < 16 ? rest : 16);
      from += steps_at_once * pitch;
      to += steps_at_once * shape::row_bytes;
    }
  }
}

template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::reduce(int warp) {
  ring_turn<shape> turn;
  for (;; turn.next()) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    for (int chunk = warp; chunk < shape::scanners; chunk += shape::reducers) {
      T x[rows];
      take(x, turn.stage(), chunk);
      const int m = lane_id() < at.lines ? at.m - chunk * rows : 0;
      ring_.sum(turn.slot(), chunk) = block_sum<0, rows>(x, p_.op, m);
    }
    __syncwarp();
    if (lane_id() == 0) {
      arrive(&ring_.empty[turn.stage()]);
      arrive(&ring_.summed[turn.slot()]);
    }
  }
  if (lane_id() == 0) arrive(&ring_.summed[turn.slot()]);
}

// One whose turn it is not arrives all the same: only that keeps the loader from giving the slot to
// another tile before this warp has seen what is in it.
template <class In, class Out, class T, class Op>
__device__ void block_of_strips<In, Out, T, Op>::find_prefixes(int looker) {
  ring_turn<shape> turn;
  for (int whose = 0;; turn.next(), whose = whose + 1 < shape::lookers ? whose + 1 : 0) {
    wait(&ring_.summed[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    if (whose == looker) prefixes_of(place_of(ticket), turn.slot());
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.carried[turn.slot()]);
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
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned ticket = ring_.ticket[turn.slot()];
    if (ticket >= tiles_) break;
    const place at = place_of(ticket);
    const bool exists = lane_id() < at.lines;
    const int m = exists ? at.m - chunk * rows : 0;
    T x[rows], before[rows + 1];
    take(x, turn.stage(), chunk);
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.empty[turn.stage()]);
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
