// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was measured, and the two forms it is given out in: a table to read and JSON to keep.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/bench_plan.hpp"
#include "cli/bench_workload.hpp"
#include "cli/device_choice.hpp"

namespace cli::bench {

// One engine on one workload.
struct result {
  std::string engine, device, op, type, kind;
  std::size_t n = 0;
  std::size_t bytes = 0;  // each input read once and each output written once
  std::optional<shape_2d> shape;
  std::vector<double> samples_s;  // seconds a call, in the order taken
  std::string latency;            // of calls on a device; empty on the CPU
  bool cold = false;
  std::optional<double> error = {};  // the largest, where it was asked for

  double median_s() const { return median(samples_s); }
  double gb_per_s() const { return static_cast<double>(bytes) / median_s() * 1e-9; }
};

// A table of one (type, operator, kind): a row for each size, a column for each engine: rates, or
// times where calls are to a device, since the short ones are what is of interest there. The row
// ends with what it is for: the rate of each Upsweep engine among the columns as a share of the
// fastest copy's, and as a multiple of the best rival's.
class table {
 public:
  // Prints the heading. first names type, operator and kind; columns are engines.
  table(std::FILE* to, const result& first, std::vector<std::string> columns);

  // Prints the results of one size, of which there is at most one for each engine.
  void row(std::span<const result> results) const;

 private:
  std::vector<std::string> ours() const;  // the columns that are Upsweep's

  std::FILE* to_;
  std::vector<std::string> engines_;
};

// {"machine": {...}, "results": [{engine, device, op, type, kind, n, bytes, median_s, samples_s,
// gb_per_s}]}; results of a 2-D array also have "shape" and "axis", those of a device "latency" and
// "cold", and its machine has "gpu"; with --accuracy those of float sums have "error".
// gpu: what the device of the plan is; null for the CPU.
std::string json_of(std::span<const result> results, const plan& p,
                    const device_survey* gpu = nullptr);

}  // namespace cli::bench
