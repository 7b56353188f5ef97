// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "cli/device_choice.hpp"
#include "cli/failure.hpp"
#include "upsweep/cpu/info.hpp"

namespace cli::bench {

namespace {

// A decimal number of digits only, or nothing.
std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "1000" or "2^10", at least 1. option and whole are for the message.
std::size_t size_of(std::string_view text, std::string_view option, std::string_view whole) {
  std::optional<std::size_t> value;
  if (const std::size_t hat = text.find('^'); hat == std::string_view::npos) {
    value = number_of(text);
  } else if (text.substr(0, hat) == "2") {
    value = number_of(text.substr(hat + 1));
    if (value && *value < 63)
      value = std::size_t{1} << *value;
    else
      value = std::nullopt;
  }
  if (!value)
    throw usage_failure(
        fmt::format("bench: {} {}: '{}' is not a size; write 1000 or 2^20", option, whole, text));
  if (*value == 0)
    throw usage_failure(fmt::format("bench: {} {}: a size is at least 1", option, whole));
  return *value;
}

std::size_t product(std::size_t a, std::size_t b) {
  if (a > std::numeric_limits<std::size_t>::max() / b)
    throw usage_failure("bench: the size is too large for memory");
  return a * b;
}

// The names asked for, each once, "all" meaning all that are known; an error names those.
std::vector<std::string> chosen(std::string_view option, const std::vector<std::string>& asked,
                                const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name != "all" && std::find(known.begin(), known.end(), name) == known.end())
      throw usage_failure(
          fmt::format("bench: {}: '{}' is none of {}, all", option, name, fmt::join(known, ", ")));
    for (const std::string& k : known)
      if ((name == "all" || name == k) && std::find(names.begin(), names.end(), k) == names.end())
        names.push_back(k);
  }
  return names;
}

template <class Range>
std::vector<std::string> names_in(const Range& range) {
  std::vector<std::string> names;
  for (const auto& item : range) {
    if constexpr (requires { item.name; })
      names.emplace_back(item.name);
    else
      names.emplace_back(item);
  }
  return names;
}

std::vector<std::string> engines_of(place where) {
  std::vector<std::string> names;
  for (const engine& e : engines)
    if (e.where == where) names.emplace_back(e.name);
  return names;
}

void check_numbers(const options& o) {
  if (o.samples.repeat < 0) throw usage_failure("bench: --repeat must not be negative");
  if (!std::isfinite(o.samples.min_time_s) || o.samples.min_time_s < 0)
    throw usage_failure("bench: --min-time must be a number of seconds, not negative");
  if (o.threads > 4096) throw usage_failure("bench: --threads is at most 4096");
}

void choose_device(const options& o, plan& p) {
  const device_choice choice = parse_device(o.device);
  if (choice.what == device_choice::kind::automatic)
    throw usage_failure("bench: --device: name what is to be measured: cpu, cuda or cuda:1");
  const auto name = std::find(latency_names.begin(), latency_names.end(), o.latency);
  if (name == latency_names.end())
    throw usage_failure(fmt::format("bench: --latency: '{}' is none of {}", o.latency,
                                    fmt::join(latency_names, ", ")));
  p.latency = static_cast<enum latency>(name - latency_names.begin());
  p.cold = o.cold;
  p.accuracy = o.accuracy;
  if (choice.what == device_choice::kind::cpu) {
    if (p.cold || p.latency != latency::back_to_back)
      throw usage_failure("bench: --latency and --cold are for --device cuda");
    return;
  }
  if (p.cold && p.latency == latency::graph)
    throw usage_failure("bench: --cold: a graph holds too few calls to leave L2: drop --latency");
  p.where = place::cuda;
  p.gpu = choice.index;
  p.device = o.device;
  p.samples.sample_s = device_sample_s;
}

// What can be measured of what was asked for; all else in the lists is passed over.
void check_cases(const plan& p) {
  for (const std::string& type : p.types)
    for (const std::string& op : p.ops)
      if (is_measured(p, type, op)) return;
  throw usage_failure(fmt::format("bench: {} of {} is not measured on {}{}", fmt::join(p.ops, ","),
                                  fmt::join(p.types, ","), p.device,
                                  p.shape ? " for a shape" : ""));
}

void check_accuracy(const plan& p) {
  if (!p.accuracy) return;
  for (const std::string& type : p.types)
    if (element_type_of(type).worst_error != nullptr &&
        std::find(p.ops.begin(), p.ops.end(), "sum") != p.ops.end())
      return;
  throw usage_failure("bench: --accuracy is about sums of f16, bf16, f32 and f64");
}

void check_memory(const plan& p, std::optional<std::size_t> memory) {
  std::size_t widest = 1;
  for (const std::string& type : p.types) widest = std::max(widest, element_type_of(type).size);
  const std::size_t largest = *std::max_element(p.sizes.begin(), p.sizes.end());
  const std::size_t needed = product(largest, (p.where == place::cuda ? 3 : 2) * widest);
  if (memory && needed > *memory)
    throw usage_failure(
        fmt::format("bench: {} elements need {} MiB for input and output, but {} "
                    "MiB are free: choose smaller --sizes",
                    largest, needed >> 20, *memory >> 20));
}

}  // namespace

std::vector<std::string> known_operators() { return names_in(operator_names); }
std::vector<std::string> known_types() { return names_in(element_types()); }
std::vector<std::string> known_kinds() { return names_in(kind_names); }

bool is_measured(const plan& p, std::string_view type, std::string_view op) {
  if (p.shape && p.where == place::cuda && (type != "f32" || op != "sum")) return false;
  return is_measured(p.where, type, op);
}

std::optional<std::size_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kib = 0; file >> key >> kib; std::getline(file, unit))
    if (key == "MemAvailable:") return kib << 10;
  return std::nullopt;
}

std::vector<std::size_t> sizes_of(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (std::string_view rest = text;;) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t dots = item.find("..");
    const std::size_t first = size_of(item.substr(0, dots), "--sizes", text);
    const std::size_t last =
        dots == std::string_view::npos ? first : size_of(item.substr(dots + 2), "--sizes", text);
    if (last < first)
      throw usage_failure(fmt::format("bench: --sizes {}: '{}' runs backwards", text, item));
    for (std::size_t n = first; n <= last; n *= 2) {
      sizes.push_back(n);
      if (n > last / 2) break;
    }
    if (item.size() == rest.size()) return sizes;
    rest.remove_prefix(item.size() + 1);
  }
}

shape_2d shape_of(std::string_view text, int axis) {
  const std::size_t by = text.find('x');
  if (by == std::string_view::npos)
    throw usage_failure(
        fmt::format("bench: --shape {}: write rows and columns as 4096x65536", text));
  if (axis < -2 || axis > 1)
    throw usage_failure(fmt::format("bench: --axis {}: a shape has the axes 0 and 1", axis));
  return {size_of(text.substr(0, by), "--shape", text),
          size_of(text.substr(by + 1), "--shape", text), axis < 0 ? axis + 2 : axis};
}

plan plan_of(const options& o, std::optional<std::size_t> memory) {
  check_numbers(o);
  plan p;
  p.samples = o.samples;
  choose_device(o, p);
  p.ops = chosen("--op", o.ops, known_operators());
  p.types = chosen("--type", o.types, known_types());
  p.kinds = chosen("--kind", o.kinds, known_kinds());
  const std::vector<std::string> all{"all"};
  const std::vector<std::string> asked =
      chosen("--engines", o.engines.empty() ? all : o.engines, engines_of(p.where));
  for (const std::string& e : engines_of(p.where))  // the order of the table, whatever was asked
    if (std::find(asked.begin(), asked.end(), e) != asked.end()) p.engines.push_back(e);
  if (o.shape.empty()) {
    p.sizes = sizes_of(o.sizes);
  } else {
    p.shape = shape_of(o.shape, o.axis);
    p.sizes = {product(p.shape->rows, p.shape->columns)};
  }
  p.threads = o.threads != 0 ? o.threads : upsweep::cpu::cores();
  check_cases(p);
  check_accuracy(p);
  check_memory(p, memory);
  return p;
}

}  // namespace cli::bench
