// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many blocks a multiprocessor holds at a time, and what keeps it from holding more.
#pragma once

#include "lab/model/device_spec.hpp"

namespace upsweep::lab::model {

// What one block asks for. registers are those of a thread.
struct block_needs {
  double threads = 1, registers = 32, shared_bytes = 0;
};

struct occupancy {
  double blocks = 0, warps = 0;
  double share = 0;             // of the warps that the multiprocessor could hold
  const char* limit = "warps";  // the scarcest: warps, blocks, registers, shared memory, threads
};

// As cudaOccupancyMaxActiveBlocksPerMultiprocessor: registers are given to warps, shared memory to
// blocks, each rounded up to the device's unit. A block that asks for more than a block may have
// gives 0 blocks.
occupancy occupancy_of(const device_spec& d, const block_needs& block);

}  // namespace upsweep::lab::model
