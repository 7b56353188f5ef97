// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/device_spec.hpp"

#include <cmath>

#include "lab/model/occupancy.hpp"

namespace upsweep::lab::model {

namespace {

using d = device_spec;

constexpr spec_field fields[] = {
    {"processors", "", "multiprocessors", &d::processors, 1, 1e5, spec_kind::whole},
    {"clock_hz", "1/s", "clock of the multiprocessors under load", &d::clock_hz, 1e6, 1e11},
    {"fp32_lanes", "", "additions of floats a cycle and multiprocessor", &d::fp32_lanes, 1, 4096,
     spec_kind::whole},
    {"schedulers", "", "instructions of warps a cycle and multiprocessor", &d::schedulers, 0.1, 64},
    {"threads", "", "threads a multiprocessor holds", &d::threads, 32, 1e5, spec_kind::whole},
    {"blocks", "", "blocks a multiprocessor holds", &d::blocks, 1, 1e4, spec_kind::whole},
    {"block_threads", "", "threads a block may have", &d::block_threads, 32, 1e5, spec_kind::whole},
    {"registers", "", "32-bit registers of a multiprocessor", &d::registers, 1024, 1e8,
     spec_kind::whole},
    {"register_unit", "", "registers are given to warps in multiples of", &d::register_unit, 1, 1e5,
     spec_kind::whole},
    {"warp_unit", "", "registers are given to warps by so many", &d::warp_unit, 1, 64,
     spec_kind::whole},
    {"shared_bytes", "B", "shared memory of a multiprocessor", &d::shared_bytes, 1024, 1e9,
     spec_kind::whole},
    {"block_shared_bytes", "B", "shared memory a block may have", &d::block_shared_bytes, 1024, 1e9,
     spec_kind::whole},
    {"shared_unit", "B", "shared memory is given in multiples of", &d::shared_unit, 1, 1e5,
     spec_kind::whole},
    {"reserved_shared_bytes", "B", "what the system takes of it for each block",
     &d::reserved_shared_bytes, 0, 1e5, spec_kind::whole},
    {"banks", "", "banks of shared memory; 16 serve half a warp", &d::banks, 16, 32,
     spec_kind::banks},
    {"dram_bytes_per_s", "B/s", "of the memory, by the data sheet", &d::dram_bytes_per_s, 1e6,
     1e16},
    {"copy_share", "", "share of it that a copy reaches", &d::copy_share, 0.01, 1},
    {"l2_bytes", "B", "second-level cache; 0 where there is none", &d::l2_bytes, 0, 1e12,
     spec_kind::whole},
    {"l2_bytes_per_s", "B/s", "rate of a copy within it", &d::l2_bytes_per_s, 1e6, 1e16},
    {"add_cycles", "cycles", "an addition that waits for another", &d::add_cycles, 0, 1e6},
    {"shuffle_cycles", "cycles", "a shuffle that waits for another", &d::shuffle_cycles, 0, 1e6},
    {"shared_cycles", "cycles", "a load of shared memory", &d::shared_cycles, 0, 1e6},
    {"barrier_cycles", "cycles", "a barrier of a block: this,", &d::barrier_cycles, 0, 1e6},
    {"barrier_warp_cycles", "cycles", "and this for each warp", &d::barrier_warp_cycles, 0, 1e6},
    {"l1_cycles", "cycles", "a load that hits the first-level cache", &d::l1_cycles, 0, 1e6},
    {"l2_cycles", "cycles", "a load that hits the second-level cache", &d::l2_cycles, 0, 1e6},
    {"dram_cycles", "cycles", "a load from memory", &d::dram_cycles, 0, 1e6},
    {"atomic_cycles", "cycles", "an atomic whose result is waited for", &d::atomic_cycles, 0, 1e6},
    {"turn_cycles", "cycles", "from a block's store to its successor's load: this,",
     &d::turn_cycles, 0, 1e6},
    {"turn_warp_cycles", "cycles", "and this for each warp", &d::turn_warp_cycles, 0, 1e6},
    {"compute_capability", "", "such as 9.0; may be left out", &d::compute_capability, 0, 99,
     spec_kind::optional},
    {"first_launch_s", "s", "one launch of nothing, between two events", &d::first_launch_s, 0, 1},
    {"launch_s", "s", "the host, to launch one more", &d::launch_s, 0, 1},
    {"clear_s", "s", "the host, to clear an array of words", &d::clear_s, 0, 1},
    {"gap_s", "s", "from the end of a kernel to the next, which waits", &d::gap_s, 0, 1},
    {"hop_s", "s", "from a word published to its value, block to block", &d::hop_s, 0, 1},
    {"grid_barrier_s", "s", "a barrier of the grid", &d::grid_barrier_s, 0, 1},
};

}  // namespace

std::span<const spec_field> spec_fields() { return fields; }

std::string contradiction_in(const device_spec& spec) {
  const struct {
    double device_spec::*less, device_spec::*more;
    const char* what;
  } orders[] = {
      {&d::block_threads, &d::threads, "block_threads is more than threads"},
      {&d::block_shared_bytes, &d::shared_bytes, "block_shared_bytes is more than shared_bytes"},
      {&d::block_threads, &d::registers, "block_threads is more than registers"},
      {&d::launch_s, &d::first_launch_s, "launch_s is more than first_launch_s"}};
  for (const auto& order : orders)
    if (spec.*order.less > spec.*order.more) return order.what;
  const occupancy warp = occupancy_of(spec, {32, default_registers(spec), 0});
  if (warp.blocks >= 1) return "";
  return std::string("a multiprocessor holds no block of one warp: for that it lacks ") +
         warp.limit;
}

double default_registers(const device_spec& d) {
  return std::min(32.0, std::floor(d.registers / d.block_threads));
}

}  // namespace upsweep::lab::model
