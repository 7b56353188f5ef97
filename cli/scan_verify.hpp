// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second opinion on a scan: a plain serial loop over the same input.
#pragma once

#include <cstdint>
#include <string>

#include "cli/scan_job.hpp"

namespace cli {

struct verify_report {
  std::uint64_t elements = 0;
  std::uint64_t mismatches = 0;
  // Elements that are infinite or NaN where the serial loop is not, because the canonical order
  // combines other numbers first; each was found to be what that order gives.
  std::uint64_t overflows = 0;
  double largest_error = 0;  // |y - ref| / (1 + |ref|); of finite elements
  double tolerance = 0;      // 0 where the result must be exact
  std::string first_mismatch;

  bool passed() const { return mismatches == 0; }
  // Without the line end: elements, largest error, mismatches, tolerance, PASS or FAIL.
  std::string text() const;
};

// Compares job.out with a serial loop in a wider type: float32 and narrower in double, float64 in
// long double; integers and all extrema must be equal. Float tolerances: float64 1e-9, float32
// 1e-3, float16 2e-3, bfloat16 8e-3, of which half a unit of the stored type is the larger part of
// the last two. NaN equals NaN, and infinities of one sign are equal. Cost: about one pass, one
// thread.
verify_report verify_scan(const scan_job& job);

}  // namespace cli
