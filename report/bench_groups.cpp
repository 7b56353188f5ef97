// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/bench_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/baseline.hpp"

namespace upsweep::report {

namespace {

bench_row& row_of(bench_group& group, const bench_result& r) {
  const std::string size = r.size_name();
  for (bench_row& row : group.rows)
    if (row.size == size) return row;
  group.rows.push_back({size, r.n, {}});
  return group.rows.back();
}

void take(bench_group& group, const bench_result& r) {
  if (std::find(group.engines.begin(), group.engines.end(), r.engine) == group.engines.end())
    group.engines.push_back(r.engine);
  row_of(group, r).by_engine[r.engine] = &r;
}

// Sizes that make no curve: each a plot of its own.
void split(const bench_group& group, std::vector<bench_group>& to) {
  for (const bench_row& row : group.rows) {
    bench_group one = group;
    one.rows = {row};
    one.caption = fmt::format("{}, n = {} ({})", group.title, row.size, group.file->file);
    to.push_back(one);
  }
}

}  // namespace

engine_role role_of(const std::string& engine) {
  if (is_own(engine)) return engine_role::own;
  const bool copies =
      engine.find("copy") != std::string::npos || engine.find("memcpy") != std::string::npos;
  return copies ? engine_role::copy : engine_role::rival;
}

double bench_row::best(engine_role role) const {
  double most = 0;
  for (const auto& [engine, r] : by_engine)
    if (role_of(engine) == role) most = std::max(most, r->gb_per_s);
  return most;
}

std::vector<bench_group> groups_of(const bench_file& file) {
  std::vector<bench_group> all;
  for (const bench_result& r : file.results) {
    const std::string title = r.title();
    auto at = std::find_if(all.begin(), all.end(), [&](auto& g) { return g.title == title; });
    if (at == all.end()) {
      at = all.insert(all.end(), bench_group{});
      at->file = &file;
      at->title = title;
      at->caption = fmt::format("{} ({})", title, file.file);
    }
    take(*at, r);
  }
  std::vector<bench_group> plots;
  for (bench_group& g : all) {
    std::stable_sort(g.rows.begin(), g.rows.end(),
                     [](const bench_row& a, const bench_row& b) { return a.n < b.n; });
    g.curves = g.rows.size() > 1 && g.rows[0].by_engine.begin()->second->shape.empty();
    if (g.curves)
      plots.push_back(g);
    else
      split(g, plots);
  }
  return plots;
}

}  // namespace upsweep::report
