// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has touched each element of an array last, and whether the next one who does is ordered
// behind. Order comes from barriers, launches and published words, never from the schedule: a race
// is found even if the result is right.
//
// All events that order something draw a time from one clock. An access keeps the time and its
// thread. It is before the present of a thread of the same block if the block's last barrier is
// later; and before that of another block if some publication that it has observed, itself or by
// way of others, was made after a barrier later than the access, or by the thread of the access.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace upsweep::lab::simulator {

// An access. Where several threads of a block read in the same interval, it is the last one, and
// another one of them, with its place, is other: the same where there is none.
struct stamp {
  std::uint32_t time = 0;  // 0: none
  std::uint32_t block = 0;
  std::uint16_t thread = 0, other = 0;
  std::uint16_t step = 0, site = 0;
  std::uint16_t other_step = 0, other_site = 0;
};

// What a publication tells of its block: all accesses before the barrier, and those of the thread
// up to the time of the publication.
struct release_point {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t barrier = 0, time = 0;
};
// All points that somebody knows of, as a tree over the blocks. A tree never changes, and trees
// share the parts that are the same: what a block has looked back to is nearly what the one before
// it had. As lists of their own they would grow with the square of the blocks.
struct knowledge;
using shared_knowledge = std::shared_ptr<const knowledge>;
struct knowledge {
  unsigned level = 0;
  std::vector<release_point> points;    // at level 0, of 16 blocks: sorted by block and thread
  std::vector<shared_knowledge> parts;  // above it: at most 16 of the next lower level, or null
};
shared_knowledge known_of(const release_point& point);
shared_knowledge united(const shared_knowledge& a, const shared_knowledge& b);

// The present of a thread.
struct view {
  std::uint32_t now = 0;      // the time of its accesses
  std::uint32_t floor = 0;    // everything before it is ordered: the launch, a grid barrier
  std::uint32_t barrier = 0;  // the block's last one
  std::uint32_t block = 0;
  std::uint16_t thread = 0, step = 0;
  const knowledge* of_block = nullptr;   // what the block knew at its last barrier
  const knowledge* of_thread = nullptr;  // and the thread has observed since
};
bool ordered(const stamp& access, const view& present);

class shadow {
 public:
  // initialised: the elements hold values that a host has put there. read_only: nobody can write
  // them, so that there is nothing to keep of their readers, who may be as many as there are
  // blocks.
  void reset(std::size_t elements, bool initialised, bool read_only = false);

  bool written(std::size_t i) const { return initialised_ || writes_[i].time != 0; }
  // The access that a read or write of element i races with; null if there is none.
  const stamp* read(std::size_t i, const view& present, std::uint16_t site);
  const stamp* write(std::size_t i, const view& present, std::uint16_t site);
  bool racing_access_was_a_write() const { return was_write_; }

 private:
  static void add_reader(stamp& readers, const stamp& me);
  static stamp racing_reader(const stamp& readers, const view& present);
  std::vector<stamp> writes_;
  std::vector<stamp> reads_;  // empty until somebody reads: many outputs are written only
  // Readers that nothing orders, of other blocks than that in the cell.
  std::unordered_map<std::size_t, std::vector<stamp>> more_readers_;
  stamp found_;
  bool initialised_ = false, read_only_ = false, was_write_ = false;
};

}  // namespace upsweep::lab::simulator
