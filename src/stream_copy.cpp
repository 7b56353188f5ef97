// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy past the cache.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/stream_copy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {

void stream_bytes(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint8_t> d;
  std::size_t i = 0;
  if (reinterpret_cast<std::uintptr_t>(to) % hn::Lanes(d) == 0)
    for (; i + hn::Lanes(d) <= bytes; i += hn::Lanes(d))
      hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::memcpy(to + i, from + i, bytes - i);
}

}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "upsweep/cpu/kernel.hpp"

namespace upsweep {
HWY_EXPORT(stream_bytes);

namespace cpu {
void stream_bytes(const void* from, void* to, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_bytes)
  (static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to), bytes);
}
}  // namespace cpu
}  // namespace upsweep
#endif
