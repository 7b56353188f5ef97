// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector kernels for sums of 4- and 8-byte types.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/simd_sum.cpp"
#include <hwy/foreach_target.h>

#include "src/simd_run-inl.hpp"

UPSWEEP_SIMD_RUN(sum_i32, std::int32_t, plus)
UPSWEEP_SIMD_RUN(sum_u32, std::uint32_t, plus)
UPSWEEP_SIMD_RUN(sum_i64, std::int64_t, plus)
UPSWEEP_SIMD_RUN(sum_u64, std::uint64_t, plus)
UPSWEEP_SIMD_RUN(sum_f32, float, plus)
UPSWEEP_SIMD_RUN(sum_f64, double, plus)
