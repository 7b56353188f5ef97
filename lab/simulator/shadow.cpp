// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/shadow.hpp"

#include <algorithm>
#include <utility>

namespace upsweep::lab::simulator {

namespace {

constexpr unsigned fan_bits = 4;
constexpr std::uint32_t fan = 1u << fan_bits;

// Where a block lies among the parts of a tree of this level.
std::uint32_t part_of(std::uint32_t block, unsigned level) {
  return block >> fan_bits * level & (fan - 1);
}
bool reaches(unsigned level, std::uint32_t block) {
  return std::uint64_t{block} >> fan_bits * (level + 1) == 0;
}

// The points of the group that the block is in; null if nothing is known of it.
const std::vector<release_point>* points_near(std::uint32_t block, const knowledge* tree) {
  if (tree != nullptr && !reaches(tree->level, block)) return nullptr;
  while (tree != nullptr && tree->level > 0) {
    const std::uint32_t part = part_of(block, tree->level);
    tree = part < tree->parts.size() ? tree->parts[part].get() : nullptr;
  }
  return tree == nullptr ? nullptr : &tree->points;
}

bool known(const stamp& a, const knowledge* tree) {
  const std::vector<release_point>* const points = points_near(a.block, tree);
  if (points == nullptr) return false;
  auto at = std::lower_bound(points->begin(), points->end(), a.block,
                             [](const release_point& p, std::uint32_t b) { return p.block < b; });
  for (; at != points->end() && at->block == a.block; ++at)
    if (a.time < at->barrier ||
        (a.thread == at->thread && a.other == at->thread && a.time <= at->time))
      return true;
  return false;
}

bool is_before(const release_point& a, const release_point& b) {
  return a.block != b.block ? a.block < b.block : a.thread < b.thread;
}

// A tree as the first part of one that reaches further.
shared_knowledge raised(shared_knowledge tree, unsigned level) {
  while (tree->level < level)
    tree = std::make_shared<knowledge>(knowledge{tree->level + 1, {}, {tree}});
  return tree;
}

// Of one thread of a block, the later point. Both may turn out to be a or b itself.
shared_knowledge united_points(const shared_knowledge& a, const shared_knowledge& b) {
  knowledge sum;
  bool is_a = true, is_b = true;
  auto i = a->points.begin(), j = b->points.begin();
  while (i != a->points.end() || j != b->points.end()) {
    const bool from_a = j == b->points.end() || (i != a->points.end() && !is_before(*j, *i));
    const bool from_b = i == a->points.end() || (j != b->points.end() && !is_before(*i, *j));
    const bool later_b = from_b && (!from_a || i->time < j->time);
    is_a = is_a && from_a && !later_b;
    is_b = is_b && from_b && (later_b || i->time == j->time);
    sum.points.push_back(later_b ? *j : *i);
    i += from_a, j += from_b;
  }
  return is_a ? a : is_b ? b : std::make_shared<knowledge>(std::move(sum));
}

// Of two trees of the same level. What is a or b itself is not copied.
shared_knowledge united_parts(const shared_knowledge& a, const shared_knowledge& b) {
  if (a == b || !b) return a;
  if (!a) return b;
  if (a->level == 0) return united_points(a, b);
  static const shared_knowledge none;
  knowledge sum{a->level, {}, {}};
  bool is_a = true, is_b = true;
  for (std::size_t k = 0; k < std::max(a->parts.size(), b->parts.size()); ++k) {
    const shared_knowledge& of_a = k < a->parts.size() ? a->parts[k] : none;
    const shared_knowledge& of_b = k < b->parts.size() ? b->parts[k] : none;
    sum.parts.push_back(united_parts(of_a, of_b));
    is_a = is_a && sum.parts.back() == of_a;
    is_b = is_b && sum.parts.back() == of_b;
  }
  return is_a ? a : is_b ? b : std::make_shared<knowledge>(std::move(sum));
}

}  // namespace

shared_knowledge known_of(const release_point& point) {
  shared_knowledge tree = std::make_shared<knowledge>(knowledge{0, {point}, {}});
  for (unsigned level = 1; !reaches(level - 1, point.block); ++level) {
    knowledge above{level, {}, {}};
    above.parts.resize(part_of(point.block, level) + 1);
    above.parts.back() = std::move(tree);
    tree = std::make_shared<knowledge>(std::move(above));
  }
  return tree;
}

shared_knowledge united(const shared_knowledge& a, const shared_knowledge& b) {
  if (a == b || !b) return a;
  if (!a) return b;
  const unsigned level = std::max(a->level, b->level);
  return united_parts(raised(a, level), raised(b, level));
}

bool ordered(const stamp& a, const view& p) {
  if (a.time < p.floor) return true;
  if (a.block == p.block && (a.time < p.barrier || (a.thread == p.thread && a.other == p.thread)))
    return true;
  return known(a, p.of_thread) || known(a, p.of_block);
}

void shadow::reset(std::size_t elements, bool initialised, bool read_only) {
  writes_.assign(read_only ? 0 : elements, stamp{});
  reads_.clear();
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
  if (reads_.empty()) reads_.resize(writes_.size());
  const stamp& write = writes_[i];
  stamp& read = reads_[i];
  const stamp me{p.now, p.block, p.thread, p.thread, p.step, site, p.step, site};
  const bool race = write.time != 0 && !ordered(write, p);
  if (race) found_ = write, was_write_ = true;
  if (read.time == 0 || ordered(read, p)) {
    read = me;
  } else if (read.block == p.block && read.time >= p.barrier) {
    add_reader(read, me);
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
  const stamp* race = nullptr;
  if (writes_[i].time != 0 && !ordered(writes_[i], p)) {
    found_ = writes_[i], was_write_ = true;
    race = &found_;
  } else if (!reads_.empty() && reads_[i].time != 0 && !ordered(reads_[i], p)) {
    found_ = racing_reader(reads_[i], p), was_write_ = false;
    race = &found_;
  } else if (!more_readers_.empty()) {
    if (const auto more = more_readers_.find(i); more != more_readers_.end())
      for (const stamp& s : more->second)
        if (!ordered(s, p)) found_ = racing_reader(s, p), was_write_ = false, race = &found_;
  }
  writes_[i] = {p.now, p.block, p.thread, p.thread, p.step, site, p.step, site};
  if (!reads_.empty()) reads_[i] = {};
  if (!more_readers_.empty()) more_readers_.erase(i);
  return race;
}

}  // namespace upsweep::lab::simulator
