// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which vector units the library compiles its kernels for. Included before any Highway header.
// Left out are units that add nothing to these kernels over the next lower one (SSSE3, AVX-512 with
// the Ice Lake extensions) and those whose vector length is not known at compile time.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
