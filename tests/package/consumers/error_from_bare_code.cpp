// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <upsweep/scan.hpp>

#include <vector>

// Compiled without exceptions: three outputs for four inputs.
void call_with_wrong_sizes() {
  const std::vector<int> in(4);
  std::vector<int> out(3);
  upsweep::inclusive_scan(upsweep::seq, in, out);
}
