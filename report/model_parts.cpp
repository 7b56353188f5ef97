// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/html.hpp"

namespace upsweep::report {

curve& curve_of(plot& p, const std::string& kernel, bool joined) {
  const auto at =
      std::find_if(p.curves.begin(), p.curves.end(), [&](auto& c) { return c.name == kernel; });
  if (at != p.curves.end()) return *at;
  p.curves.push_back({kernel, look_of(kernel), {}, joined});
  return p.curves.back();
}

std::string micro(double seconds) { return short_number(1e6 * seconds); }

std::vector<std::string> terms_of(const std::vector<const model_kernel*>& kernels) {
  std::vector<std::string> all;
  for (const model_kernel* k : kernels)
    for (const auto& [name, _] : k->terms)
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  return all;
}

void add_terms(std::vector<std::string>& cells, const model_kernel& k,
               const std::vector<std::string>& terms) {
  for (const std::string& term : terms) {
    const auto at = std::find_if(k.terms.begin(), k.terms.end(),
                                 [&](const auto& t) { return t.first == term; });
    cells.push_back(at == k.terms.end() ? "–" : micro(at->second));
  }
}

std::string reservations(const lab_model& m) {
  const modelled_device& d = m.device;
  std::map<double, std::vector<std::string>> beyond;  // kernels, by what they need
  for (const model_kernel& k : m.kernels) {
    if (d.compute_capability == 0 || k.needs_capability <= d.compute_capability + 0.01) continue;
    std::vector<std::string>& kernels = beyond[k.needs_capability];
    if (std::find(kernels.begin(), kernels.end(), k.kernel) == kernels.end())
      kernels.push_back(k.kernel);
  }
  std::string html;
  const auto add = [&](const std::string& line) {
    html += fmt::format("<p class='reservation'>{}</p>\n", escaped(line));
  };
  for (const auto& [needed, kernels] : beyond)
    add(fmt::format("Hypothetical: {} has compute capability {:.1f}, and {} {:.1f}: {}.", d.name,
                    d.compute_capability,
                    kernels.size() == 1 ? "this kernel needs" : "these kernels need", needed,
                    fmt::join(kernels, ", ")));
  if (d.assumed != 0)
    add(
        fmt::format("{} of the {} figures of {} are assumed: neither measured on it nor in a data "
                    "sheet of it.",
                    d.assumed, d.figures, d.name));
  return html;
}

}  // namespace upsweep::report
