// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulator counts in one launch, by step and by place of the text. All sums go over the
// blocks of the launch; degree and banks are the most that one access of a warp had.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/simulator/warp_requests.hpp"

namespace upsweep::lab::simulator {

// One place of the text in one step. "active" counts only lanes that do the step's work: where
// idle threads copy, they are in the other figure too.
struct site_counts {
  std::uint32_t step = 0, site = 0;
  access kind = access::shared_load;
  std::uint64_t threads = 0, active_threads = 0;
  std::uint64_t warps = 0;  // accesses of warps
  unsigned banks_touched = 0, degree = 0;
  std::uint64_t transactions = 0, active_transactions = 0;  // shared memory
  std::uint64_t broadcasts = 0;
  bank_load load;                                 // of each bank
  std::uint64_t sectors = 0, fewest_sectors = 0;  // global memory
  std::uint64_t bytes = 0;                        // asked for by lanes
};

struct step_counts {
  const char* phase = "";
  std::uint64_t stride = 0;
  // Threads that entered the step, each once; and how often a warp did as an active one.
  std::uint64_t threads = 0, active_threads = 0, active_warps = 0;
  std::uint64_t operations = 0;
  std::uint64_t barriers = 0, grid_barriers = 0;  // of blocks, of the grid
  std::uint64_t shuffles = 0, votes = 0;          // of warps
};

// The tables of a launch.
class counts {
 public:
  std::string kernel;
  std::uint64_t blocks = 0;
  unsigned threads = 0;
  std::uint32_t shared_bytes = 0;                        // that a block asked for
  std::uint64_t fewest_barriers = 0, most_barriers = 0;  // that one block came by
  std::vector<step_counts> steps;
  std::vector<site_counts> sites;  // by step and by site, in the order of their first use

  // Steps are numbered in the order in which they begin. phase lives as long as the program.
  std::uint32_t step_number(const char* phase, std::uint64_t stride);
  void close(const open_accesses& open, unsigned banks);

  // Sums over all steps, or over those of one phase.
  std::uint64_t operations() const;
  std::uint64_t barriers() const { return most_barriers; }  // of the block with the most
  std::uint64_t grid_barriers() const;
  std::uint64_t shuffles() const;
  std::uint64_t transactions(const std::string& phase = "") const;
  std::uint64_t active_transactions(const std::string& phase = "") const;
  std::uint64_t global_bytes() const;
  unsigned degree() const;
  unsigned working_steps() const;  // in which the operator was applied

 private:
  site_counts& row(std::uint32_t step, std::uint32_t site, access kind);

  std::vector<std::vector<std::int32_t>> rows_;  // by step and site: the place in sites, or -1
  std::map<std::pair<std::uint64_t, std::string_view>, std::uint32_t> step_numbers_;
  std::uint32_t last_step_ = 0;
};

// The number of a place of the text, and its name. Numbers are small.
std::uint32_t register_site(const char* name);
const char* site_name(std::uint32_t number);
template <class Site>
inline const std::uint32_t site_number = register_site(Site::name());

}  // namespace upsweep::lab::simulator
