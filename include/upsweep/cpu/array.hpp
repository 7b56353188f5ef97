// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CPU engine is told about its data: where values come from and where results go. Types
// other than the accumulator are converted on the way, a tile at a time, so that the engine exists
// once for each (accumulator, operator) and not for each pair of types.
#pragma once

#include <cstddef>
#include <type_traits>

#include "upsweep/cpu/kernel.hpp"

namespace upsweep::cpu {

// What the elements in memory are, as far as kernels care.
enum class stored { otherwise, as_f16, as_bf16 };
template <class T>
inline constexpr stored stored_as = std::is_same_v<T, f16>    ? stored::as_f16
                                    : std::is_same_v<T, bf16> ? stored::as_bf16
                                                              : stored::otherwise;

// Elements first, first + stride, ... of base, as accumulators. direct is set as well where they
// are in memory as accumulators already.
template <class T>
struct source {
  const T* direct = nullptr;
  const void* base = nullptr;
  void (*load)(const void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
               T* to) = nullptr;
  stored kind = stored::otherwise;
};

// The same for results.
template <class T>
struct sink {
  T* direct = nullptr;
  void* base = nullptr;
  void (*store)(void* base, std::ptrdiff_t first, std::ptrdiff_t stride, std::size_t n,
                const T* from) = nullptr;
  stored kind = stored::otherwise;
};

}  // namespace upsweep::cpu
