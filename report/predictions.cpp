// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"

namespace upsweep::report {

namespace {

constexpr double near = 0.15;  // what the model is meant to keep where bandwidth decides

const model_kernel* prediction_for(const documents& all, const lab_run& run) {
  if (run.model) return &*run.model;
  for (const lab_model& m : all.models)
    if (m.device.is(run.gpu))
      for (const model_kernel& k : m.kernels)
        if (k.kernel == run.kernel && k.n == run.n) return &k;
  return nullptr;
}

}  // namespace

std::vector<paired> pairs_of(const documents& all) {
  std::vector<paired> pairs;
  for (const lab_run& run : all.runs)
    if (!run.gpu.empty())
      if (const model_kernel* k = prediction_for(all, run)) pairs.push_back({&run, k});
  std::stable_sort(pairs.begin(), pairs.end(), [](const paired& a, const paired& b) {
    return std::pair(a.run->kernel, a.run->n) < std::pair(b.run->kernel, b.run->n);
  });
  return pairs;
}

std::string reason_of(const paired& pair) {
  const model_kernel& k = *pair.predicted;
  const auto& most =
      *std::max_element(k.terms.begin(), k.terms.end(),
                        [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = fmt::format("{} {} of {} predicted", most.first, short_time(most.second),
                                 short_time(k.time_s));
  const double last = k.waves - std::floor(k.waves);
  const double empty = k.tail.value_or(k.waves > 1 && last > 0 ? 1 - last : 0);
  if (empty >= 0.005 && k.waves > 1) text += fmt::format(", last wave {} empty", percent(empty));
  if (std::abs(pair.ratio() - 1) <= near) return text;
  const double rest = pair.run->median_s - k.time_s;
  return text + fmt::format("; {} {}", short_time(std::abs(rest)),
                            rest > 0 ? "not explained" : "too much");
}

}  // namespace upsweep::report
