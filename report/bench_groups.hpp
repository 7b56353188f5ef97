// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The results of one file that belong into one plot: one operator, type and kind, all sizes, all
// engines. Ratios are within a group, so from one run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/bench_data.hpp"

namespace upsweep::report {

enum class engine_role { copy, rival, own };
engine_role role_of(const std::string& engine);

struct bench_row {
  std::string size;
  std::uint64_t n = 0;
  std::map<std::string, const bench_result*> by_engine;

  // The best rate among engines of a role; 0 where there is none.
  double best(engine_role role) const;
};

struct bench_group {
  const bench_file* file = nullptr;
  std::string title, caption;  // the caption names the file too
  bool curves = false;         // several sizes of one dimension
  std::vector<std::string> engines;
  std::vector<bench_row> rows;  // by size
};

std::vector<bench_group> groups_of(const bench_file& file);

}  // namespace upsweep::report
