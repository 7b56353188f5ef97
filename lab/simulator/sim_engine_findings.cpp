// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words for what went wrong.
#include <algorithm>
#include <map>

#include "lab/simulator/sim_engine.hpp"

namespace upsweep::lab::simulator {

const char* name_of(fault kind) {
  static constexpr const char* names[] = {
      "data race",      "out of bounds", "uninitialised read",   "barrier divergence",
      "deadlock",       "no progress",   "endless loop",         "shared memory over the limit",
      "launch refused", "never written", "grid does not cover n"};
  return names[static_cast<int>(kind)];
}

namespace {

const char* name_of(waits why) {
  static constexpr const char* names[] = {
      "can go on",           "wait at barrier", "wait at grid barrier", "wait for their warp at",
      "look at the word at", "have ended"};
  return names[static_cast<int>(why)];
}

std::string thread_name(std::uint32_t thread, std::uint32_t block) {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(block);
}

}  // namespace

void engine::add(fault kind, std::uint64_t key, const std::string& text,
                 const std::optional<race_pair>& race) {
  const std::string& kernel = now().kernel;
  for (finding& f : findings_)
    if (f.kind == kind && f.key == key && f.kernel == kernel) {
      ++f.times;
      return;
    }
  findings_.push_back({kind, kernel, text, 1, key, race});
}

void engine::give_up(lane& me) {
  failed_ = true;
  for (;;) me.body.suspend();
}

std::string engine::who(const lane& me) const { return thread_name(me.index, me.home->index); }

std::string engine::where(std::uint32_t site, std::uint32_t step) const {
  const step_counts& s = launches_.back().steps[step];
  std::string text = std::string("'") + site_name(site) + "'";
  if (s.phase[0] == 0) return text;
  text.append(" in ").append(s.phase);
  if (s.stride != 0) text.append(" ").append(std::to_string(s.stride));
  return text;
}

std::string engine::array_name(const touched_place& what) const {
  return is_shared(what.kind) ? "shared array " + std::to_string(what.array)
                              : arrays_[what.array].name;
}

std::string engine::place_name(const lane& me, const touched_place& what, std::uint64_t i) const {
  std::string text = "element " + std::to_string(i) + " of ";
  std::uint64_t byte = i * what.bytes;
  if (is_shared(what.kind)) {
    const std::uint64_t place =
        what.place == nullptr || i >= what.size ? i : what.place(static_cast<std::uint32_t>(i));
    byte = me.home->arrays[what.array].offset + place * what.bytes;
  }
  return text + array_name(what) + " (byte " + std::to_string(byte) + ")";
}

void engine::report_race(lane& me, const touched_place& what, std::uint64_t i, const stamp& other,
                         bool writes, bool other_wrote) {
  const std::uint64_t key = std::uint64_t{what.site} << 48 | std::uint64_t{other.site} << 32 |
                            std::uint64_t{me.step & 0xffff} << 16 | other.step;
  const char* const what_orders =
      other.block == me.home->index ? "no barrier lies between" : "no published word orders them";
  const auto side = [&](std::uint32_t thread, std::uint32_t block, bool wrote, std::uint32_t site,
                        std::uint32_t step) {
    const step_counts& at = launches_.back().steps[step];
    return racer{thread, block, wrote, site_name(site), at.phase, at.stride};
  };
  const race_pair pair{side(me.index, me.home->index, writes, what.site, me.step),
                       side(other.thread, other.block, other_wrote, other.site, other.step),
                       array_name(what), i};
  add(fault::race, key,
      who(me) + (writes ? " writes " : " reads ") + place_name(me, what, i) + " at " +
          where(what.site, me.step) + ", " + thread_name(other.thread, other.block) +
          (other_wrote ? " wrote" : " read") + " it at " + where(other.site, other.step) + ": " +
          what_orders,
      pair);
}

void engine::report_divergence(const block_run& b) {
  std::map<std::uint32_t, std::uint32_t> first;  // by barrier
  std::uint32_t ended = b.threads, step = 0;
  for (std::uint32_t i = b.threads; i-- > 0;) {
    if (b.lanes[i].state == waits::barrier) first[b.lanes[i].wait_site] = i, step = b.lanes[i].step;
    if (b.lanes[i].state == waits::ended) ended = i;
  }
  std::string text;
  for (const auto& [site, thread] : first)
    text += (text.empty() ? "" : ", ") + thread_name(thread, b.index) + " waits at " +
            where(site, b.lanes[thread].step);
  if (ended != b.threads) text += ", " + thread_name(ended, b.index) + " has ended";
  add(fault::barrier_divergence, first.begin()->first << 16 | step, text);
}

// No thread can go on: for each block, who waits for what.
void engine::report_stuck() {
  bool words = false;
  std::string text;
  std::uint64_t key = 0;
  for (const auto& slot : slots_) {
    if (!slot->busy) continue;
    std::map<std::pair<int, std::uint32_t>, std::pair<unsigned, const lane*>> groups;
    for (unsigned i = slot->threads; i-- > 0;) {
      const lane& l = slot->lanes[i];
      words = words || l.state == waits::word;
      auto& group = groups[{static_cast<int>(l.state), l.wait_site}];
      ++group.first, group.second = &l;
    }
    if (text.size() > 400) continue;
    text.append(text.empty() ? "" : "; ").append("block ");
    text.append(std::to_string(slot->index)).append(":");
    for (const auto& [why, group] : groups) {
      const lane& l = *group.second;
      text += (text.back() == ':' ? " " : ", ") + std::to_string(group.first) +
              (group.first == 1 ? " thread" : " threads") + " from thread " +
              std::to_string(l.index) + " on " + name_of(l.state);
      if (l.state == waits::ended) continue;
      text.append(" ").append(where(l.wait_site, l.step));
      key = l.wait_site;
      if (l.state == waits::word)
        text += " (" + arrays_[l.word_array].name + "[" + std::to_string(l.word) + "] is " +
                std::to_string(l.word_value) + ")";
    }
  }
  if (next_block_ < form_.blocks)
    text.append("; ")
        .append(std::to_string(form_.blocks - next_block_))
        .append(form_.blocks - next_block_ == 1 ? " block has" : " blocks have")
        .append(" not begun");
  add(words ? fault::no_progress : fault::deadlock, key, text);
}

bool engine::shape_fits(const shape& form) {
  std::string text;
  if (form.threads == 0 || form.threads > how_.most_threads)
    text = std::to_string(form.threads) + " threads a block; the device has 1 to " +
           std::to_string(how_.most_threads);
  else if (form.blocks == 0)
    text = "no blocks";
  else if (form.shared_bytes > how_.shared_limit) {
    add(fault::shared_limit, 0,
        "the launch asks for " + std::to_string(form.shared_bytes) +
            " bytes of shared memory a block; the device has " + std::to_string(how_.shared_limit));
    return false;
  } else if (form.cooperative && form.blocks > how_.cooperative)
    text = "a cooperative launch of " + std::to_string(form.blocks) + " blocks; the device runs " +
           std::to_string(how_.cooperative) + " at a time";
  if (!text.empty()) add(fault::launch, 0, text);
  return text.empty();
}

void engine::check_outputs() {
  for (const global_array& a : arrays_) {
    if (!a.output) continue;
    std::uint64_t missing = 0, first = a.size, tail = a.size;
    for (std::uint64_t i = 0; i < a.size; ++i) {
      if (a.touched.written(i)) {
        tail = a.size;
        continue;
      }
      ++missing;
      first = std::min(first, i), tail = std::min(tail, i);
    }
    if (missing == 0) continue;
    const bool short_grid = a.size - tail == missing;  // none but the last ones
    add(short_grid ? fault::grid_too_small : fault::never_written, 0,
        a.name + ": " + std::to_string(missing) + " of " + std::to_string(a.size) +
            " elements were never written, the first is " + std::to_string(first) +
            (short_grid ? "; all before it were" : ""));
  }
}

}  // namespace upsweep::lab::simulator
