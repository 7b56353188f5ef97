// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "report/model_parts.hpp"
#include "report/predictions.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

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

std::string terms_table(const std::vector<paired>& pairs) {
  std::vector<const model_kernel*> kernels;
  for (const paired& pair : pairs) kernels.push_back(pair.predicted);
  const std::vector<std::string> terms = terms_of(kernels);
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
    add_terms(cells, k, terms);
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

std::string prediction_section(const documents& all, names& ids) {
  const std::vector<paired> pairs = pairs_of(all);
  if (pairs.empty()) return "";
  const std::string times = "times, measured and predicted", ratios = "measured over predicted";
  return section(
      "predictions", "Measured beside predicted",
      "The model's time of each kernel and the measured one. Where they differ the reason stands "
      "as "
      "a number: the term that bounds the prediction, and how empty the last wave of blocks is. "
      "Barrier, latency and carry follow each other, so one of them may bound a kernel though a "
      "term beside them is larger.",
      figure{times, times, drawn_times(pairs, ids), terms_table(pairs)}.html() +
          figure{ratios, ratios, drawn_ratios(pairs, ids), reasons_table(pairs)}.html());
}

}  // namespace upsweep::report
