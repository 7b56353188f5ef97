// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one lane holds: a 16-byte vector of elements, and how it comes from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upsweep::cuda {

// As many neighbouring elements as fill 16 bytes, or one element whose size does not divide 16.
template <class E>
struct lane_vector {
  static constexpr int items = 16 % sizeof(E) == 0 ? static_cast<int>(16 / sizeof(E)) : 1;
  static constexpr std::size_t bytes = items * sizeof(E);
  static constexpr bool quads = bytes % 16 == 0;
  static constexpr int words = static_cast<int>((bytes + 3) / 4);

  unsigned word[words];

  __device__ E operator[](int i) const {
    E e;
    memcpy(static_cast<void*>(&e), reinterpret_cast<const unsigned char*>(word) + i * sizeof(E),
           sizeof(E));
    return e;
  }
  __device__ void set(int i, const E& e) {
    memcpy(reinterpret_cast<unsigned char*>(word) + i * sizeof(E), &e, sizeof(E));
  }

  // The sum of items that are bytes, four at a time.
  template <bool is_signed>
  __device__ auto sum_of_bytes() const {
    std::conditional_t<is_signed, int, unsigned> sum = 0, ones = 0x01010101;
#pragma unroll
    for (int i = 0; i < words; ++i) sum = __dp4a(static_cast<decltype(ones)>(word[i]), ones, sum);
    return sum;
  }

  // From an address that is aligned as E, or else (aligned) to 16 bytes. Reads whole quads.
  template <bool aligned>
  __device__ void load_shared(const unsigned char* at) {
    if constexpr (quads && aligned) {
#pragma unroll
      for (int i = 0; i < words / 4; ++i)
        set_quad(word + 4 * i, reinterpret_cast<const uint4*>(at)[i]);
    } else if constexpr (quads) {
      const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at)) & 15u;
      const uint4* const quad = reinterpret_cast<const uint4*>(at - shift);
      if (shift == 0) {
#pragma unroll
        for (int i = 0; i < words / 4; ++i) set_quad(word + 4 * i, quad[i]);
      } else {
        unsigned wide[words + 4];
#pragma unroll
        for (int i = 0; i < words / 4 + 1; ++i) set_quad(wide + 4 * i, quad[i]);
        shift_down(wide, shift);
      }
    } else {
      set(0, *reinterpret_cast<const E*>(at));
    }
  }

  // From global memory; the first m items exist.
  __device__ void load_global(const E* at, bool aligned, int m) {
    if (quads && aligned && m >= items) {
#pragma unroll
      for (int i = 0; i < words / 4; ++i)
        set_quad(word + 4 * i, reinterpret_cast<const uint4*>(at)[i]);
    } else {
#pragma unroll
      for (int i = 0; i < items; ++i)
        if (i < m) set(i, at[i]);
    }
  }

  // Items at first, first - 1, ...; the first m exist.
  __device__ void load_global_reversed(const E* first, int m) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      if (i < m) set(i, first[-i]);
  }

  // The last item becomes the first.
  __device__ void reverse() {
    if constexpr (items > 1) {
      lane_vector turned;
#pragma unroll
      for (int i = 0; i < items; ++i) turned.set(i, (*this)[items - 1 - i]);
      *this = turned;
    }
  }

 private:
  __device__ static void set_quad(unsigned* to, const uint4& q) {
    to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
  }
  // word = the bytes of wide from shift on; shift is the same in all lanes.
  __device__ void shift_down(unsigned* wide, unsigned shift) {
#pragma unroll
    for (int i = 0; i < words + 2; ++i) wide[i] = shift & 8u ? wide[i + 2] : wide[i];
#pragma unroll
    for (int i = 0; i < words + 1; ++i) wide[i] = shift & 4u ? wide[i + 1] : wide[i];
#pragma unroll
    for (int i = 0; i < words; ++i)
      word[i] = __funnelshift_r(wide[i], wide[i + 1], 8 * (shift & 3u));
  }
};

}  // namespace upsweep::cuda
