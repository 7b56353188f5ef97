// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch does, as sums that the model turns into time: from the counts of a simulation, or
// continued from those of smaller ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/model/device_spec.hpp"
#include "lab/simulator/counts.hpp"

namespace upsweep::lab::model {

// Instructions of a warp that go with each thing that is counted (an access, an operation, an
// exchange, a barrier): the loop of hillis-steele has 17 in PTX for five of them.
inline constexpr double instructions_each = 17.0 / 5;

struct work {
  // Sums over all blocks.
  double operations = 0;
  double events = 0;        // of warps: all that is counted
  double transactions = 0;  // of shared memory
  double global_bytes = 0;  // of sectors; what a whole block reads in common comes once
  // Of one block, the longest.
  double thread_bytes = 0;  // of one load of global memory by one thread, the most
  double path_cycles = 0;   // what it waits for, one after the other, without its barriers
  double path_barriers = 0;
  double path_chain = 0, path_issue = 0;  // of path_cycles: all steps' latencies, instructions
  // What no block does beside others: barriers of the grid, and what one block does between them.
  double grid_barriers = 0, alone_cycles = 0;
};

// Of one launch, on a device; l2_share: how much of its arrays lies there. The path goes step by
// step:
//   the latencies of the step's loads (those of one kind are waited for together), operations and
//   exchanges; where a barrier ends it also the instructions that go with them, one by one
//   or, if that takes longer, the instructions of all warps
//   and what bank conflicts add
// Words that are published and observed are counted as hops, by carry_seconds().
work work_of(const simulator::counts& c, const device_spec& d, double l2_share);

// Continues what was counted at `at` to `x`: the polynomial through the points (at[i], known[i]),
// term by term. One point: the same everywhere.
work continued(std::span<const double> at, std::span<const work> known, double x);

// What one block waits for in so many steps, of each of which the latencies are the same while the
// instructions of all blocks become fewer, evenly, from twice their mean to none: naive.
double falling_path(double chain, double issue);

// The sums of one and the path of another.
work joined(const work& sums, const work& path);

work operator*(double factor, const work& w);
work operator+(const work& a, const work& b);

}  // namespace upsweep::lab::model
