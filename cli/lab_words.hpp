// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that the subcommands of upsweep lab have in common.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lab/simulator/counts.hpp"

namespace cli::lab {

// "1 fault", "2 faults". The noun takes an s.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Barriers that one block of a launch came by: "3..6" where blocks differ.
inline std::string barriers_of(const upsweep::lab::simulator::counts& c) {
  if (c.fewest_barriers == c.most_barriers) return std::to_string(c.most_barriers);
  return fmt::format("{}..{}", c.fewest_barriers, c.most_barriers);
}

// "2 blocks of 4 threads, 10 operations, 2 barriers".
inline std::string headline(const upsweep::lab::simulator::counts& c) {
  return fmt::format(
      "{} of {}, {}, {} {}{}", counted(c.blocks, "block"), counted(c.threads, "thread"),
      counted(c.operations(), "operation"), barriers_of(c),
      c.most_barriers == 1 ? "barrier" : "barriers",
      c.grid_barriers() == 0 ? "" : fmt::format(" and {} of the grid", c.grid_barriers()));
}

}  // namespace cli::lab
