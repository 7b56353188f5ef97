// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu_info.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
std::int64_t this_target() { return HWY_TARGET; }
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <hwy/cache_control.h>
#include <oneapi/tbb/info.h>
#include <unistd.h>

#include "upsweep/cpu/info.hpp"
#include "upsweep/cpu/kernel.hpp"

namespace upsweep {
HWY_EXPORT(this_target);
}

namespace upsweep::cpu {

namespace {

std::size_t cache_size(int name, std::size_t usual) {
  const long size = ::sysconf(name);
  return size > 0 ? static_cast<std::size_t>(size) : usual;
}

constexpr struct {
  std::string_view name;
  std::int64_t bit;
} targets[] = {{"avx512", HWY_AVX3}, {"avx2", HWY_AVX2},     {"sse4", HWY_SSE4},
               {"neon", HWY_NEON},   {"scalar", HWY_SCALAR}, {"scalar", HWY_EMU128}};

}  // namespace

const cache_sizes& caches() {
  static const cache_sizes sizes{cache_size(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10),
                                 cache_size(_SC_LEVEL2_CACHE_SIZE, std::size_t{512} << 10),
                                 cache_size(_SC_LEVEL3_CACHE_SIZE, std::size_t{8} << 20)};
  return sizes;
}

unsigned cores() {
  static const int count = oneapi::tbb::info::default_concurrency();
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

void flush_streams() { hwy::FlushStream(); }

const char* simd_target() {
  const std::int64_t chosen = HWY_DYNAMIC_DISPATCH(this_target)();
  for (const auto& t : targets)
    if (t.bit == chosen) return t.name.data();
  return "unknown";
}

bool force_simd_target(std::string_view name) {
  const std::int64_t usable = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  if (name == "auto") {
    hwy::GetChosenTarget().Update(usable);
    return true;
  }
  for (const auto& t : targets) {
    if (t.name != name || (usable & HWY_TARGETS & t.bit) == 0) continue;
    hwy::GetChosenTarget().Update(t.bit);
    return true;
  }
  return false;
}

}  // namespace upsweep::cpu
#endif  // HWY_ONCE
