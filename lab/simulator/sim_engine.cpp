// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs next, and what threads wait for.
#include "lab/simulator/sim_engine.hpp"

#include <algorithm>
#include <cstring>

namespace upsweep::lab::simulator {

namespace {

constexpr std::uint64_t most_accesses = std::uint64_t{1} << 24;  // of a thread that never waits
constexpr unsigned most_idle_rounds = 64;  // in which threads look at words without news
constexpr unsigned pause_one_in = 6;       // accesses, when the order is drawn from a seed

}  // namespace

std::uint64_t engine::random() {
  random_state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = random_state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void engine::run_lane(void* argument) {
  lane& me = *static_cast<lane*>(argument);
  for (;;) {
    me.device->body_(me.device->argument_, me);
    me.device->end_lane(me);
    me.body.suspend();
  }
}

bool engine::launch(const char* kernel, const shape& form, thread_body body, const void* argument) {
  launches_.emplace_back();
  traces_.emplace_back();
  counts& c = now();
  c.kernel = kernel, c.blocks = form.blocks, c.threads = form.threads;
  c.step_number("", 0);
  form_ = form, body_ = body, argument_ = argument;
  if (!shape_fits(form)) return false;
  next_block_ = ended_blocks_ = 0;
  waiting_at_grid_ = 0;
  floor_ = ++clock_;
  failed_ = false;
  idle_rounds_ = 0;
  random_state_ = how_.seed * 0x2545f4914f6cdd1du;
  const std::uint64_t together = form.cooperative ? form.blocks : std::uint64_t{how_.resident};
  const auto slots = static_cast<std::size_t>(std::min(form.blocks, together));
  while (slots_.size() < slots) slots_.push_back(std::make_unique<block_run>());
  while (slots_.size() > slots) slots_.pop_back();
  for (const auto& slot : slots_)
    slot->busy = false, slot->make_lanes(form.threads, this, run_lane);
  while (ended_blocks_ < form.blocks && !failed_) {
    start_blocks();
    if (block_run* const b = next_block())
      run_some(*b);
    else if (!another_round())
      report_stuck(), failed_ = true;
  }
  if (failed_) slots_.clear();  // their threads stand in the middle of something
  return !failed_;
}

void engine::start_block(block_run& slot) {
  slot.start(static_cast<std::uint32_t>(next_block_++), form_.threads);
  slot.barrier_time = slot.now = ++clock_;
  slot.memory.resize(how_.shared_limit);
}

// In order, a block begins when no other can go on; else as soon as there is room.
void engine::start_blocks() {
  const bool all = how_.seed != 0 || form_.cooperative;
  for (const auto& slot : slots_) {
    if (next_block_ == form_.blocks) return;
    if (!all && std::any_of(slots_.begin(), slots_.end(), [](auto& s) { return s->can_run(); }))
      return;
    if (!slot->busy) start_block(*slot);
  }
}

block_run* engine::next_block() {
  block_run* best = nullptr;
  unsigned count = 0;
  for (const auto& slot : slots_) {
    if (!slot->can_run()) continue;
    ++count;
    const bool better =
        how_.seed != 0 ? random() % count == 0 : best == nullptr || slot->index < best->index;
    if (better) best = slot.get();
  }
  return best;
}

// Lets those who wait for words look again, unless that has been in vain for long.
bool engine::another_round() {
  if (progress_ != last_progress_) idle_rounds_ = 0;
  last_progress_ = progress_;
  if (++idle_rounds_ > most_idle_rounds) return false;
  bool any = false;
  for (const auto& slot : slots_) {
    if (!slot->busy) continue;
    for (const std::uint16_t t : slot->looking) {
      slot->lanes[t].state = waits::nothing;
      slot->make_ready(t);
      any = true;
    }
    slot->looking.clear();
  }
  return any;
}

void engine::run_some(block_run& b) {
  std::uint64_t turns =
      how_.seed != 0 ? 1 + random() % (2 * std::uint64_t{b.threads}) : ~std::uint64_t{0};
  for (; turns > 0 && b.can_run() && !failed_; --turns) {
    if (how_.seed != 0)
      std::swap(b.ready[b.next], b.ready[b.next + random() % (b.ready.size() - b.next)]);
    lane& l = b.lanes[b.ready[b.next++]];
    l.budget = most_accesses;
    l.body.resume();
  }
}

void engine::sleep(lane& me, waits why, std::uint32_t site) {
  me.state = why, me.wait_site = site;
  me.body.suspend();
}

void engine::maybe_pause(lane& me) {
  if (how_.seed == 0 || random() % pause_one_in != 0) return;
  me.home->make_ready(me.index);
  me.body.suspend();
}

void engine::spend(lane& me, std::uint32_t site) {
  if (--me.budget != 0) return;
  add(fault::endless, site, who(me) + " makes no end of accesses at " + where(site, me.step));
  give_up(me);
}

void engine::end_lane(lane& me) {
  block_run& b = *me.home;
  me.state = waits::ended;
  ++progress_;
  warp_run& w = b.warps[me.index / warp_lanes];
  ++w.ended;
  if (++b.ended == b.threads) {
    close_accesses(b);
    b.busy = false;
    std::uint64_t& fewest = now().fewest_barriers;
    fewest = ended_blocks_ == 0 ? b.barriers : std::min(fewest, b.barriers);
    ++ended_blocks_;
  } else if (b.arrived != 0 && b.arrived + b.ended == b.threads) {
    complete_barrier(b);
  }
}

void engine::barrier(lane& me, std::uint32_t site) {
  block_run& b = *me.home;
  me.wait_site = site;
  ++b.arrived;
  me.state = waits::barrier;
  if (b.arrived + b.ended == b.threads) complete_barrier(b);
  me.body.suspend();
}

void engine::complete_barrier(block_run& b) {
  bool differ = b.ended != 0;
  std::uint32_t first = 0, step = 0;
  for (unsigned i = 0, found = 0; i < b.threads; ++i) {
    lane& l = b.lanes[i];
    if (l.state != waits::barrier) continue;
    if (found++ == 0) first = l.wait_site, step = l.step;
    differ = differ || l.wait_site != first;
    if (l.observed) b.known = united(b.known, l.observed), l.observed.reset();
  }
  if (differ) report_divergence(b);
  ++now().steps[step].barriers;
  now().most_barriers = std::max(now().most_barriers, ++b.barriers);
  close_accesses(b);
  b.barrier_time = b.now = ++clock_;
  b.arrived = 0;
  ++progress_;
  for (unsigned i = 0; i < b.threads; ++i)
    if (b.lanes[i].state == waits::barrier) b.lanes[i].state = waits::nothing, b.make_ready(i);
}

void engine::close_accesses(warp_run& w) {
  now().close(w.open, how_.banks);
  w.open.clear();
  w.entries.clear();
}

void engine::close_accesses(block_run& b) {
  for (warp_run& w : b.warps) close_accesses(w);
}

void engine::grid_barrier(lane& me, std::uint32_t site) {
  if (!form_.cooperative) {
    add(fault::launch, site,
        "a grid barrier at " + where(site, me.step) + " in a launch that is not cooperative");
    give_up(me);
  }
  me.wait_site = site;
  me.state = waits::grid_barrier;
  if (++me.home->arrived_grid == me.home->threads) ++waiting_at_grid_;
  if (waiting_at_grid_ == form_.blocks) {
    ++now().steps[me.step].grid_barriers;
    floor_ = ++clock_;
    ++progress_;
    waiting_at_grid_ = 0;
    for (const auto& slot : slots_) {
      close_accesses(*slot);
      slot->arrived_grid = 0;
      slot->barrier_time = slot->now = clock_;
      for (unsigned i = 0; i < slot->threads; ++i) {
        slot->lanes[i].state = waits::nothing;
        slot->make_ready(i);
      }
    }
  }
  me.body.suspend();
}

const std::array<std::array<std::byte, most_exchanged_bytes>, warp_lanes>& engine::exchange(
    lane& me, const void* value, std::size_t bytes, std::uint32_t site, bool vote) {
  block_run& b = *me.home;
  const std::uint32_t number = me.index / warp_lanes;
  warp_run& w = b.warps[number];
  auto& round = w.slots[me.rounds++ & 1];
  std::memcpy(&round[me.index % warp_lanes], value, bytes);
  if (w.arrived++ == 0) w.site = site;
  if (w.site != site) {
    add(fault::barrier_divergence, site,
        who(me) + " exchanges values at " + where(site, me.step) +
            " while others of its warp do at '" + site_name(w.site) + "'");
    give_up(me);
  }
  if (w.arrived < w.lanes) {
    sleep(me, waits::warp, site);
    return round;
  }
  w.arrived = 0;
  step_counts& s = now().steps[me.step];
  ++(vote ? s.votes : s.shuffles);
  close_accesses(w);
  for (unsigned i = 0; i < w.lanes; ++i) {
    lane& l = b.lanes[number * warp_lanes + i];
    if (&l == &me) continue;
    l.state = waits::nothing;
    b.make_ready(l.index);
  }
  return round;
}

void engine::step(lane& me, const char* phase, std::uint64_t stride, bool active) {
  me.step = now().step_number(phase, stride);
  me.active = active;
  step_counts& s = now().steps[me.step];
  if (me.step >= me.entered.size()) me.entered.resize(me.step + 1, 0);
  std::uint8_t& entered = me.entered[me.step];
  if ((entered & 1) == 0) ++s.threads;
  if (active && (entered & 2) == 0) ++s.active_threads;
  entered |= active ? 3 : 1;
  if (!active) return;
  warp_run& w = me.home->warps[me.index / warp_lanes];
  if (w.entries.add(me.index % warp_lanes, me.step)) ++s.active_warps;
}

void engine::show(lane& me, std::uint64_t element, const void* value, std::size_t bytes,
                  std::uint64_t left, std::uint64_t right) {
  if (!how_.trace) return;
  trace& t = traces_.back();
  t.events.push_back(
      {me.step, me.home->index, me.index, me.active, element, left, right, t.values.size()});
  const auto* from = static_cast<const std::byte*>(value);
  t.values.insert(t.values.end(), from, from + bytes);
}

}  // namespace upsweep::lab::simulator
