// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that blocks hand to each other through global memory.
//
// A value travels in granules of 16 bytes: 12 of the value and 4 of the epoch of its launch. A
// granule is stored and loaded whole, so whoever sees the epoch sees the value: no flag, no fence,
// and nothing to clear between launches. The epoch has one place in every granule whatever the
// type, so that no value of an earlier launch can be taken for an epoch.
#pragma once

#include <cstring>

namespace upsweep::cuda {

struct alignas(16) granule {
  unsigned payload[3];
  unsigned epoch;
};

template <class T>
inline constexpr int granules_of = (sizeof(T) + 11) / 12;

#if defined(__CUDACC__)
// Relaxed 16-byte accesses of device scope; .b128 makes them single-copy atomic (PTX ISA, "Memory
// Consistency Model": a vector access would not be).
__device__ inline void store_granule(granule* to, const granule& g) {
  unsigned long long word[2];
  memcpy(word, &g, sizeof word);
  asm volatile(
      "{\n\t.reg .b128 w;\n\tmov.b128 w, {%1, %2};\n\t"
      "st.relaxed.gpu.global.b128 [%0], w;\n\t}" ::"l"(to),
      "l"(word[0]), "l"(word[1])
      : "memory");
}
__device__ inline granule load_granule(const granule* from) {
  unsigned long long word[2];
  asm volatile(
      "{\n\t.reg .b128 w;\n\tld.relaxed.gpu.global.b128 w, [%2];\n\t"
      "mov.b128 {%0, %1}, w;\n\t}"
      : "=l"(word[0]), "=l"(word[1])
      : "l"(from)
      : "memory");
  granule g;
  memcpy(&g, word, sizeof g);
  return g;
}
#else  // on the CPU, where tests/protocol runs this text and brings its own
void store_granule(granule* to, const granule& g);
granule load_granule(const granule* from);
#endif

// Hands value to every block that observes the same word in the same epoch.
template <class T>
__device__ void publish(granule* word, const T& value, unsigned epoch) {
  unsigned bytes[3 * granules_of<T>] = {};
  memcpy(bytes, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < granules_of<T>; ++i)
    store_granule(word + i, {{bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]}, epoch});
}

// Whether the word has been published in this epoch; if so, value is what was published.
template <class T>
__device__ bool observe(const granule* word, T& value, unsigned epoch) {
  unsigned bytes[3 * granules_of<T>];
  bool there = true;
#pragma unroll
  for (int i = 0; i < granules_of<T>; ++i) {
    const granule g = load_granule(word + i);
    there = there && g.epoch == epoch;
    for (int k = 0; k < 3; ++k) bytes[3 * i + k] = g.payload[k];
  }
  if (there) memcpy(static_cast<void*>(&value), bytes, sizeof(T));
  return there;
}

}  // namespace upsweep::cuda
