// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/info_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/device_choice.hpp"
#include "upsweep/cpu/info.hpp"
#include "upsweep/version.hpp"

namespace cli {
namespace {

std::string size(std::size_t bytes) {
  const std::size_t kib = bytes >> 10;
  return kib >= 1024 && kib % 1024 == 0 ? fmt::format("{} MiB", kib >> 10)
                                        : fmt::format("{} KiB", kib);
}

void print_devices(const device_survey& found) {
  if (found.devices.empty()) {
    fmt::print("GPUs     none: {}\n", found.reason);
    return;
  }
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const device_description& d = found.devices[i];
    fmt::print("cuda:{}   {}, compute capability {}.{}, {} MiB, {} multiprocessors, L2 {}\n", i,
               d.name, d.major, d.minor, d.memory >> 20, d.processors, size(d.l2));
  }
  fmt::print("CUDA     driver {}, runtime {}\n", found.driver, found.runtime);
}

void print_info() {
  const upsweep::cpu::cache_sizes& caches = upsweep::cpu::caches();
  fmt::print("version  {}\n", version());
  fmt::print("simd     {}\n", upsweep::cpu::simd_target());
  fmt::print("cores    {}\n", upsweep::cpu::cores());
  fmt::print("caches   L1d {}, L2 {}, L3 {}\n", size(caches.l1d), size(caches.l2), size(caches.l3));
  print_devices(find_devices());
}

}  // namespace

std::string version() {
  return fmt::format("{}.{}.{}", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR,
                     UPSWEEP_VERSION_PATCH);
}

void add_info_command(CLI::App& app) {
  CLI::App* info =
      app.add_subcommand("info", "Version, vector unit in use, cores, caches and GPUs");
  info->footer("Example:\n  upsweep info");
  info->callback(print_info);
}

}  // namespace cli
