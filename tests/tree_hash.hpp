// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operator that every test of order begins with, on the CPU, on a GPU and on the emulated one.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace cases {

// Not associative, not commutative: two expressions give the same hash only if they are the same.
struct tree_hash {
  UPSWEEP_HD std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const {
    std::uint64_t h =
        left * 0x9e3779b97f4a7c15u + (right << 23 | right >> 41) * 0xc2b2ae3d27d4eb4fu + 1;
    h ^= h >> 29;
    return h * 0xff51afd7ed558ccdu;
  }
};

}  // namespace cases
