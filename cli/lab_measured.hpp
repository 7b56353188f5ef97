// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From measurements to the fields of a device description.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/model/device_spec.hpp"

namespace cli::lab {

// The device with what was measured: figures by the name of a field as they are, and
//   barrier_cycles, barrier_warp_cycles   the line through barrier_cycles@1 to @32
//   first_launch_s, launch_s              the line through launches_s@1 to @8
//   clear_s                               the slope of memsets_s@1 to @8
//   grid_barrier_s                        grid_barrier_s@8, of blocks of 256 threads
//   copy_share                            copy16_bytes_per_s@28 as a share of dram_bytes_per_s
//   l2_bytes_per_s                        the same of the largest arrays that fit, without the gap
//   turn_cycles, turn_warp_cycles         copies of a word a thread by blocks of 256, 512 and 1024
//                                         threads: how long a block has its place, but for a load
// Nothing is assumed then but what was not measured. Its name is measured.
upsweep::lab::model::device_spec with_measured(
    upsweep::lab::model::device_spec d,
    const std::vector<std::pair<std::string, double>>& measured);

}  // namespace cli::lab
