// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "report/html.hpp"

namespace upsweep::report {

namespace {

constexpr double near = 0.15;  // what the model is meant to keep where bandwidth decides

const model_kernel* kernel_in(const lab_model& m, const lab_run& run) {
  for (const model_kernel& k : m.kernels)
    if (k.kernel == run.kernel && k.n == run.n) return &k;
  return nullptr;
}

// Whether a kernel of the model is of the same, other than by its name and n.
bool is_of(const lab_model& m, const model_kernel& k, const lab_run& run) {
  const std::uint64_t pad = k.pad.value_or(m.pad);
  return m.device.is(run.gpu) && (m.op.empty() || m.op == run.op) && run.pad.value_or(pad) == pad;
}

const model_kernel* prediction_for(const documents& all, const lab_run& run) {
  if (run.model) return run.model_device.is(run.gpu) ? &*run.model : nullptr;
  for (const lab_model& m : all.models)
    if (const model_kernel* k = kernel_in(m, run); k != nullptr && is_of(m, *k, run)) return k;
  return nullptr;
}

// Of a model of the same kernel, n and device that is of something else.
std::string why_not(const lab_model& m, const model_kernel& k, const lab_run& run) {
  if (!m.op.empty() && m.op != run.op)
    return fmt::format("{}: {} by {} is not compared with {}, a model of {}", run.file, run.name(),
                       run.op, m.file, m.op);
  return fmt::format("{}: {} is not compared with {}, a model with padding {}", run.file,
                     run.name(), m.file, padding_word(k.pad.value_or(m.pad)));
}

}  // namespace

std::vector<std::string> unpaired(const documents& all) {
  std::vector<std::string> lines;
  for (const lab_run& run : all.runs) {
    if (run.gpu.empty() || prediction_for(all, run) != nullptr) continue;
    if (run.model)
      lines.push_back(fmt::format("{}: predicted for {}, measured on {}: not compared", run.file,
                                  run.model_device.about, run.gpu));
    for (const lab_model& m : all.models)
      if (const model_kernel* k = kernel_in(m, run);
          k != nullptr && !run.model && m.device.is(run.gpu))
        lines.push_back(why_not(m, *k, run));
  }
  return lines;
}

std::vector<std::string> repeated(const documents& all) {
  std::vector<std::string> lines;
  for (const lab_model& m : all.models) {
    std::map<std::tuple<std::string, std::uint64_t, std::uint64_t>, int> times;
    for (const model_kernel& k : m.kernels)
      if (++times[{k.kernel, k.n, k.pad.value_or(m.pad)}] == 2)
        lines.push_back(
            fmt::format("{}: has {} with n = {} more than once; runs are compared with "
                        "the first",
                        m.file, padded_name(k.kernel, k.pad.value_or(m.pad)), k.n));
  }
  return lines;
}

std::vector<paired> pairs_of(const documents& all) {
  std::vector<paired> pairs;
  for (const lab_run& run : all.runs)
    if (!run.gpu.empty())
      if (const model_kernel* k = prediction_for(all, run)) pairs.push_back({&run, k});
  std::stable_sort(pairs.begin(), pairs.end(), [](const paired& a, const paired& b) {
    return std::pair(a.run->name(), a.run->n) < std::pair(b.run->name(), b.run->n);
  });
  return pairs;
}

std::string reason_of(const paired& pair) {
  const model_kernel& k = *pair.predicted;
  const auto bound = std::find_if(k.terms.begin(), k.terms.end(),
                                  [&](const auto& t) { return t.first == k.bound_term; });
  std::string text = fmt::format("{} {} of {} predicted", bound->first, short_time(bound->second),
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
