// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that the simulator plays, and the order in which it runs threads.
#pragma once

#include <cstdint>

#include "lab/machine.hpp"

namespace upsweep::lab::simulator {

struct model {
  unsigned banks = 32;  // of 4 bytes: 32, or 16 with half-warps as on the oldest devices
  std::uint32_t shared_limit = most_shared_bytes;  // bytes of shared memory a block may have
  unsigned most_threads = 1024;                    // of a block
  unsigned resident = 4;                           // blocks that run at a time
  unsigned cooperative = 64;                       // blocks that a cooperative launch may have
  // 0: threads run in order, each as far as it can. Else the order is drawn from this seed, and a
  // thread may be stopped at every access.
  std::uint64_t seed = 0;
  bool trace = false;  // keep what the kernel shows, step by step
};

}  // namespace upsweep::lab::simulator
