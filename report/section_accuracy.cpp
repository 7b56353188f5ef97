// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/bench_groups.hpp"
#include "report/plot.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

// Errors do not depend on the machine but on the input, which is always the same, and the order of
// the additions: so results of several files are one plot.
struct errors {
  std::string title, type;
  std::vector<std::string> engines;  // as named in the legend, in the order they came
  std::map<std::uint64_t, std::map<std::string, double>> by_n;
};

// Upsweep's engines have equal bits, hence one error: one curve, unless a file says otherwise.
std::string name_in(errors& e, const bench_result& r) {
  static const std::string ours = "upsweep (canonical)";
  if (role_of(r.engine) != engine_role::own) return r.engine == "std" ? "std (serial)" : r.engine;
  const auto& row = e.by_n[r.n];
  const auto known = row.find(ours);
  return known == row.end() || known->second == *r.error ? ours : r.engine;
}

void take(errors& e, const bench_result& r) {
  const std::string name = name_in(e, r);
  if (std::find(e.engines.begin(), e.engines.end(), name) == e.engines.end())
    e.engines.push_back(name);
  e.by_n[r.n][name] = *r.error;
}

std::vector<errors> errors_of(const documents& all) {
  std::vector<errors> found;
  for (const bench_file& file : all.benches)
    for (const bench_result& r : file.results) {
      if (!r.error) continue;
      const std::string title = fmt::format("error of the {} {} of {}{}", r.kind, r.op, r.type,
                                            r.shape.empty() ? "" : ", two dimensions");
      auto at = std::find_if(found.begin(), found.end(), [&](auto& e) { return e.title == title; });
      if (at == found.end()) at = found.insert(found.end(), errors{title, r.type, {}, {}});
      take(*at, r);
    }
  return found;
}

// Half a unit in the last place of 1, as a power of two; 0 for a type that is not known.
int rounding_exponent(const std::string& type) {
  static const std::map<std::string, int> known{
      {"f16", -11}, {"bf16", -8}, {"f32", -24}, {"f64", -53}};
  const auto at = known.find(type);
  return at == known.end() ? 0 : at->second;
}

look look_in_legend(const std::string& name) {
  if (name == "upsweep (canonical)") return look_of("upsweep-par");
  return look_of(name == "std (serial)" ? "std" : name);
}

std::string drawn_errors(const errors& e, names& ids) {
  plot p{ids.next(),
         e.title,
         "The largest error of any prefix, as a share of the largest prefix. The table below has "
         "all numbers.",
         {"elements n", scaling::octaves},
         {"largest error / largest prefix", scaling::decades},
         {}};
  for (const std::string& engine : e.engines) {
    curve c{engine, look_in_legend(engine), {}};
    for (const auto& [n, row] : e.by_n)
      if (const auto at = row.find(engine); at != row.end())
        c.marks.push_back({static_cast<double>(n), at->second,
                           fmt::format("{}, n = {}: {:.3g}", engine, n, at->second)});
    p.curves.push_back(c);
  }
  if (const int u = rounding_exponent(e.type))
    p.levels.push_back({std::ldexp(1, u), fmt::format("one rounding, 2^{}", u)});
  return drawn(p);
}

std::string errors_table(const errors& e) {
  std::vector<std::string> head{"n"};
  head.insert(head.end(), e.engines.begin(), e.engines.end());
  table numbers(e.title, head);
  for (const auto& [n, row] : e.by_n) {
    std::vector<std::string> cells{std::to_string(n)};
    for (const std::string& engine : e.engines) {
      const auto at = row.find(engine);
      cells.push_back(at == row.end() ? "–" : fmt::format("{:.3g}", at->second));
    }
    numbers.row(cells);
  }
  return numbers.html();
}

}  // namespace

std::string accuracy_section(const documents& all, names& ids) {
  std::string body;
  for (const errors& e : errors_of(all))
    body += figure{e.title, e.title, drawn_errors(e, ids), errors_table(e)}.html();
  return section(
      "accuracy", "Accuracy",
      "The largest difference of any prefix from the same sum in a wider type, divided by the "
      "largest of these prefixes by size: not by each prefix, which may cancel to 0. The error of "
      "a left fold may grow with n, that "
      "of the canonical order with its logarithm.",
      body);
}

}  // namespace upsweep::report
