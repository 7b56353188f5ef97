// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-bit floats at vector speed, for whoever converts them without scanning them.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/float16_convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/float16_convert-inl.hpp"

#if HWY_ONCE
namespace upsweep {
HWY_EXPORT(f16_to_float);
HWY_EXPORT(bf16_to_float);
HWY_EXPORT(float_to_f16);
HWY_EXPORT(float_to_bf16);

namespace cpu {
void convert(const f16* from, float* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(f16_to_float)(from, to, n);
}
void convert(const bf16* from, float* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(bf16_to_float)(from, to, n);
}
void convert(const float* from, f16* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(float_to_f16)(from, to, n);
}
void convert(const float* from, bf16* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(float_to_bf16)(from, to, n);
}
}  // namespace cpu
}  // namespace upsweep
#endif
