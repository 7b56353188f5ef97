// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/error.hpp"

namespace upsweep::detail {

void throw_argument_error(const char* what) { throw argument_error(what); }

}  // namespace upsweep::detail
