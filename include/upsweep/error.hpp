// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

namespace upsweep {

// The base of every exception that the library itself throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A call whose arguments contradict each other or the stated preconditions: sizes that differ, an
// axis out of range, buffers that overlap without being the same. Nothing has been written.
struct argument_error : error {
  using error::error;
};

}  // namespace upsweep
