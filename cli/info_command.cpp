// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/info_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "upsweep/cpu/info.hpp"
#include "upsweep/version.hpp"

namespace cli {
namespace {

std::string size(std::size_t bytes) {
  const std::size_t kib = bytes >> 10;
  return kib >= 1024 && kib % 1024 == 0 ? fmt::format("{} MiB", kib >> 10)
                                        : fmt::format("{} KiB", kib);
}

void print_info() {
  const upsweep::cpu::cache_sizes& caches = upsweep::cpu::caches();
  fmt::print("version  {}\n", version());
  fmt::print("simd     {}\n", upsweep::cpu::simd_target());
  fmt::print("cores    {}\n", upsweep::cpu::cores());
  fmt::print("caches   L1d {}, L2 {}, L3 {}\n", size(caches.l1d), size(caches.l2), size(caches.l3));
}

}  // namespace

std::string version() {
  return fmt::format("{}.{}.{}", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR,
                     UPSWEEP_VERSION_PATCH);
}

void add_info_command(CLI::App& app) {
  CLI::App* info = app.add_subcommand("info", "Version, vector unit in use, cores and caches");
  info->footer("Example:\n  upsweep info");
  info->callback(print_info);
}

}  // namespace cli
