// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model_parts.hpp"

#include <algorithm>

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

}  // namespace upsweep::report
