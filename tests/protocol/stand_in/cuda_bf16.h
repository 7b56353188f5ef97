// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "upsweep/float16.hpp"

struct __nv_bfloat16 {
  unsigned short bits;
};
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.bits; }
inline __nv_bfloat16 __float2bfloat16_rn(float f) {
  return {upsweep::detail::bfloat16_of_float(f)};
}
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
