// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/baseline.hpp"

#include <fmt/format.h>

#include <map>

#include "report/bad_input.hpp"

namespace upsweep::report {

namespace {

std::string key_of(const bench_result& r) {
  return fmt::format("{}, {}, {}", r.title(), r.size_name(), r.engine);
}

verdict judged(const bench_result& before, const bench_result& after) {
  if (before.samples == 1 || after.samples == 1) return verdict::one_sample;
  if (after.best_s > before.worst_s) return verdict::slower;
  if (after.worst_s < before.best_s) return verdict::faster;
  return verdict::overlap;
}

}  // namespace

std::string name_of(verdict v) {
  if (v == verdict::one_sample) return "one sample";
  return v == verdict::slower ? "slower" : v == verdict::faster ? "faster" : "overlap";
}

bool is_own(const std::string& engine) { return engine.starts_with("upsweep"); }

comparison compare(const bench_file& before, const bench_file& after) {
  comparison all;
  std::map<std::string, const bench_result*> old;
  for (const bench_result& r : before.results) old[key_of(r)] = &r;
  for (const bench_result& r : after.results) {
    const auto found = old.find(key_of(r));
    if (found == old.end()) {
      all.only_after.push_back(key_of(r));
      continue;
    }
    const verdict is = judged(*found->second, r);
    all.pairs.push_back({found->second, &r, r.median_s / found->second->median_s, is});
    all.slower += is == verdict::slower;
    all.own_slower += is == verdict::slower && is_own(r.engine);
    all.faster += is == verdict::faster;
    all.single += is == verdict::one_sample;
    old.erase(found);
  }
  for (const bench_result& r : before.results)
    if (old.contains(key_of(r))) all.only_before.push_back(key_of(r));
  if (all.pairs.empty())
    throw bad_input(fmt::format("{}: has no workload in common with {}", after.file, before.file));
  all.machines = difference_of(before.machine, after.machine);
  all.versions = other_versions(before.machine, after.machine);
  return all;
}

}  // namespace upsweep::report
