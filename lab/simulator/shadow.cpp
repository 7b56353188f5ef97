// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/shadow.hpp"

#include <algorithm>

namespace upsweep::lab::simulator {

namespace {

bool known(const stamp& a, const knowledge* list) {
  if (list == nullptr) return false;
  auto at = std::lower_bound(list->begin(), list->end(), a.block,
                             [](const release_point& p, std::uint32_t b) { return p.block < b; });
  for (; at != list->end() && at->block == a.block; ++at)
    if (a.time < at->barrier ||
        (a.thread == at->thread && a.other == at->thread && a.time <= at->time))
      return true;
  return false;
}

bool is_before(const release_point& a, const release_point& b) {
  return a.block != b.block ? a.block < b.block : a.thread < b.thread;
}

}  // namespace

shared_knowledge united(const shared_knowledge& a, const shared_knowledge& b) {
  if (a == b || !b || b->empty()) return a;
  if (!a || a->empty()) return b;
  auto sum = std::make_shared<knowledge>();
  sum->reserve(a->size() + b->size());
  auto i = a->begin();
  auto j = b->begin();
  while (i != a->end() || j != b->end()) {
    if (j == b->end() || (i != a->end() && is_before(*i, *j))) {
      sum->push_back(*i++);
    } else if (i == a->end() || is_before(*j, *i)) {
      sum->push_back(*j++);
    } else {
      sum->push_back(i->time < j->time ? *j : *i);
      ++i, ++j;
    }
  }
  return sum;
}

bool ordered(const stamp& a, const view& p) {
  if (a.time < p.floor) return true;
  if (a.block == p.block && (a.time < p.barrier || (a.thread == p.thread && a.other == p.thread)))
    return true;
  return known(a, p.of_thread) || known(a, p.of_block);
}

void shadow::reset(std::size_t elements, bool initialised) {
  cells_.assign(elements, cell{});
  more_readers_.clear();
  initialised_ = initialised;
}

const stamp* shadow::read(std::size_t i, const view& p, std::uint16_t site) {
  cell& c = cells_[i];
  const stamp me{p.now, p.block, p.thread, p.thread, p.step, site};
  const bool race = c.write.time != 0 && !ordered(c.write, p);
  if (race) found_ = c.write, was_write_ = true;
  if (c.read.time == 0 || ordered(c.read, p)) {
    c.read = me;
  } else if (c.read.block == p.block && c.read.time >= p.barrier) {
    if (c.read.other == c.read.thread) c.read.other = p.thread;
    c.read.time = p.now;  // the later one of the interval
  } else {
    std::vector<stamp>& more = more_readers_[i];
    std::erase_if(more, [&](const stamp& s) { return ordered(s, p); });
    const auto same =
        std::find_if(more.begin(), more.end(), [&](const stamp& s) { return s.block == p.block; });
    if (same == more.end()) {
      more.push_back(me);
    } else {
      if (same->other == same->thread) same->other = p.thread;
      same->time = p.now;
    }
  }
  return race ? &found_ : nullptr;
}

const stamp* shadow::write(std::size_t i, const view& p, std::uint16_t site) {
  cell& c = cells_[i];
  const stamp* race = nullptr;
  if (c.write.time != 0 && !ordered(c.write, p)) {
    found_ = c.write, was_write_ = true;
    race = &found_;
  } else if (c.read.time != 0 && !ordered(c.read, p)) {
    found_ = c.read, was_write_ = false;
    race = &found_;
  } else if (!more_readers_.empty()) {
    if (const auto more = more_readers_.find(i); more != more_readers_.end())
      for (const stamp& s : more->second)
        if (!ordered(s, p)) found_ = s, was_write_ = false, race = &found_;
  }
  // A reader that is me and somebody else of my block: name the other one.
  if (race != nullptr && found_.thread == p.thread && found_.block == p.block)
    found_.thread = found_.other;
  c.write = {p.now, p.block, p.thread, p.thread, p.step, site};
  c.read = {};
  if (!more_readers_.empty()) more_readers_.erase(i);
  return race;
}

}  // namespace upsweep::lab::simulator
