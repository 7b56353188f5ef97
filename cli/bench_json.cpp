// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/bench_device.hpp"
#include "cli/bench_results.hpp"
#include "upsweep/cpu/info.hpp"
#include "upsweep/version.hpp"

namespace cli::bench {

namespace {

using json = nlohmann::ordered_json;

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

json machine_of(const plan& p) {
  const upsweep::cpu::cache_sizes caches = upsweep::cpu::caches();
  return {
      {"program", "upsweep bench"},
      {"version", fmt::format("{}.{}.{}", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR,
                              UPSWEEP_VERSION_PATCH)},
      {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
      {"cpu", cpu_model()},
      {"cores", upsweep::cpu::cores()},
      {"threads", p.threads},
      {"caches", {{"l1d", caches.l1d}, {"l2", caches.l2}, {"l3", caches.l3}}},
      {"simd", upsweep::cpu::simd_target()},
      {"compiler", compiler()},
  };
}

json gpu_of(const plan& p, const device_survey& found) {
  const device_description& d = found.devices.at(p.gpu);
  return {{"index", p.gpu},
          {"name", d.name},
          {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
          {"multiprocessors", d.processors},
          {"memory", d.memory},
          {"l2", d.l2},
          {"driver", found.driver},
          {"runtime", found.runtime},
          {"cub", cub_version()}};
}

json entry_of(const result& r) {
  json entry = {
      {"engine", r.engine},       {"device", r.device},       {"op", r.op},
      {"type", r.type},           {"kind", r.kind},           {"n", r.n},
      {"bytes", r.bytes},         {"median_s", r.median_s()}, {"samples_s", r.samples_s},
      {"gb_per_s", r.gb_per_s()},
  };
  if (r.shape) {
    entry["shape"] = {r.shape->rows, r.shape->columns};
    entry["axis"] = r.shape->axis;
  }
  if (!r.latency.empty()) {
    entry["latency"] = r.latency;
    entry["cold"] = r.cold;
  }
  if (r.error) entry["error"] = *r.error;
  return entry;
}

}  // namespace

std::string json_of(std::span<const result> results, const plan& p, const device_survey* gpu) {
  json machine = machine_of(p);
  if (gpu != nullptr) machine["gpu"] = gpu_of(p, *gpu);
  json list = json::array();
  for (const result& r : results) list.push_back(entry_of(r));
  std::string text = fmt::format("{{\"machine\": {},\n \"results\": [", machine.dump());
  for (const json& entry : list)  // one a line, so that a difference of two files can be read
    text += fmt::format("{}\n  {}", &entry == &list.front() ? "" : ",", entry.dump());
  return text + "\n ]}\n";
}

}  // namespace cli::bench
