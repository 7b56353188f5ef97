// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel has shown, in the order in which it did: the array after each step, who was
// active, what was added to what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/machine.hpp"

namespace upsweep::lab::simulator {

inline constexpr std::uint64_t no_partner = nobody;

struct shown {
  std::uint32_t step = 0, block = 0, thread = 0;
  bool active = false;
  std::uint64_t element = 0;
  std::uint64_t left = no_partner, right = no_partner;  // what was put together; one: a copy
  std::size_t value = 0;                                // where its bytes begin in trace::values
};

struct trace {
  std::vector<shown> events;
  std::vector<std::byte> values;
};

}  // namespace upsweep::lab::simulator
