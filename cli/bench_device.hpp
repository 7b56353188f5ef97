// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench on a GPU: device memory, and the engines as contenders that are timed by the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/bench_engines.hpp"
#include "cli/bench_plan.hpp"

namespace cli::bench {

// The version of CUB that was compiled in; empty where the tool was built without CUDA.
std::string cub_version();

// A GPU and the memory for the largest workload of a plan.
class device_bench {
 public:
  // Throws failure when the memory is not there, or the tool was built without CUDA.
  explicit device_bench(const plan& p);
  device_bench(const device_bench&) = delete;
  device_bench& operator=(const device_bench&) = delete;
  ~device_bench();

  // All engines that can do the workload, whose buffers are the host's; w.in is copied to the
  // device now. verify() brings the device's result to w.out and compares it with what the CPU
  // engine makes of w.in: Upsweep's bits are its bits, others' floats may differ by rounding.
  // They serve until the next call, and no longer than the object.
  std::vector<contender> contenders(const workload& w, const element_type& type);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace cli::bench
