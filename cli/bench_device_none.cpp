// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench of a tool that was built without CUDA: no device is ever found, so none of this runs.
#include "cli/bench_device.hpp"
#include "cli/failure.hpp"

namespace cli::bench {

struct device_bench::state {};

std::string cub_version() { return ""; }

device_bench::device_bench(const plan&) {
  throw run_time_failure("bench: this tool was built without CUDA");
}
device_bench::~device_bench() = default;

std::vector<contender> device_bench::contenders(const workload&, const element_type&) { return {}; }

}  // namespace cli::bench
