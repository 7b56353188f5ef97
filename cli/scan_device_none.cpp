// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/failure.hpp"
#include "cli/scan_device.hpp"

namespace cli {

void run_scan_on_device(const scan_job&, std::size_t, int) {
  throw run_time_failure("this tool was built without CUDA: use --device cpu");
}

}  // namespace cli
