// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upsweep lab model predicts from: the launches of a scan, and what each of them does.
#pragma once

#include "cli/lab_session.hpp"
#include "lab/model/predict.hpp"

namespace cli::lab {

namespace model = upsweep::lab::model;

// The launches of a scan of what.n floats and their works. A scan of few tiles is simulated as it
// is, one of many is continued from small ones:
//   - the sums of a launch of blocks with a tile each grow linearly with the blocks; they are
//     counted at 2 and 3 tiles, and what a block waits for is that at 3
//   - of grid-sync, with p > 1 tiles a block, they are linear in the blocks and in p, counted at 2
//     and 3 of each
//   - of serial they are linear in n, and of naive a polynomial of degree 2 of the blocks, but for
//     the path, which is linear there too
// Operators of floats only. Throws failure for what cannot be asked for.
model::scan_plan plan_of(const request& what, const model::device_spec& spec, double registers);

// The threads of the largest block that the device holds: a power of two, at most 1024.
unsigned largest_block(const model::device_spec& spec, double registers);

// The most elements that one block of so many threads scans; 0 for kernels that take any number.
std::uint64_t reach_of(const std::string& kernel, unsigned threads);

// The GPU of this machine, completed from the devices that are known, and what the model says of a
// scan on it. Throws failure where there is none.
struct beside {
  model::device_spec device;
  model::prediction predicted;
};
beside predicted_here(const request& what, const std::string& devices_file);

}  // namespace cli::lab
