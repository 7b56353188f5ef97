// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector kernels for sums of 1- and 2-byte integers.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/simd_narrow.cpp"
#include <hwy/foreach_target.h>

#include "src/simd_run-inl.hpp"

UPSWEEP_SIMD_RUN(sum_i8, std::int8_t, plus)
UPSWEEP_SIMD_RUN(sum_u8, std::uint8_t, plus)
UPSWEEP_SIMD_RUN(sum_i16, std::int16_t, plus)
UPSWEEP_SIMD_RUN(sum_u16, std::uint16_t, plus)
