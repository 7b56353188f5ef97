// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements to accumulators and back, in device code.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <type_traits>

#include "upsweep/float16.hpp"

namespace upsweep::cuda {

// The same values as the conversions of f16 and bf16 on the host, by the device's instructions.
template <class T, class In>
__device__ T load_as(const In& element) {
  if constexpr (std::is_same_v<In, f16>)
    return static_cast<T>(__half2float(__ushort_as_half(element.bits)));
  else if constexpr (std::is_same_v<In, bf16>)
    return static_cast<T>(__uint_as_float(static_cast<unsigned>(element.bits) << 16));
  else
    return static_cast<T>(element);
}

// Rounds once, to nearest, ties to even.
template <class Out, class T>
__device__ Out store_as(const T& value) {
  if constexpr (std::is_same_v<Out, T>) {
    return value;
  } else if constexpr (std::is_same_v<Out, f16>) {
    Out out;
    out.bits = __half_as_ushort(__float2half_rn(static_cast<float>(value)));
    return out;
  } else if constexpr (std::is_same_v<Out, bf16>) {
    Out out;
    out.bits = __bfloat16_as_ushort(__float2bfloat16_rn(static_cast<float>(value)));
    return out;
  } else {
    return static_cast<Out>(value);
  }
}

// Two results, as they lie in memory: the 16-bit floats have one instruction for both.
template <class Out, class T>
__device__ unsigned store_pair(const T& first, const T& second) {
  static_assert(sizeof(Out) == 2);
  unsigned word;
  if constexpr (std::is_same_v<Out, f16> && !std::is_same_v<T, f16>) {
    const __half2 pair = __floats2half2_rn(static_cast<float>(first), static_cast<float>(second));
    memcpy(&word, &pair, 4);
  } else if constexpr (std::is_same_v<Out, bf16> && !std::is_same_v<T, bf16>) {
    const __nv_bfloat162 pair =
        __floats2bfloat162_rn(static_cast<float>(first), static_cast<float>(second));
    memcpy(&word, &pair, 4);
  } else {
    const Out pair[] = {store_as<Out>(first), store_as<Out>(second)};
    memcpy(&word, pair, 4);
  }
  return word;
}

}  // namespace upsweep::cuda
