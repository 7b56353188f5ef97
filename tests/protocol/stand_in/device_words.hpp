// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accesses that word.cuh has as PTX. The emulator moves the words, when it likes; here
// ThreadSanitizer learns who touched them, and that it was an atomic access without order.
#pragma once

#include "device_language.hpp"
#include "upsweep/cuda/word.cuh"

namespace upsweep::cuda {

inline void store_granule(granule* to, const granule& g) {
  const auto word = std::bit_cast<std::array<std::uint64_t, 2>>(g);
  auto* const half = reinterpret_cast<std::uint64_t*>(to);
  for (const int i : {0, 1}) (void)__atomic_fetch_or(half + i, std::uint64_t{0}, __ATOMIC_RELAXED);
  emulator::store_word(to, word.data());
}

inline granule load_granule(const granule* from) {
  std::array<std::uint64_t, 2> word;
  const auto* const half = reinterpret_cast<const std::uint64_t*>(from);
  for (const int i : {0, 1}) (void)__atomic_load_n(half + i, __ATOMIC_RELAXED);
  emulator::load_word(from, word.data());
  return std::bit_cast<granule>(word);
}

}  // namespace upsweep::cuda
