// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where threads meet: those of a warp, some of a block, all of it, those of a cluster.
#include "emulator.hpp"
#include "emulator_parts.hpp"

namespace emulator {

namespace {

constexpr const char* const by_shuffle = "a shuffle";
constexpr const char* const by_vote = "a vote";
constexpr const char* const by_warp_barrier = "the rest of the warp";

// The lanes of a warp meet; the values that they bring.
const unsigned* meet(const char* where, unsigned value) {
  processor& p = *here;
  warp& w = p.warps[thread_index.x / warp_lanes];
  const unsigned parity = w.round & 1;
  if (w.arrived != 0 && w.where != where)
    fail("lanes of a warp do not meet", where, " and ", w.where);
  w.where = where;
  w.value[parity][thread_index.x % warp_lanes] = value;
  w.waiting[w.arrived++] = p.current;
  p.current->waits = where;
  if (w.arrived == warp_lanes) {
    w.arrived = 0;
    ++w.round;
    for (lane* l : w.waiting) p.wake(l);
    if (where != by_vote) p.active();
  }
  p.suspend();
  return w.value[parity];
}

void open_block_barrier(processor& p) {
  if (p.block_barrier.arrived == 0 || p.block_barrier.arrived != p.live) return;
  p.block_barrier.arrived = 0;
  ++p.block_barrier.round;
  p.wake_all(p.at_block_barrier);
  p.active();
}

}  // namespace

unsigned shuffle(unsigned value, unsigned from_lane) { return meet(by_shuffle, value)[from_lane]; }

bool any(bool value) {
  const unsigned* const values = meet(by_vote, value ? 1 : 0);
  for (unsigned i = 0; i < warp_lanes; ++i)
    if (values[i] != 0) return true;
  return false;
}

void sync_warp() {
  warp& w = here->warps[thread_index.x / warp_lanes];
  char* const token = &w.token[w.round & 1];
  release(token);
  meet(by_warp_barrier, 0);
  acquire(token);
}

void sync_block() {
  processor& p = *here;
  char* const token = &p.block_barrier.token[p.block_barrier.round & 1];
  release(token);
  ++p.block_barrier.arrived;
  p.at_block_barrier.push(p.current);
  p.current->waits = "the rest of the block";
  open_block_barrier(p);
  p.suspend();
  acquire(token);
}

void sync_some(unsigned number, unsigned threads) {
  processor& p = *here;
  if (number >= std::size(p.named)) fail("there is no such barrier of some threads");
  named_barrier& b = p.named[number];
  char* const token = &b.token[b.round & 1];
  release(token);
  b.waiting.push(p.current);
  p.current->waits = "a barrier of some threads";
  if (++b.arrived == threads) {
    b.arrived = 0;
    ++b.round;
    p.wake_all(b.waiting);
    p.active();
  }
  p.suspend();
  acquire(token);
}

void processor::leave_block() {
  --live;
  active();
  open_block_barrier(*this);
}

void arrive_at_cluster() {
  device::state& all = *here->all;
  here->current->cluster_round = all.cluster.round;
  release(&all.cluster.token[all.cluster.round & 1]);
  if (++all.cluster.arrived == all.blocks * all.threads) {
    all.cluster.arrived = 0;
    ++all.cluster.round;
    for (processor& p : all.processors) p.wake_all(p.at_cluster);
  }
  here->point();
}

void wait_for_cluster() {
  meeting& cluster = here->all->cluster;
  const unsigned round = here->current->cluster_round;
  while (cluster.round == round) {
    here->at_cluster.push(here->current);
    here->sleep("the rest of the cluster");
  }
  here->active();
  acquire(&cluster.token[round & 1]);
}

}  // namespace emulator
