// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs next: blocks, and the fibers of a block.
#include "emulator.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "emulator_parts.hpp"

namespace emulator {

constinit thread_local index3 thread_index, block_index, block_size, grid_size;
constinit thread_local processor* here = nullptr;

namespace {

// A warp that looks at all the words it needs makes fewer loads than this, one after the other.
constexpr unsigned most_idle_passes = 20;
constexpr std::uint64_t most_turns = 20'000'000;  // no test needs a quarter

void run_lane(void* argument) {
  lane& me = *static_cast<lane*>(argument);
  processor& p = *me.home;
  for (;;) {
    acquire(&p.all->begin);
    acquire(&p.ended);
    p.all->call(p.all->kernel);
    release(&p.all->end);
    release(&p.ended);
    p.leave_block();
    p.suspend();
  }
}

// A thread of the CPU: runs one resident block whenever it has the baton, and hands that on.
void run_processor(processor& p) {
  here = &p;
  p.memory = &here;
  for (copy_engine& e : p.engines) e.who = identity::create();
  for (lane& l : p.lanes) l.body.create(&run_lane, &l);
  for (;;) {
    p.turn.wait();
    device::state& all = *p.all;
    processor* next = nullptr;
    do {
      if (all.quit) break;
      p.run_quantum();
      if (p.live == 0 && p.copies.empty()) {
        p.busy = false;
        if (all.next_block < all.blocks) p.start(all.next_block++, all.threads);
      }
      next = all.choose();
    } while (next == &p);
    if (all.quit) break;
    next != nullptr ? next->turn.pass() : all.launcher.pass();
  }
  for (lane& l : p.lanes) l.body.destroy();
  for (copy_engine& e : p.engines) identity::destroy(e.who);
}

}  // namespace

void fail(const char* what, const char* where, const char* also, const char* other) {
  device::state& all = *here->all;
  const char* const parts[] = {what, where, also, other};
  for (int i = 0; i < 4; ++i) all.failed[i] = parts[i];
  all.failed_block = here->block, all.failed_thread = thread_index.x;
  here->hand_over = true;
  for (;;) here->suspend();
}

void processor::start(unsigned index, unsigned threads) {
  block = index, live = threads;
  busy = true, futile = hand_over = false;
  idle_passes = 0;
  wake_at = last_atomic = 0;
  barriers.clear();
  for (unsigned i = 0; i < threads; ++i) ready.push(&lanes[i]);
}

void processor::point() {
  active();
  if (all->random.percent(all->how->stall_percent)) {
    wake_at = all->turns + all->random.below(all->how->stall_turns + 1);
    hand_over = true;
  }
  yield();
}

// Null when all that is left to do is to look at words again that have not changed.
lane* processor::next_lane() {
  random_source& random = all->random;
  while (!copies.empty() && (ready.empty() || random.percent(all->how->early_copies)))
    finish_copy(random.below(static_cast<unsigned>(copies.size())));
  if (!pollers.empty() && !ready.empty() && random.percent(2))
    return pollers.take(random.below(pollers.size()));
  if (ready.empty()) {
    if (pollers.empty() || ++idle_passes > most_idle_passes) {
      futile = true;
      return nullptr;
    }
    while (!pollers.empty()) ready.push(pollers.oldest());
  }
  return next_ready();
}

lane* processor::next_ready() {
  const schedule& how = *all->how;
  for (unsigned tries = ready.size();; --tries) {
    lane* const l = how.lanes == lane_order::newest_first ? ready.newest()
                    : how.lanes == lane_order::oldest_first
                        ? ready.oldest()
                        : ready.take(all->random.below(ready.size()));
    if (tries == 0 || static_cast<int>(l->index / warp_lanes) != how.starved_warp) return l;
    how.lanes == lane_order::newest_first ? ready.push_oldest(l) : ready.push(l);
  }
}

void processor::run_quantum() {
  block_index.x = block;
  block_size.x = all->threads;
  grid_size.x = all->blocks;
  hand_over = futile = false;
  if (seen != all->stored) idle_passes = 0;
  for (unsigned left = 1 + all->random.below(all->how->quantum); left > 0; --left) {
    if (live == 0 && copies.empty()) break;
    current = next_lane();
    if (current == nullptr) break;
    thread_index.x = current->index;
    current->body.resume();
    if (hand_over) break;
  }
  seen = all->stored;
}

processor* device::state::best_of(bool sleepers) {
  processor* best = nullptr;
  unsigned count = 0;
  for (processor& p : processors) {
    if (!p.busy || (p.futile && p.seen == stored) || (!sleepers && p.wake_at > turns)) continue;
    ++count;
    if (best == nullptr ||
        (how->blocks == block_order::oldest_last    ? p.last_atomic > best->last_atomic
         : how->blocks == block_order::oldest_first ? p.last_atomic < best->last_atomic
                                                    : random.below(count) == 0))
      best = &p;
  }
  return best;
}

// The block whose turn it is; null when the launch has ended.
processor* device::state::choose() {
  while (failed[0] == nullptr) {
    if (++turns > most_turns) failed[0] = "no end in sight";
    store_due();
    processor* next = best_of(false);
    if (next == nullptr) next = best_of(true);
    if (next != nullptr) return next;
    if (!late.empty()) {
      store(random.below(static_cast<unsigned>(late.size())));
      continue;
    }
    for (const processor& p : processors)
      if (p.busy) failed[0] = "deadlock";
    break;
  }
  release(&end);
  return nullptr;
}

std::string device::state::failure() const {
  std::string text = failed[0];
  text += ": ";
  for (int i = 1; i < 4 && failed[i] != nullptr; ++i) text += failed[i];
  if (failed[1] != nullptr)
    return text + " (block " + std::to_string(failed_block) + ", thread " +
           std::to_string(failed_thread) + ")";
  for (const processor& p : processors) {
    if (!p.busy) continue;
    std::map<std::string, unsigned> why;
    for (unsigned i = 0; i < threads; ++i)
      if (p.lanes[i].waits != nullptr) ++why[p.lanes[i].waits];
    text += "block " + std::to_string(p.block) + " has";
    for (const auto& [name, count] : why)
      text += ' ' + std::to_string(count) + " threads waiting for " + name + ',';
    text += " and " + std::to_string(threads - p.live) + " that have ended; ";
  }
  return text;
}

device::device(unsigned processors, unsigned threads) : state_(std::make_unique<state>()) {
  state& s = *state_;
  s.processors = std::vector<processor>(processors);
  s.late.reserve(1000);
  for (processor& p : s.processors) {
    p.all = &s;
    p.lanes = std::vector<lane>(threads);
    for (unsigned i = 0; i < threads; ++i) p.lanes[i].home = &p, p.lanes[i].index = i;
    p.barriers.reserve(256);  // so that they stay where they are
    p.copies.reserve(2048);   // rows of the boxes on their way
    p.stores.reserve(512);
    p.thread = std::thread([&p] { run_processor(p); });
  }
}

device::~device() {
  state_->quit = true;
  for (processor& p : state_->processors) {
    p.turn.pass();
    p.thread.join();
  }
}

void device::run(unsigned blocks, unsigned threads, void (*call)(const void*), const void* kernel) {
  state& s = *state_;
  if (s.failed[0] != nullptr) throw std::runtime_error("used after a failure: " + s.failure());
  s.how = &how;
  s.random.seed(how.seed);
  s.call = call, s.kernel = kernel, s.blocks = blocks, s.threads = threads, s.next_block = 0;
  for (processor& p : s.processors)
    if (s.next_block < std::min(blocks, how.resident)) p.start(s.next_block++, threads);
  release(&s.begin);
  s.choose()->turn.pass();
  s.launcher.wait();
  if (s.failed[0] != nullptr)
    for (const processor& p : s.processors)
      for (const lane& l : p.lanes) l.body.release_for(&s.end);
  acquire(&s.end);
  while (!s.late.empty()) s.store(0);
  if (s.failed[0] != nullptr) throw std::runtime_error(s.failure());
}

}  // namespace emulator
