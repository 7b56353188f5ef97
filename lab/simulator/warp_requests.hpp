// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses of threads are one request of their warp.
//
// A warp runs one instruction for all of its lanes. Where a branch or a loop divides them, it runs
// the parts one after the other and they meet again behind it. So what counts is where in the
// text an access stands, and the how many-th round of the warp it belongs to:
//
//   lanes that come by a place for the k-th time since the warp last waited make one request
//
// The order in which the simulator runs lanes is nothing to this, nor is the step that a lane is
// in: lanes that leave a loop after different numbers of rounds make one request behind it. Such a
// request belongs to the step that began last, when all lanes had come. A place is a name in the
// text with one way of access: different arrays or addresses are one instruction, different widths
// are not.
//
// Limit: of a branch inside a loop without waits, a lane's k-th coming need not be in the round of
// another's k-th. There this counts too few requests. No kernel of the lab has such a place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/simulator/banks.hpp"

namespace upsweep::lab::simulator {

enum class access : std::uint8_t {
  shared_load,
  shared_store,
  global_load,
  global_store,
  add,
  publish,
  observe
};
const char* name_of(access kind);
constexpr bool is_shared(access kind) {
  return kind == access::shared_load || kind == access::shared_store;
}

// What one lane asks for.
struct lane_access {
  std::uint32_t step = 0, site = 0;
  access kind = access::shared_load;
  std::uint32_t bytes = 0, alignment = 0;
  std::uint64_t address = 0;
  bool active = false;
};

// The requests of one warp between two points where its lanes wait for each other.
class open_accesses {
 public:
  struct request {
    warp_access lanes;
    std::uint32_t active = 0;
    std::uint32_t step = 0, site = 0;
    access kind = access::shared_load;
  };
  void add(unsigned lane, const lane_access& what);
  const std::vector<request>& all() const { return requests_; }
  void clear();

 private:
  struct place {
    std::uint32_t site = 0, bytes = 0;
    access kind = access::shared_load;
    std::array<std::uint32_t, warp_lanes> passes{};  // how often each lane has come by
    std::vector<std::uint32_t> requests;             // the k-th of them
  };
  place& place_of(const lane_access& what);

  std::vector<request> requests_;
  std::vector<place> places_;  // of which the first used_ count
  std::size_t used_ = 0, last_ = 0;
};

// How often a warp enters its steps as one that is active in them: by the same rule.
class step_entries {
 public:
  // True if this lane is the first of the warp to enter for the k-th time.
  bool add(unsigned lane, std::uint32_t step);
  void clear();

 private:
  struct entry {
    std::uint32_t step = 0, most = 0;
    std::array<std::uint32_t, warp_lanes> passes{};
  };
  std::vector<entry> entries_;
  std::vector<std::uint32_t> entry_of_;  // by step: 1 + the place in entries_, or 0
};

}  // namespace upsweep::lab::simulator
