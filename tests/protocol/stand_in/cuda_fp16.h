// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "upsweep/float16.hpp"

struct __half {
  unsigned short bits;
};
inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
inline unsigned short __half_as_ushort(__half h) { return h.bits; }
inline float __half2float(__half h) { return upsweep::detail::float_of_binary16(h.bits); }
inline __half __float2half_rn(float f) { return {upsweep::detail::binary16_of_float(f)}; }
struct __half2 {
  __half x, y;
};
inline __half2 __floats2half2_rn(float x, float y) {
  return {__float2half_rn(x), __float2half_rn(y)};
}
