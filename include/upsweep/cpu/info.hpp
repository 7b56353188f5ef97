// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CPU engine found out about the machine.
#pragma once

#include <cstddef>
#include <string_view>

namespace upsweep::cpu {

// Sizes in bytes of the caches one core can use; a usual size where the system does not tell.
struct cache_sizes {
  std::size_t l1d, l2, l3;
};
const cache_sizes& caches();

// Cores this process may run on: at least 1.
unsigned cores();

// The vector unit in use: "scalar", "sse4", "avx2", "avx512" or "neon".
const char* simd_target();

// Chooses the vector unit for the whole process; "auto" goes back to the best. False, with nothing
// changed, if the name is unknown or the machine lacks the unit. Results do not depend on it: this
// is how tests show that. Not to be called while another thread scans.
bool force_simd_target(std::string_view name);

}  // namespace upsweep::cpu
