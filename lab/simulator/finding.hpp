// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fault of a kernel that the simulator has seen.
#pragma once

#include <cstdint>
#include <string>

namespace upsweep::lab::simulator {

enum class fault : std::uint8_t {
  race,                // two accesses, one of them a write, that nothing orders
  out_of_bounds,       // an index that the array does not have
  uninitialised_read,  // of a place that nobody has written
  barrier_divergence,  // threads that wait at different barriers, or have left
  deadlock,            // threads that wait for each other
  no_progress,         // a wait for a word that no running block will publish
  endless,             // a thread that does not stop
  shared_limit,        // more shared memory than the device has, or than the launch asked for
  launch,              // a shape that the device cannot run
  never_written,       // outputs that no thread has written
  grid_too_small       // the outputs from some index on: the grid does not reach them
};
const char* name_of(fault kind);

// Faults of the same kind, places and step are one, counted.
struct finding {
  fault kind;
  std::string kernel;
  std::string text;  // one line: both threads, places, step, address
  std::uint64_t times = 1;
  std::uint64_t key = 0;
};

}  // namespace upsweep::lab::simulator
