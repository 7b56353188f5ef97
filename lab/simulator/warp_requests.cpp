// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/warp_requests.hpp"

#include <algorithm>

namespace upsweep::lab::simulator {

const char* name_of(access kind) {
  static constexpr const char* names[] = {"shared load",  "shared store", "global load",
                                          "global store", "atomic add",   "publish",
                                          "observe"};
  return names[static_cast<int>(kind)];
}

// Mostly the same as the last one, or the next.
open_accesses::place& open_accesses::place_of(const lane_access& what) {
  const auto is = [&](const place& p) {
    return p.site == what.site && p.kind == what.kind && p.bytes == what.bytes;
  };
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t at = last_ + i < used_ ? last_ + i : last_ + i - used_;
    if (is(places_[at])) return places_[last_ = at];
  }
  if (used_ == places_.size()) places_.emplace_back();
  place& fresh = places_[last_ = used_++];
  fresh.site = what.site, fresh.kind = what.kind, fresh.bytes = what.bytes;
  fresh.passes.fill(0);
  fresh.requests.clear();
  return fresh;
}

void open_accesses::add(unsigned lane, const lane_access& what) {
  place& p = place_of(what);
  const std::uint32_t pass = p.passes[lane]++;
  if (pass == p.requests.size()) {
    p.requests.push_back(static_cast<std::uint32_t>(requests_.size()));
    request& fresh = requests_.emplace_back();
    fresh.lanes.mask = 0;
    fresh.lanes.bytes = what.bytes, fresh.lanes.alignment = what.alignment;
    fresh.site = what.site, fresh.kind = what.kind;
  }
  request& r = requests_[p.requests[pass]];
  r.step = std::max(r.step, what.step);  // steps have their numbers in the order of their begin
  r.lanes.mask |= 1u << lane;
  if (what.active) r.active |= 1u << lane;
  r.lanes.address[lane] = what.address;
}

void open_accesses::clear() {
  requests_.clear();
  used_ = last_ = 0;
}

bool step_entries::add(unsigned lane, std::uint32_t step) {
  if (step >= entry_of_.size()) entry_of_.resize(step + 1, 0);
  if (entry_of_[step] == 0) {
    entries_.emplace_back().step = step;
    entry_of_[step] = static_cast<std::uint32_t>(entries_.size());
  }
  entry& e = entries_[entry_of_[step] - 1];
  if (++e.passes[lane] <= e.most) return false;
  e.most = e.passes[lane];
  return true;
}

void step_entries::clear() {
  for (const entry& e : entries_) entry_of_[e.step] = 0;
  entries_.clear();
}

}  // namespace upsweep::lab::simulator
