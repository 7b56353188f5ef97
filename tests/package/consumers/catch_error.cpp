// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <upsweep/error.hpp>

void call_with_wrong_sizes();

int main() {
  try {
    call_with_wrong_sizes();
  } catch (const upsweep::argument_error&) {
    return 0;
  }
  return 1;
}
