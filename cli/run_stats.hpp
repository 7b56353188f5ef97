// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/dtype.hpp"
#include "cli/scan_request.hpp"

namespace cli {

// What a run did, for --stats.
struct run_stats {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  dtype in = dtype::f8, out = dtype::f8;
  file_format in_format = file_format::text, out_format = file_format::text;
  std::uint64_t elements = 0, results = 0, bytes_in = 0, bytes_out = 0;
  bool streamed = false;
  std::string device = "cpu";
};

// One line of JSON: what was asked for, sizes, seconds up to now, peak memory.
std::string stats_json(const scan_request& request, const run_stats& stats);

// Writes it to where --stats json or json:FILE says. Throws failure, also for other words.
void write_stats(const scan_request& request, const run_stats& stats);
// Throws failure for words other than json and json:FILE, and for a file that cannot be written, as
// far as that can be told before the run, or is the output.
void check_stats(const scan_request& request);

}  // namespace cli
