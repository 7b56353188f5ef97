// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of the options to what is measured. Everything that can be refused is refused here,
// before the first measurement, as a cli::failure with the status of a usage error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench_measure.hpp"
#include "cli/bench_workload.hpp"

namespace cli::bench {

// As given on the command line.
struct options {
  std::vector<std::string> ops{"sum"}, types{"f32"}, kinds{"inclusive"}, engines;
  std::string sizes = "2^10..2^28", shape;
  std::optional<std::string> json;
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
};

// Memory that a process can still get, in bytes; nothing where the system does not say.
std::optional<std::size_t> available_memory();

// Throws cli::failure when a name, a size or a number makes no sense, or when two buffers of the
// largest size do not fit in the memory given.
plan plan_of(const options& o, std::optional<std::size_t> memory);

// "2^10..2^28" (doubling from the first up to the last), "1000", "2^12,2^20..2^22".
std::vector<std::size_t> sizes_of(std::string_view text);

// "4096x65536" or "2^12x2^16": rows, columns.
shape_2d shape_of(std::string_view text, int axis);

}  // namespace cli::bench
