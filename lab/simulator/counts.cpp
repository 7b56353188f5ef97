// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace upsweep::lab::simulator {

namespace {

std::vector<const char*>& site_names() {
  static std::vector<const char*> names;
  return names;
}

}  // namespace

std::uint32_t register_site(const char* name) {
  std::vector<const char*>& names = site_names();
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const char* n) { return std::strcmp(n, name) == 0; });
  if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
  names.push_back(name);
  return static_cast<std::uint32_t>(names.size() - 1);
}

const char* site_name(std::uint32_t number) { return site_names()[number]; }

// A thread goes from a step to itself or to the next, mostly.
std::uint32_t counts::step_number(const char* phase, std::uint64_t stride) {
  for (std::uint32_t at = last_step_; at < steps.size() && at <= last_step_ + 1; ++at) {
    const step_counts& s = steps[at];
    if (s.stride == stride && (s.phase == phase || std::strcmp(s.phase, phase) == 0))
      return last_step_ = at;
  }
  const auto [known, fresh] =
      step_numbers_.emplace(std::pair(stride, phase), static_cast<std::uint32_t>(steps.size()));
  if (fresh) {
    steps.emplace_back();
    steps.back().phase = phase, steps.back().stride = stride;
    rows_.emplace_back();
  }
  return last_step_ = known->second;
}

site_counts& counts::row(std::uint32_t step, std::uint32_t site, access kind) {
  std::vector<std::int32_t>& places = rows_[step];
  const std::size_t key = std::size_t{site} * 8 + static_cast<std::size_t>(kind);
  if (places.size() <= key) places.resize(key + 1, -1);
  if (places[key] < 0) {
    places[key] = static_cast<std::int32_t>(sites.size());
    sites.emplace_back();
    sites.back().step = step, sites.back().site = site, sites.back().kind = kind;
  }
  return sites[static_cast<std::size_t>(places[key])];
}

void counts::close(const open_accesses& open, unsigned banks) {
  for (const open_accesses::request& r : open.all()) {
    site_counts& to = row(r.step, r.site, r.kind);
    const auto lanes = static_cast<std::uint64_t>(std::popcount(r.lanes.mask));
    to.threads += lanes;
    to.active_threads += static_cast<std::uint64_t>(std::popcount(r.active));
    to.warps += 1;
    to.bytes += lanes * r.lanes.bytes;
    if (!is_shared(r.kind)) {
      const sector_use use = global_cost(r.lanes);
      to.sectors += use.sectors;
      to.fewest_sectors += use.fewest;
      continue;
    }
    const bank_use use = shared_cost(r.lanes, banks, &to.load);
    to.banks_touched = std::max(to.banks_touched, use.banks);
    to.degree = std::max(to.degree, use.degree);
    to.broadcasts += use.broadcasts;
    to.transactions += use.transactions;
    if (r.active == r.lanes.mask) {
      to.active_transactions += use.transactions;
    } else if (r.active != 0) {
      warp_access part = r.lanes;
      part.mask = r.active;
      to.active_transactions += shared_cost(part, banks).transactions;
    }
  }
}

std::uint64_t counts::operations() const {
  std::uint64_t sum = 0;
  for (const step_counts& s : steps) sum += s.operations;
  return sum;
}
std::uint64_t counts::grid_barriers() const {
  std::uint64_t sum = 0;
  for (const step_counts& s : steps) sum += s.grid_barriers;
  return sum;
}
std::uint64_t counts::shuffles() const {
  std::uint64_t sum = 0;
  for (const step_counts& s : steps) sum += s.shuffles;
  return sum;
}
std::uint64_t counts::transactions(const std::string& phase) const {
  std::uint64_t sum = 0;
  for (const site_counts& s : sites)
    if (phase.empty() || phase == steps[s.step].phase) sum += s.transactions;
  return sum;
}
std::uint64_t counts::active_transactions(const std::string& phase) const {
  std::uint64_t sum = 0;
  for (const site_counts& s : sites)
    if (phase.empty() || phase == steps[s.step].phase) sum += s.active_transactions;
  return sum;
}
std::uint64_t counts::global_bytes() const {
  std::uint64_t sum = 0;
  for (const site_counts& s : sites)
    if (!is_shared(s.kind)) sum += s.bytes;
  return sum;
}
unsigned counts::degree() const {
  unsigned most = 0;
  for (const site_counts& s : sites) most = std::max(most, s.degree);
  return most;
}
unsigned counts::working_steps() const {
  return static_cast<unsigned>(std::count_if(
      steps.begin(), steps.end(), [](const step_counts& s) { return s.operations != 0; }));
}

}  // namespace upsweep::lab::simulator
