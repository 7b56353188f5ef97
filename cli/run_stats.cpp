// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/run_stats.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "cli/printable.hpp"
#include "upsweep/cpu/info.hpp"

namespace cli {
namespace {

const char* format_name(file_format format) {
  return format == file_format::npy ? "npy" : format == file_format::raw ? "raw" : "text";
}

const char* mode_name(const scan_request& request) {
  return request.reduce ? "reduce" : request.exclusive ? "exclusive" : "inclusive";
}

std::string file_of_stats(const scan_request& request) {
  return request.stats->substr(std::string_view("json:").size());
}

/// Bytes. Linux counts what the starting program held towards ru_maxrss, from before exec on, so a
/// tool started by a large program would report that one's; VmHWM is of this program alone.
std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib) return kib * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

std::string stats_json(const scan_request& request, const run_stats& stats) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - stats.start).count();
  const auto moved = static_cast<double>(stats.bytes_in + stats.bytes_out);
  nlohmann::ordered_json json;
  json["input"] = on_one_line(request.input);
  json["output"] = on_one_line(request.output);
  json["input_format"] = format_name(stats.in_format);
  json["output_format"] = format_name(stats.out_format);
  json["op"] = name_of(request.op);
  json["mode"] = mode_name(request);
  json["dtype"] = name_of(stats.in);
  json["out_dtype"] = name_of(stats.out);
  json["elements"] = stats.elements;
  json["results"] = stats.results;
  json["bytes_in"] = stats.bytes_in;
  json["bytes_out"] = stats.bytes_out;
  json["seconds"] = seconds;
  json["gb_per_s"] = seconds > 0 ? moved / seconds / 1e9 : 0;
  json["peak_memory_bytes"] = peak_memory();
  json["streamed"] = stats.streamed;
  json["device"] = stats.device;
  json["threads"] = request.threads != 0 ? request.threads : upsweep::cpu::cores();
  json["simd"] = upsweep::cpu::simd_target();
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void check_stats(const scan_request& request) {
  if (!request.stats || *request.stats == "json") return;
  if (!request.stats->starts_with("json:") || request.stats->size() == 5)
    throw usage_failure(
        fmt::format("--stats: '{}' is neither json nor json:FILE", printable(*request.stats)));
  const std::string path = file_of_stats(request);
  const auto is_same = [&](const std::string& other) {
    std::error_code none;
    return path == other || std::filesystem::equivalent(path, other, none);
  };
  if (is_output_file(path) && (is_same(request.input) || is_same(request.output)))
    throw usage_failure(path + ": --stats would replace the numbers: name another file");
  check_output_file(path);
}

void write_stats(const scan_request& request, const run_stats& stats) {
  if (!request.stats) return;
  const std::string line = stats_json(request, stats) + "\n";
  if (*request.stats == "json") {
    std::fputs(line.c_str(), stderr);
    return;
  }
  output_file file(file_of_stats(request));
  file.write(line);
  file.commit();
}

}  // namespace cli
