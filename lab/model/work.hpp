// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch does, as sums that the model turns into time: from the counts of a simulation, or
// continued from those of smaller ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/simulator/counts.hpp"

namespace upsweep::lab::model {

// The first ones are sums over all blocks. Those of the path are what the longest block has to
// wait for, one after the other; within a step all loads of one kind are waited for together.
struct work {
  double operations = 0;
  double instructions = 0;  // of warps, that the counts show: accesses, operations, exchanges
  double transactions = 0;  // of shared memory
  double global_bytes = 0;  // of sectors, each as often as it is asked for
  double atomics = 0;
  double thread_bytes = 0;  // not a sum: of one load of global memory by one thread, the most
  double path_operations = 0, path_shuffles = 0, path_shared = 0, path_barriers = 0;
  double path_near = 0, path_far = 0;  // loads of global memory that L1 has, and others
  double path_atomics = 0, path_publishes = 0, path_grid_barriers = 0;
  double path_instructions = 0;  // of all warps of the block
};

// Of one launch.
work work_of(const simulator::counts& c);

// Continues what was counted at `at` to `x`: the polynomial through the points (at[i], known[i]),
// term by term. One point: the same everywhere.
work continued(std::span<const double> at, std::span<const work> known, double x);

// The sums of one and the path of another.
work joined(const work& sums, const work& path);

work operator*(double factor, const work& w);
work operator+(const work& a, const work& b);

}  // namespace upsweep::lab::model
