// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

namespace upsweep::report {

// A file that cannot be shown. The message is one line: file, field, what is wrong with it.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace upsweep::report
