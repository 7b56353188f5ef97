// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a GPU needs for the things that the model adds up, measured by small kernels: latencies as
// chains of dependent operations on the SM's clock, rates by events.
#pragma once

#include <string>
#include <vector>

namespace upsweep::lab::gpu {

// One figure. Those of a device description have its field's name and unit; others say what was
// varied behind an @, such as barrier_cycles@32 for 32 warps.
struct measurement {
  std::string name;
  double value = 0;
};

// All of them, on the current device; takes some seconds and about 3 GB of its memory. Throws
// cuda_failure.
std::vector<measurement> measure_device();

}  // namespace upsweep::lab::gpu
