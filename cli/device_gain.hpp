// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a scan of host memory is faster on a GPU: what --device auto asks.
#pragma once

#include <cstdint>

#include "cli/scan_job.hpp"

namespace cli {

// What the host and the link to the device can do. One thread that copies at 20 GB/s, read and
// written, was measured; the others are assumed: 160 GB/s for several, 25 each way for a link of
// PCIe 4, half a second for waking the driver and locking the buffers.
struct transfer_costs {
  double copy_gb_s = 20, most_copy_gb_s = 160;
  double link_gb_s = 25;
  double start_s = 0.5;
};

struct scan_estimate {
  double cpu_s = 0, device_s = 0;
};

// The time of a scan of n elements, by what bounds it. On the CPU: a scan with a vector kernel runs
// as fast as a copy of its bytes, all others half as fast. On a device: elements are copied to
// locked buffers as accumulators and results from them, which are two copies by the host, beside
// their way over the link; the kernels do not count.
scan_estimate estimate_scan(operation op, dtype in, dtype out, std::uint64_t n, unsigned threads,
                            const transfer_costs& costs = {});

// With these costs the answer is no for every operator and dtype: what a device would save
// is never more than what the host spends to hand the data over. It is yes where copies are cheaper
// or scans are dearer than that.
bool gains_from_device(const scan_job& job, const transfer_costs& costs = {});

}  // namespace cli
