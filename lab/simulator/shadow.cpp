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

void shadow::reset(std::size_t elements, bool initialised, bool read_only) {
  cells_.assign(read_only ? 0 : elements, cell{});
  more_readers_.clear();
  initialised_ = initialised, read_only_ = read_only;
}

// Of three readers the one in the middle is forgotten: nobody needs more than two names.
void shadow::add_reader(stamp& readers, const stamp& me) {
  if (readers.thread != me.thread)
    readers.other = readers.thread, readers.other_step = readers.step,
    readers.other_site = readers.site;
  readers.thread = me.thread, readers.step = me.step, readers.site = me.site;
  readers.time = me.time;
}

// The last reader, or the other one if the last one alone is ordered, such as the writer itself.
stamp shadow::racing_reader(const stamp& readers, const view& p) {
  stamp one = readers;
  one.other = one.thread;
  if (!ordered(one, p)) return one;
  one.thread = one.other = readers.other;
  one.step = readers.other_step, one.site = readers.other_site;
  return one;
}

const stamp* shadow::read(std::size_t i, const view& p, std::uint16_t site) {
  if (read_only_) return nullptr;
  cell& c = cells_[i];
  const stamp me{p.now, p.block, p.thread, p.thread, p.step, site, p.step, site};
  const bool race = c.write.time != 0 && !ordered(c.write, p);
  if (race) found_ = c.write, was_write_ = true;
  if (c.read.time == 0 || ordered(c.read, p)) {
    c.read = me;
  } else if (c.read.block == p.block && c.read.time >= p.barrier) {
    add_reader(c.read, me);
  } else {
    std::vector<stamp>& more = more_readers_[i];
    std::erase_if(more, [&](const stamp& s) { return ordered(s, p); });
    const auto same =
        std::find_if(more.begin(), more.end(), [&](const stamp& s) { return s.block == p.block; });
    if (same == more.end())
      more.push_back(me);
    else
      add_reader(*same, me);
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
    found_ = racing_reader(c.read, p), was_write_ = false;
    race = &found_;
  } else if (!more_readers_.empty()) {
    if (const auto more = more_readers_.find(i); more != more_readers_.end())
      for (const stamp& s : more->second)
        if (!ordered(s, p)) found_ = racing_reader(s, p), was_write_ = false, race = &found_;
  }
  c.write = {p.now, p.block, p.thread, p.thread, p.step, site, p.step, site};
  c.read = {};
  if (!more_readers_.empty()) more_readers_.erase(i);
  return race;
}

}  // namespace upsweep::lab::simulator
