// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CPU engine is told about its data: where values come from, where results go, and the
// shape between. Types other than the accumulator are converted on the way, a tile at a time, so
// that the engine exists once for each (accumulator, operator) and not for each pair of types.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "upsweep/array_view.hpp"
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

// A scan of every line along one axis. out_extra is 1 when each line has one more output than
// inputs: the total of an exclusive scan.
struct geometry {
  int rank = 0;
  int axis = 0;
  std::size_t out_extra = 0;
  std::array<std::size_t, max_rank> extents{};
  std::array<std::ptrdiff_t, max_rank> in_strides{}, out_strides{};
};

}  // namespace upsweep::cpu
