// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "report/bench_groups.hpp"
#include "report/plot.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

std::string label_of(const bench_result& r) {
  return fmt::format("{}, n = {}: {} GB/s, {} a call", r.engine, r.size_name(),
                     short_number(r.gb_per_s), short_time(r.median_s));
}

std::string drawn_rates(const bench_group& g, names& ids) {
  const std::string about = fmt::format(
      "Rates of {} engines; copies of the same bytes are the dashed grey lines. The "
      "table below has all numbers.",
      g.engines.size());
  if (g.curves) {
    plot p{ids.next(),
           "Bandwidth, " + g.title,
           about,
           {"elements n", scaling::octaves},
           {"GB/s, read and written once", scaling::decades},
           {}};
    for (const std::string& engine : g.engines) {
      curve c{engine, look_of(engine), {}};
      for (const bench_row& row : g.rows)
        if (const auto at = row.by_engine.find(engine); at != row.by_engine.end())
          c.marks.push_back(
              {static_cast<double>(row.n), at->second->gb_per_s, label_of(*at->second)});
      p.curves.push_back(c);
    }
    return drawn(p);
  }
  std::vector<bar> bars;
  for (const bench_row& row : g.rows)
    for (const std::string& engine : g.engines)
      if (const auto at = row.by_engine.find(engine); at != row.by_engine.end())
        bars.push_back(
            {engine, at->second->gb_per_s, label_of(*at->second), look_of(engine).colour});
  return drawn_bars(ids.next(), "Bandwidth, " + g.title, about, "GB/s, read and written once",
                    bars);
}

std::string rates_table(const bench_group& g) {
  std::vector<std::string> head{"n"};
  head.insert(head.end(), g.engines.begin(), g.engines.end());
  table numbers("GB/s, " + g.caption, head);
  for (const bench_row& row : g.rows) {
    std::vector<std::string> cells{row.size};
    for (const std::string& engine : g.engines) {
      const auto at = row.by_engine.find(engine);
      cells.push_back(at == row.by_engine.end() ? "–" : short_number(at->second->gb_per_s));
    }
    numbers.row(cells);
  }
  return numbers.html();
}

// What one of our engines reaches, of the best copy or of the best rival; 0 where one is missing.
double reached(const bench_row& row, const std::string& engine, engine_role role) {
  const auto at = row.by_engine.find(engine);
  const double best = row.best(role);
  return at == row.by_engine.end() || best == 0 ? 0 : at->second->gb_per_s / best;
}

const char* beside(engine_role role) {
  return role == engine_role::copy ? "fastest copy" : "best rival";
}

struct ratios {
  std::string engine;
  engine_role role;
  std::string name() const { return fmt::format("{} / {}", engine, beside(role)); }
};

std::vector<ratios> ratios_of(const bench_group& g) {
  std::vector<ratios> all;
  for (const std::string& engine : g.engines)
    for (const engine_role role : {engine_role::copy, engine_role::rival})
      if (role_of(engine) == engine_role::own &&
          std::any_of(g.rows.begin(), g.rows.end(),
                      [&](const bench_row& row) { return reached(row, engine, role) > 0; }))
        all.push_back({engine, role});
  return all;
}

look ratio_look(const ratios& r) {
  look shape = look_of(r.engine);
  if (r.role == engine_role::rival) shape.colour = shape.colour == 0 ? 2 : 1, shape.marker += 2;
  shape.dash = r.role == engine_role::rival ? 1 : 0;
  return shape;
}

std::string label_of(const bench_row& row, const ratios& r, double value) {
  return fmt::format("{}, n = {}: {} of the {}", r.engine, row.size, times(value), beside(r.role));
}

std::string drawn_ratios(const bench_group& g, const std::vector<ratios>& all, names& ids) {
  const std::string about =
      "Rates as multiples of the fastest copy and of the best other scan, from one run.";
  if (g.curves) {
    plot p{ids.next(),
           "Ratios, " + g.title,
           about,
           {"elements n", scaling::octaves},
           {"ratio of rates", scaling::linear},
           {},
           {{1, "equal"}}};
    for (const ratios& r : all) {
      curve c{r.name(), ratio_look(r), {}};
      for (const bench_row& row : g.rows)
        if (const double value = reached(row, r.engine, r.role); value > 0)
          c.marks.push_back({static_cast<double>(row.n), value, label_of(row, r, value)});
      p.curves.push_back(c);
    }
    return drawn(p);
  }
  std::vector<bar> bars;
  for (const bench_row& row : g.rows)
    for (const ratios& r : all)
      if (const double value = reached(row, r.engine, r.role); value > 0)
        bars.push_back({r.name(), value, label_of(row, r, value), ratio_look(r).colour});
  return drawn_bars(ids.next(), "Ratios, " + g.title, about, "ratio of rates", bars);
}

std::string ratios_table(const bench_group& g, const std::vector<ratios>& all) {
  std::vector<std::string> head{"n"};
  for (const ratios& r : all) head.push_back(r.name());
  table numbers("Ratios, " + g.caption, head);
  for (const bench_row& row : g.rows) {
    std::vector<std::string> cells{row.size};
    for (const ratios& r : all) {
      const double value = reached(row, r.engine, r.role);
      cells.push_back(value == 0 ? "–" : fmt::format("{:.3f}", value));
    }
    numbers.row(cells);
  }
  return numbers.html();
}

}  // namespace

std::string bandwidth_section(const documents& all, names& ids) {
  std::string body;
  for (const bench_file& file : all.benches)
    for (const bench_group& g : groups_of(file))
      body += figure{g.caption, g.caption, drawn_rates(g, ids), rates_table(g)}.html();
  return section("bandwidth", "Bandwidth against n",
                 "Each input read once and each output written once, whatever an engine moves. The "
                 "grey lines are copies of the same bytes: of large arrays no scan is faster. Of "
                 "small ones the call itself takes the time, and a copy may be called more slowly. "
                 "Both axes are logarithmic.",
                 body);
}

std::string ratio_section(const documents& all, names& ids) {
  std::string body;
  for (const bench_file& file : all.benches)
    for (const bench_group& g : groups_of(file))
      if (const std::vector<ratios> of = ratios_of(g); !of.empty())
        body += figure{g.caption, g.caption, drawn_ratios(g, of, ids), ratios_table(g, of)}.html();
  return section("ratios", "Ratio to copies and rivals",
                 "What Upsweep reaches of the fastest copy, and as a multiple of the best other "
                 "scan, at each size. Above the line it is faster.",
                 body);
}

}  // namespace upsweep::report
