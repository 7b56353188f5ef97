// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_session_of.hpp"

namespace cli::lab {

outcome run_min(const request& what) { return session(number<upsweep::minimum>{}, what); }

}  // namespace cli::lab
