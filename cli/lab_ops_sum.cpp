// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_session_of.hpp"

namespace cli::lab {

outcome run_sum(const request& what) { return session(number<upsweep::plus>{}, what); }

}  // namespace cli::lab
