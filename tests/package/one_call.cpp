// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <upsweep/scan.hpp>

#include <vector>

int main() {
  const std::vector<int> lengths{3, 1, 2};
  std::vector<int> ends(lengths.size());
  upsweep::inclusive_scan(upsweep::par, lengths.begin(), lengths.end(), ends.begin());
  return ends == std::vector<int>{3, 4, 6} ? 0 : 1;
}
