// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "report/plot.hpp"
#include "report/predictions.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

mark roof_mark(const std::string& name, const model_kernel& k, double seconds, bool predicted) {
  const double rate = k.operations / seconds;
  return {k.intensity, rate,
          fmt::format("{}, n = {}, {}: {} adds/s at {} adds/byte", name, k.n,
                      predicted ? "predicted" : "measured", short_number(rate),
                      short_number(k.intensity)),
          predicted};
}

curve& curve_of(plot& p, const std::string& kernel, bool joined) {
  const auto at =
      std::find_if(p.curves.begin(), p.curves.end(), [&](auto& c) { return c.name == kernel; });
  if (at != p.curves.end()) return *at;
  p.curves.push_back({kernel, look_of(kernel), {}, joined});
  return p.curves.back();
}

// Below the ridge the roof is bandwidth times intensity, above it the adders.
guide roof_of(const lab_model& m, const plot& p) {
  const double ridge = m.roof.adds_per_s / m.roof.bytes_per_s;
  double low = ridge / 10, high = ridge * 10;
  for (const curve& c : p.curves)
    for (const mark& at : c.marks)
      if (at.x > 0) low = std::min(low, at.x / 2), high = std::max(high, at.x * 2);
  return {m.device.name,
          {{low, low * m.roof.bytes_per_s}, {ridge, m.roof.adds_per_s}, {high, m.roof.adds_per_s}}};
}

std::string drawn_roofline(const lab_model& m, const std::vector<paired>& pairs, names& ids) {
  plot p{ids.next(),
         "Roofline of " + m.device.about,
         "Each kernel as a point: hollow where the model predicts it, filled where it was "
         "measured. The table below has all numbers.",
         {"adds a byte of global memory", scaling::decades},
         {"adds a second", scaling::decades},
         {}};
  for (const model_kernel& k : m.kernels)
    curve_of(p, k.kernel, false).marks.push_back(roof_mark(k.kernel, k, k.time_s, true));
  for (const paired& pair : pairs)
    if (m.device.is(pair.run->gpu))
      curve_of(p, pair.run->name(), false)
          .marks.push_back(roof_mark(pair.run->name(), *pair.predicted, pair.run->median_s, false));
  p.guides.push_back(roof_of(m, p));
  if (m.roof.copy_bytes_per_s) {
    const auto [low, _] = p.guides[0].points[0];
    const double ridge = m.roof.adds_per_s / *m.roof.copy_bytes_per_s;
    p.guides.push_back(
        {"a copy", {{low, low * *m.roof.copy_bytes_per_s}, {ridge, m.roof.adds_per_s}}});
  }
  return drawn(p);
}

// A row for each mark that was measured, and one for what was only predicted.
std::string roofline_table(const lab_model& m, const std::vector<paired>& pairs) {
  table numbers("Roofline of " + m.device.about,
                {"kernel", "bound", "n", "operations", "bytes", "adds/byte", "predicted adds/s",
                 "measured adds/s"},
                2);
  const auto row = [&](const std::string& name, const model_kernel& k,
                       const std::string& measured) {
    numbers.row({name, k.bound, std::to_string(k.n), short_number(k.operations),
                 short_number(k.dram_bytes), short_number(k.intensity),
                 short_number(k.operations / k.time_s), measured});
  };
  for (const model_kernel& k : m.kernels)
    if (std::none_of(pairs.begin(), pairs.end(), [&](const paired& pair) {
          return pair.run->name() == k.kernel && pair.run->n == k.n && m.device.is(pair.run->gpu);
        }))
      row(k.kernel, k, "–");
  for (const paired& pair : pairs)
    if (m.device.is(pair.run->gpu))
      row(pair.run->name(), *pair.predicted,
          short_number(pair.predicted->operations / pair.run->median_s));
  return numbers.html();
}

// The models, their kernels called as runs are; and of each device that runs describe and no file
// models, one that has what the runs say of themselves.
std::vector<lab_model> roofs_of(const documents& all) {
  std::vector<lab_model> roofs = all.models;
  for (lab_model& m : roofs)
    for (model_kernel& k : m.kernels) k.kernel = padded_name(k.kernel, m.pad);
  for (const lab_run& run : all.runs) {
    if (!run.model || !run.roof || !run.model_device.is(run.gpu)) continue;
    if (std::any_of(all.models.begin(), all.models.end(),
                    [&](const lab_model& m) { return m.device.is(run.gpu); }))
      continue;
    auto at = std::find_if(roofs.begin(), roofs.end(),
                           [&](const lab_model& m) { return m.device.is(run.gpu); });
    if (at == roofs.end()) {
      roofs.push_back({run.file, run.op, 0, run.model_device, *run.roof, {}});
      at = roofs.end() - 1;
    }
    at->kernels.push_back(*run.model);
    at->kernels.back().kernel = run.name();
  }
  return roofs;
}

std::string label_of(const paired& pair) {
  return fmt::format("{}, n = {}: measured {}, predicted {}, ratio {:.2f}; {}", pair.run->name(),
                     pair.run->n, short_time(pair.run->median_s),
                     short_time(pair.predicted->time_s), pair.ratio(), reason_of(pair));
}

std::string drawn_times(const std::vector<paired>& pairs, names& ids) {
  plot p{ids.next(),
         "Measured and predicted times",
         "Filled marks are measured, hollow ones predicted. The table below has all numbers.",
         {"elements n", scaling::octaves},
         {"microseconds", scaling::decades},
         {}};
  for (const paired& pair : pairs) {
    const double n = static_cast<double>(pair.run->n);
    curve& c = curve_of(p, pair.run->name(), true);
    c.marks.push_back({n, 1e6 * pair.run->median_s, label_of(pair)});
    c.marks.push_back({n, 1e6 * pair.predicted->time_s, label_of(pair), true});
  }
  return drawn(p);
}

std::string drawn_ratios(const std::vector<paired>& pairs, names& ids) {
  plot p{ids.next(),
         "Measured time over predicted time",
         "1 where the model is right. The lines at 0.85 and 1.15 are what it is meant to keep for "
         "kernels that are bound by bandwidth.",
         {"elements n", scaling::octaves},
         {"measured / predicted", scaling::linear},
         {},
         {{0.85, "0.85"}, {1, ""}, {1.15, "1.15"}}};
  for (const paired& pair : pairs)
    curve_of(p, pair.run->name(), true)
        .marks.push_back({static_cast<double>(pair.run->n), pair.ratio(), label_of(pair)});
  return drawn(p);
}

std::string micro(double seconds) { return short_number(1e6 * seconds); }

// The terms that any of the models has, in the order they came.
std::vector<std::string> terms_of(const std::vector<paired>& pairs) {
  std::vector<std::string> all;
  for (const paired& pair : pairs)
    for (const auto& [name, _] : pair.predicted->terms)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

std::string terms_table(const std::vector<paired>& pairs) {
  const std::vector<std::string> terms = terms_of(pairs);
  std::vector<std::string> head{"kernel",   "bound",     "limit of blocks", "n",
                                "measured", "predicted", "waves",           "occupancy"};
  head.insert(head.end(), terms.begin(), terms.end());
  table numbers("Measured and predicted times in microseconds, and the terms of the prediction",
                head, 3);
  for (const paired& pair : pairs) {
    const model_kernel& k = *pair.predicted;
    std::vector<std::string> cells{pair.run->name(),
                                   k.bound,
                                   k.limit,
                                   std::to_string(pair.run->n),
                                   micro(pair.run->median_s),
                                   micro(k.time_s),
                                   fmt::format("{:.2f}", k.waves),
                                   percent(k.occupancy)};
    for (const std::string& term : terms) {
      const auto at = std::find_if(k.terms.begin(), k.terms.end(),
                                   [&](const auto& t) { return t.first == term; });
      cells.push_back(at == k.terms.end() ? "–" : micro(at->second));
    }
    numbers.row(cells);
  }
  return numbers.html();
}

std::string reasons_table(const std::vector<paired>& pairs) {
  table numbers("Measured time over predicted time, and the reason",
                {"kernel", "reason", "n", "measured / predicted"}, 2);
  for (const paired& pair : pairs)
    numbers.row({pair.run->name(), reason_of(pair), std::to_string(pair.run->n),
                 fmt::format("{:.2f}", pair.ratio())});
  return numbers.html();
}

}  // namespace

std::string roofline_section(const documents& all, names& ids) {
  const std::vector<paired> pairs = pairs_of(all);
  std::string body;
  for (const lab_model& m : roofs_of(all)) {
    const std::string title = fmt::format("{} ({})", m.device.about, m.file);
    if (!m.kernels.empty())
      body += figure{title, title, drawn_roofline(m, pairs, ids), roofline_table(m, pairs)}.html();
  }
  return section("roofline", "Roofline",
                 "A device adds no faster than its adders do, nor faster than memory brings the "
                 "operands: the line. Scans stand far to the left, under the slope. Hollow marks "
                 "are predicted, filled ones measured.",
                 body);
}

std::string prediction_section(const documents& all, names& ids) {
  const std::vector<paired> pairs = pairs_of(all);
  if (pairs.empty()) return "";
  const std::string times = "times, measured and predicted", ratios = "measured over predicted";
  return section(
      "predictions", "Measured beside predicted",
      "The model's time of each kernel and the measured one. Where they differ the reason stands "
      "as "
      "a number: which term of the prediction is the largest, and how empty the last wave of "
      "blocks "
      "is.",
      figure{times, times, drawn_times(pairs, ids), terms_table(pairs)}.html() +
          figure{ratios, ratios, drawn_ratios(pairs, ids), reasons_table(pairs)}.html());
}

}  // namespace upsweep::report
