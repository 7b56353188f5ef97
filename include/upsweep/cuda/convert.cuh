// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements to accumulators and back, in device code.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

}  // namespace upsweep::cuda
