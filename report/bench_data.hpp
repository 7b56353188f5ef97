// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `upsweep bench --json` has written, checked.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::report {

class field;

struct bench_machine {
  std::string version, date, cpu, simd, compiler;
  std::uint64_t cores = 0, threads = 0;
  std::array<std::uint64_t, 3> caches{};  // bytes: first, second, third level
  std::string gpu, driver, runtime, cub;  // empty without a GPU
  std::uint64_t gpu_memory = 0, gpu_l2 = 0, multiprocessors = 0;

  // What has to be equal for rates to be comparable: "cpu", "cores" and so on, and their values.
  std::vector<std::pair<std::string, std::string>> traits() const;

  // What was measured by which build: "upsweep", "compiler", of a GPU "cub", "runtime", "driver".
  std::vector<std::pair<std::string, std::string>> versions() const;
};

struct bench_result {
  std::string engine, device, op, type, kind;
  std::uint64_t n = 0, bytes = 0;
  double median_s = 0, gb_per_s = 0;
  double best_s = 0, worst_s = 0;  // of the samples
  std::size_t samples = 0;
  std::vector<std::uint64_t> shape;  // rows, columns; empty for one dimension
  std::uint64_t axis = 0;
  std::string latency;  // of calls on a device
  bool cold = false;
  std::optional<double> error;

  // What was measured, without the engine and the size: "inclusive sum of f32 on cpu".
  std::string title() const;
  // The size: "2^20", "1000" or "4096x65536, axis 0".
  std::string size_name() const;
};

struct bench_file {
  std::string file;
  bench_machine machine;
  std::vector<bench_result> results;
};

// Throws bad_input for what lacks a field, has results twice, or was written by a later version of
// the program than this.
bench_file bench_of(const field& document);

// The same from the text of a file, which has to be of `upsweep bench`.
bench_file bench_of(const std::string& file, std::string_view text);

// What two machines do not have in common, as one line; empty when they are alike. The same of the
// versions of their programs, as far as both have them.
std::string difference_of(const bench_machine& a, const bench_machine& b);
std::string other_versions(const bench_machine& a, const bench_machine& b);

}  // namespace upsweep::report
