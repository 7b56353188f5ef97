// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector kernels for minima and maxima of 4- and 8-byte types.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/simd_minmax.cpp"
#include <hwy/foreach_target.h>

#include "src/simd_run-inl.hpp"

UPSWEEP_SIMD_RUN(min_i32, std::int32_t, minimum)
UPSWEEP_SIMD_RUN(min_u32, std::uint32_t, minimum)
UPSWEEP_SIMD_RUN(min_i64, std::int64_t, minimum)
UPSWEEP_SIMD_RUN(min_u64, std::uint64_t, minimum)
UPSWEEP_SIMD_RUN(min_f32, float, minimum)
UPSWEEP_SIMD_RUN(min_f64, double, minimum)
UPSWEEP_SIMD_RUN(max_i32, std::int32_t, maximum)
UPSWEEP_SIMD_RUN(max_u32, std::uint32_t, maximum)
UPSWEEP_SIMD_RUN(max_i64, std::int64_t, maximum)
UPSWEEP_SIMD_RUN(max_u64, std::uint64_t, maximum)
UPSWEEP_SIMD_RUN(max_f32, float, maximum)
UPSWEEP_SIMD_RUN(max_f64, double, maximum)
