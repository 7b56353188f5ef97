// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/bench_results.hpp"
#include "cli/failure.hpp"
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
  return entry;
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw run_time_failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

std::string json_of(std::span<const result> results, const plan& p) {
  json list = json::array();
  for (const result& r : results) list.push_back(entry_of(r));
  std::string text = fmt::format("{{\"machine\": {},\n \"results\": [", machine_of(p).dump());
  for (const json& entry : list)  // one a line, so that a difference of two files can be read
    text += fmt::format("{}\n  {}", &entry == &list.front() ? "" : ",", entry.dump());
  return text + "\n ]}\n";
}

whole_file::whole_file(const std::string& path) : path_(path), partial_(path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  // A device or a pipe is written as it is; a link stays one and its target is replaced.
  if (const fs::path target = fs::weakly_canonical(path, ignored); !ignored) path_ = target;
  if (!fs::exists(path_, ignored) || fs::is_regular_file(path_, ignored))
    partial_ = path_ + ".partial";
  file_ = std::fopen(partial_.c_str(), "w");
  if (file_ == nullptr) cannot_write(path);
}

whole_file::~whole_file() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (partial_ != path_) std::remove(partial_.c_str());
}

void whole_file::commit(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  if (!written || std::fflush(file_) != 0) cannot_write(path_);
  if (partial_ != path_ && std::rename(partial_.c_str(), path_.c_str()) != 0) cannot_write(path_);
  std::fclose(std::exchange(file_, nullptr));
}

}  // namespace cli::bench
