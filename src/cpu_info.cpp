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

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#include "upsweep/cpu/info.hpp"
#include "upsweep/cpu/kernel.hpp"

namespace upsweep {
HWY_EXPORT(this_target);
}

namespace upsweep::cpu {

namespace {

// One line of a description of cpu0's caches; empty where the system does not tell. sysconf is not
// asked: for the third level it has been seen to multiply the size by a number of threads.
std::string cache_fact(int index, const char* fact) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" +
                     fact);
  std::string line;
  std::getline(file, line);
  return line;
}

cache_sizes read_caches() {
  cache_sizes sizes{std::size_t{32} << 10, std::size_t{512} << 10, std::size_t{8} << 20};
  for (int index = 0; index < 8; ++index) {
    const std::string level = cache_fact(index, "level"), size = cache_fact(index, "size");
    if (level.empty() || size.empty() || cache_fact(index, "type") == "Instruction") continue;
    std::size_t bytes = 0;
    const auto end = std::from_chars(size.data(), size.data() + size.size(), bytes).ptr;
    const std::string_view unit(end, static_cast<std::size_t>(size.data() + size.size() - end));
    bytes <<= unit == "K" ? 10 : unit == "M" ? 20 : 0;
    if (bytes == 0) continue;
    if (level == "1") sizes.l1d = bytes;
    if (level == "2") sizes.l2 = bytes;
    if (level == "3") sizes.l3 = bytes;
  }
  return sizes;
}

constexpr struct {
  std::string_view name;
  std::int64_t bit;
} targets[] = {{"avx512", HWY_AVX3}, {"avx2", HWY_AVX2},     {"sse4", HWY_SSE4},
               {"neon", HWY_NEON},   {"scalar", HWY_SCALAR}, {"scalar", HWY_EMU128}};

}  // namespace

const cache_sizes& caches() {
  static const cache_sizes sizes = read_caches();
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
  // Asked once: asking resets what Highway has chosen.
  static const std::int64_t usable = hwy::SupportedTargets() | HWY_STATIC_TARGET;
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
