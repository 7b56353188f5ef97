// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of the options to what is measured. Everything that can be refused is refused here,
// before the first measurement, as a cli::failure with the status of a usage error.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench_engines.hpp"
#include "cli/bench_measure.hpp"
#include "cli/bench_workload.hpp"

namespace cli::bench {

// How calls on a device follow each other: as many as a stream takes, each waited for by the host,
// or as many as a graph holds.
enum class latency { back_to_back, single, graph };
inline constexpr std::array latency_names{"back-to-back", "single", "graph"};
inline std::string name_of(latency how) { return latency_names[static_cast<std::size_t>(how)]; }

// As given on the command line.
struct options {
  std::vector<std::string> ops{"sum"}, types{"f32"}, kinds{"inclusive"}, engines;
  std::string sizes = "2^10..2^28", shape;
  std::optional<std::string> json;
  std::vector<std::string> baseline;  // two files to compare; nothing is measured then
  std::string device = "cpu", latency = latency_names[0];
  bool cold = false;      // calls rotate over more buffers than the device's L2 holds
  bool accuracy = false;  // tell the largest error of float sums too
  int axis = 1;
  unsigned threads = 0;  // 0: all cores
  sampling samples;
};

// Checked. Lists without doubles, in the order given; engines in their own.
struct plan {
  std::vector<std::string> ops, types, kinds, engines;
  std::vector<std::size_t> sizes;  // one element, the product, where there is a shape
  std::optional<shape_2d> shape;
  unsigned threads = 1;
  sampling samples;
  place where = place::cpu;
  std::size_t gpu = 0;         // its index
  std::string device = "cpu";  // as results name it: cpu, cuda, cuda:1
  enum latency latency = latency::back_to_back;
  bool cold = false;
  bool accuracy = false;
};

// Memory that a process can still get, in bytes; nothing where the system does not say.
std::optional<std::size_t> available_memory();

// Whether the plan has this operator on this type; the shapes of a GPU are of f32.
bool is_measured(const plan& p, std::string_view type, std::string_view op);

// What --op, --type and --kind may name, besides all.
std::vector<std::string> known_operators();
std::vector<std::string> known_types();
std::vector<std::string> known_kinds();

// Throws cli::failure when a name, a size or a number makes no sense, or when the buffers for the
// largest size do not fit in the host's memory as given: two of them, three where a device's
// results are compared. Does not ask whether there is such a device.
plan plan_of(const options& o, std::optional<std::size_t> memory);

// "2^10..2^28" (doubling from the first up to the last), "1000", "2^12,2^20..2^22".
std::vector<std::size_t> sizes_of(std::string_view text);

// "4096x65536" or "2^12x2^16": rows, columns.
shape_2d shape_of(std::string_view text, int axis);

}  // namespace cli::bench
