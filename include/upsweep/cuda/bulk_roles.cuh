// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each warp of bulk_scan does. Every role passes the ring's turns in order; a number beyond
// the last tile ends it.
#pragma once

#include "upsweep/cuda/bulk_scan.cuh"

namespace upsweep::cuda {

// A ticket costs a round trip to L2, so the next is taken when a copy is under way, and its tile
// called to L2; no sooner, since every tile to the right waits for this one.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::load(unsigned ticket) {
  ring_turn<shape> turn, arrived;
  unsigned number = first_tile(ticket);
  for (int i = 0;; ++i, turn.next()) {
    if (i >= shape::on_the_way) {
      wait(&ring_.full[arrived.slot()], arrived.slot_parity());
      arrived.next();
    }
    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);
    ring_.tile[turn.slot()] = number;
    if (number >= tiles_) break;
    copy_tile(place_of(number), turn.stage(), &ring_.full[turn.slot()]);
    number = tile_after(number);
    if (i + 1 >= shape::stages) call_to_l2(number);
  }
  arrive(&ring_.full[turn.slot()]);
  if (epoch_ != last_epoch) leave(words_, gridDim.x, epoch_);
}

template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::call_to_l2(unsigned number) const {
  if (number >= tiles_) return;
  const place at = place_of(number);
  if (at.m <= shape::tile || at.position == 0) return;  // inside the line, whatever the alignment
#if defined(__CUDACC__)  // else tests/protocol runs this text on the CPU
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(lowest(at) & ~std::uintptr_t{15}),
               "r"(static_cast<unsigned>(shape::tile_bytes & ~std::size_t{15}))
               : "memory");
#endif
}

// Copies what exists of a tile.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::copy_tile(const place& at, int stage,
                                                      barrier_word* full) {
  const std::uintptr_t low = lowest(at), origin = low & ~std::uintptr_t{15};
  const std::uintptr_t bytes =
      (at.m < shape::tile ? at.m : shape::tile) * static_cast<std::uintptr_t>(sizeof(In));
  const std::uintptr_t begin = p_.in_reversed ? low + shape::tile_bytes - bytes : low;
  const bool before = at.position != 0,
             after = at.m > shape::tile;  // whether the line is there too
  copy_bytes(begin, begin + bytes, p_.in_reversed ? after : before, p_.in_reversed ? before : after,
             ring_.stage[stage], origin, full);
}

// The chunks of a block's first tile are summed by the scanners, where these form all sums anyway:
// they are more, and have nothing else to do yet.
template <class In, class Out, class T, class Op>
template <bool plain>
__device__ void bulk_block<In, Out, T, Op>::reduce(int warp) {
  ring_turn<shape> turn;
  for (bool first = shape::keep_left;; turn.next(), first = false) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned number = ring_.tile[turn.slot()];
    if (number >= tiles_) break;
    const place at = place_of(number);
    if (first) wait(&ring_.first_summed, 0);
    for (int chunk = warp; chunk < shape::scanners && !first; chunk += shape::reducers) {
      tree t;
      take<plain>(t, at, turn.stage(), chunk);
      const int m = at.m - chunk * shape::chunk;
      T* const sum = ring_.chunk_sum(turn.slot()) + chunk;
      T* const sums_of_groups = ring_.group_sums(turn.slot(), chunk);
      if (!guarded<Op, T> || m >= shape::chunk)
        t.write_sums(p_.op, sum, sums_of_groups);
      else
        t.write_sums(p_.op, m, sum, sums_of_groups);
    }
    __syncwarp();
    if (lane_id() == 0) {
      arrive(&ring_.empty[turn.stage()]);
      arrive(&ring_.summed[turn.slot()]);
    }
  }
  if (lane_id() == 0) arrive(&ring_.summed[turn.slot()]);
}

// Nobody is right of a line's last tile.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::publish_tiles() {
  ring_turn<shape> turn;
  unsigned rounds = 0;
  T first{};
  for (;; turn.next()) {
    wait(&ring_.summed[turn.slot()], turn.slot_parity());
    const unsigned number = ring_.tile[turn.slot()];
    if (number >= tiles_) break;
    const place at = place_of(number);
    if (at.m > shape::tile) {
      const tile_sums<shape::scanners, T, Op> sums(ring_.chunk_sum(turn.slot()), p_.op,
                                                   shape::scanners);
      T sum = sums.sum();
      if (pair_ != 0 && !is_second(at)) {
        first = sum;
      } else if (lane_id() == 0) {
        if (pair_ != 0) sum = combine(p_.op, first, sum);
        publish(levels_of(at).template at<T>(0, word_of(at)), sum, epoch_);
        if (word_of(at) % 32 == 31) hand_on(rounds++, number, sum);
      }
    }
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.carried[turn.slot()]);
  }
  if (lane_id() == 0) hand_on(rounds, tiles_, first);  // the end
}

// To publish_upper_levels: that a group of words ends with this tile, and the sum that is there.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::hand_on(unsigned round, unsigned number, const T& sum) {
  wait(&ring_.group_free, round % 2 ^ 1);
  ring_.group_end = number;
  ring_.group_sum() = sum;
  arrive(&ring_.group_full);
}

// A warp of its own: it waits for other blocks, and the word of the next tile must not.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::publish_upper_levels() {
  for (unsigned round = 0;; ++round) {
    wait(&ring_.group_full, round % 2);
    const unsigned number = ring_.group_end;
    if (number >= tiles_) break;
    const T sum = ring_.group_sum();
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.group_free);
    const place at = place_of(number);
    publish_groups(levels_of(at), word_of(at), sum, p_.op);
  }
}

// Asks for the words to the left while the tile is still on its way, and for none before the second
// of a pair: what is left of that is the first.
template <class In, class Out, class T, class Op>
__device__ void bulk_block<In, Out, T, Op>::find_prefixes() {
  look_back<T, Op> look(ring_.nodes(), p_.start, p_.has_start, p_.op);
  folded<T, Op> start{p_.start, false};
  T first{};
  ring_turn<shape> turn;
  for (;; turn.next()) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned number = ring_.tile[turn.slot()];
    if (number >= tiles_) break;
    const place at = place_of(number);
    if (needs_prefixes(at) && !is_second(at)) {
      look.find(levels_of(at), at.line, word_of(at));
      start = look.start;
    }
    wait(&ring_.summed[turn.slot()], turn.slot_parity());
    if (needs_prefixes(at)) {
      const tile_sums<shape::scanners, T, Op> sums(ring_.chunk_sum(turn.slot()), p_.op,
                                                   at.m / shape::chunk);
      folded<T, Op> end = start;
      if (at.m >= shape::tile) {
        if (pair_ == 0) {
          end.value = look.end(word_of(at), sums.sum());
        } else if (!is_second(at)) {
          first = sums.sum();
          end.add(p_.op, first);
        } else {
          end.value = look.end(word_of(at), combine(p_.op, first, sums.sum()));
        }
      }
      sums.prefixes(start.value, start.any, end.value, p_.op, ring_.chunk_prefix(turn.slot()));
      start = end;
    }
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.carried[turn.slot()]);
  }
}

template <class In, class Out, class T, class Op>
template <bool plain>
__device__ void bulk_block<In, Out, T, Op>::scan(int chunk) {
  ring_turn<shape> turn;
  for (bool first = true;; turn.next(), first = false) {
    wait(&ring_.full[turn.slot()], turn.slot_parity());
    const unsigned number = ring_.tile[turn.slot()];
    if (number >= tiles_) break;
    const place at = place_of(number);
    const int m = at.m - chunk * shape::chunk;
    const bool has = p_.has_start || at.tile > 0 || chunk > 0;
    // Operands need no check; for most operators they never do.
    const bool whole = !guarded<Op, T> || (has && m >= shape::chunk);
    tree t;
    take<plain>(t, at, turn.stage(), chunk);
    if constexpr (shape::keep_left) {
      whole ? t.up(p_.op, everything{}) : t.up(p_.op, m);
      if (first) {
        const T sum = t.sum(p_.op, m);
        if (lane_id() == 0) {
          ring_.chunk_sum(turn.slot())[chunk] = sum;
          arrive(&ring_.first_summed);
        }
      }
    }
    __syncwarp();
    if (lane_id() == 0) arrive(&ring_.empty[turn.stage()]);
    wait(&ring_.carried[turn.slot()], turn.slot_parity());
    if (!needs_prefixes(at)) continue;
    t.forget_items();
    if constexpr (!shape::keep_left) t.read_sums(ring_.group_sums(turn.slot(), chunk));
    const T* const prefix = ring_.chunk_prefix(turn.slot()) + chunk;
    const T start = prefix[0], end = prefix[1];
    const tile_output<In, Out, T, Op> out(p_, p_.at(at.line).out, at.position, at.m > shape::tile);
    const auto put = [&](int k, const T* before) {
      const int offset = k * tree::group_items + lane_id() * tree::items;
      out.put(chunk * shape::chunk + offset, m - offset, before);
    };
    if (whole)
      t.down(start, true, end, p_.op, everything{}, put);
    else
      t.down(start, has, end, p_.op, m, put);
  }
}

}  // namespace upsweep::cuda
