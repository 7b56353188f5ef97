// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "report/model_parts.hpp"
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

// Below the ridge the roof is bandwidth times intensity, above it the adders.
guide roof_of(const lab_model& m, const plot& p) {
  const double ridge = m.roof.adds_per_s / m.roof.bytes_per_s;
  double low = ridge / 10, high = ridge * 10;
  for (const curve& c : p.curves)
    for (const mark& at : c.marks)
      if (at.x > 0) low = std::min(low, at.x / 2), high = std::max(high, at.x * 2);
  return {"memory, by the data sheet",
          {{low, low * m.roof.bytes_per_s}, {ridge, m.roof.adds_per_s}, {high, m.roof.adds_per_s}}};
}

// The slope of another bandwidth, up to the adders.
guide slope_of(const char* name, const lab_model& m, double bytes_per_s, double low,
               unsigned dash) {
  const double ridge = m.roof.adds_per_s / bytes_per_s, from = std::min(low, ridge / 2);
  return {name, {{from, from * bytes_per_s}, {ridge, m.roof.adds_per_s}}, dash};
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
  const double low = p.guides[0].points[0].first;
  if (const auto copy = m.roof.copy_bytes_per_s)
    p.guides.push_back(slope_of("a copy from memory", m, *copy, low, 1));
  if (const auto l2 = m.roof.l2_bytes_per_s)
    p.guides.push_back(slope_of("a copy within L2", m, *l2, low, 2));
  return drawn(p);
}

bool is_measured(const lab_model& m, const model_kernel& k, const std::vector<paired>& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const paired& pair) {
    return pair.run->name() == k.kernel && pair.run->n == k.n && m.device.is(pair.run->gpu);
  });
}

// A row for each mark that was measured, and one for what was only predicted.
std::string roofline_table(const lab_model& m, const std::vector<paired>& pairs) {
  table numbers("Roofline of " + m.device.about,
                {"kernel", "bound", "n", "operations", "bytes", "adds/byte", "copy, GB/s",
                 "predicted adds/s", "measured adds/s"},
                2);
  const auto row = [&](const std::string& name, const model_kernel& k,
                       const std::string& measured) {
    numbers.row({name, k.bound, std::to_string(k.n), short_number(k.operations),
                 short_number(k.dram_bytes), short_number(k.intensity),
                 k.bytes_per_s ? short_number(*k.bytes_per_s * 1e-9) : "–",
                 short_number(k.operations / k.time_s), measured});
  };
  for (const model_kernel& k : m.kernels)
    if (!is_measured(m, k, pairs)) row(k.kernel, k, "–");
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
    for (model_kernel& k : m.kernels) k.kernel = padded_name(k.kernel, k.pad.value_or(m.pad));
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

// Of a model's kernels that nobody measured; nothing where there are none.
std::string predicted_table(const lab_model& m, const std::vector<paired>& pairs) {
  std::vector<const model_kernel*> kernels;
  for (const model_kernel& k : m.kernels)
    if (!is_measured(m, k, pairs)) kernels.push_back(&k);
  if (kernels.empty()) return "";
  const std::vector<std::string> terms = terms_of(kernels);
  std::vector<std::string> head{"kernel",    "bound", "limit of blocks", "n",
                                "predicted", "waves", "occupancy"};
  head.insert(head.end(), terms.begin(), terms.end());
  table numbers("Predicted times in microseconds and their terms, " + m.device.about, head, 3);
  for (const model_kernel* k : kernels) {
    std::vector<std::string> cells{k->kernel,
                                   k->bound,
                                   k->limit,
                                   std::to_string(k->n),
                                   micro(k->time_s),
                                   fmt::format("{:.2f}", k->waves),
                                   percent(k->occupancy)};
    add_terms(cells, *k, terms);
    numbers.row(cells);
  }
  return numbers.html();
}

// Which bandwidth the predictions reckon with, where the model says it.
std::string bandwidth_of(const lab_model& m) {
  double least = 0, most = 0;
  for (const model_kernel& k : m.kernels) {
    if (!k.bytes_per_s) return "";
    least = least == 0 ? *k.bytes_per_s : std::min(least, *k.bytes_per_s);
    most = std::max(most, *k.bytes_per_s);
  }
  if (least == most) return fmt::format("; predicted with copies at {:.0f} GB/s", most * 1e-9);
  return fmt::format("; predicted with copies at {:.0f} to {:.0f} GB/s", least * 1e-9, most * 1e-9);
}

}  // namespace

std::string roofline_section(const documents& all, names& ids) {
  const std::vector<paired> pairs = pairs_of(all);
  std::string body;
  for (const lab_model& m : roofs_of(all)) {
    const std::string title = fmt::format("{} ({})", m.device.about, m.file);
    if (!m.kernels.empty())
      body += figure{title + bandwidth_of(m), title, drawn_roofline(m, pairs, ids),
                     roofline_table(m, pairs) + predicted_table(m, pairs) + reservations(m)}
                  .html();
  }
  return section("roofline", "Roofline",
                 "A device adds no faster than its adders do, nor faster than memory brings the "
                 "operands: the line. Scans stand far to the left, under the slope of where their "
                 "arrays lie: beside that of memory stand what a copy reaches of it, and, where a "
                 "model has an L2, a copy within that. Hollow marks are predicted, filled ones "
                 "measured.",
                 body);
}

}  // namespace upsweep::report
