// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fault of a kernel that the simulator has seen.
#pragma once

#include <cstdint>
#include <optional>
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

// One of the two accesses of a race: who, and where in the text.
struct racer {
  std::uint32_t thread = 0, block = 0;
  bool writes = false;
  std::string place, phase;
  std::uint64_t stride = 0;
};

// Both accesses, the later one first, and the element that they meet at.
struct race_pair {
  racer later, earlier;
  std::string array;
  std::uint64_t element = 0;
};

// Faults of the same kind, places and step are one, counted.
struct finding {
  fault kind;
  std::string kernel;
  std::string text;  // one line: both threads, places, step, address
  std::uint64_t times = 1;
  std::uint64_t key = 0;
  std::optional<race_pair> race{};  // the first one that was seen
};

}  // namespace upsweep::lab::simulator
