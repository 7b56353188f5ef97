// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/work.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace upsweep::lab::model {

namespace {

using simulator::access;

constexpr double work::*sums[] = {&work::operations, &work::instructions, &work::transactions,
                                  &work::global_bytes, &work::atomics};
constexpr double work::*paths[] = {
    &work::thread_bytes,   &work::path_operations,    &work::path_shuffles,    &work::path_shared,
    &work::path_barriers,  &work::path_near,          &work::path_far,         &work::path_atomics,
    &work::path_publishes, &work::path_grid_barriers, &work::path_instructions};
static_assert((std::size(sums) + std::size(paths)) * sizeof(double) == sizeof(work));

// What one step adds. passes: how often a block comes by, or once if only some blocks do.
struct step_path {
  double passes = 0, blocks = 0;
  double each(double sum) const { return blocks == 0 ? 0 : sum / blocks; }
};

step_path path_through(const simulator::counts& c, const simulator::step_counts& s) {
  const double a_block = c.threads, blocks = static_cast<double>(c.blocks);
  // What comes before the first call of step has no threads of its own: everybody is there.
  const double visits = s.threads == 0 ? blocks : static_cast<double>(s.threads) / a_block;
  return {std::max(1.0, visits / blocks), std::min(visits, blocks)};
}

// Neighbouring elements, one at a time, share a sector: one load of eight leaves L1.
void add_loads(work& w, double loads, const simulator::site_counts& s) {
  const bool one_by_one = s.sectors == s.warps;
  const double far = one_by_one ? loads / 8 : loads;
  w.path_far += far, w.path_near += loads - far;
}

void add_site(work& w, const simulator::site_counts& s, const step_path& p, bool& loads_shared,
              bool& loads_global) {
  const auto warps = static_cast<double>(s.warps);
  w.instructions += warps;
  w.path_instructions += p.each(warps);
  w.transactions += static_cast<double>(s.transactions);
  w.global_bytes += 32 * static_cast<double>(s.sectors);
  switch (s.kind) {
    case access::shared_load:
      if (!loads_shared) w.path_shared += p.passes;
      loads_shared = true;
      break;
    case access::global_load:
      w.thread_bytes = std::max(w.thread_bytes, static_cast<double>(s.bytes / s.threads));
      if (!loads_global) add_loads(w, p.passes, s);
      loads_global = true;
      break;
    case access::add:
      w.atomics += warps, w.path_atomics += p.passes;
      break;
    case access::publish:
      w.path_publishes += p.passes;
      break;
    default:
      break;  // nobody waits for a store; what is observed is counted as hops
  }
}

// Exchanges and operations of one step.
void add_step(work& w, const simulator::counts& c, const simulator::step_counts& s,
              const step_path& p) {
  const auto of = [](std::uint64_t count) { return static_cast<double>(count); };
  const double warps = std::ceil(c.threads / 32.0);
  // Applications by a thread; those of a warp are as many instructions.
  const double entered = std::max(1.0, of(s.active_threads));
  const double each = s.operations == 0 ? 0 : std::max(1.0, of(s.operations) / entered);
  const double warp_operations = of(s.operations) == 0 ? 0 : each * of(s.active_warps);
  const double issued = warp_operations + of(s.shuffles) + of(s.votes) + of(s.barriers) * warps;
  w.operations += of(s.operations);
  w.instructions += issued, w.path_instructions += p.each(issued);
  w.path_operations += each * p.passes;
  // The exchanges of one warp: those of all warps that are there run at the same time.
  const double there = std::max(1.0, s.threads == 0 ? warps * p.blocks : of(s.threads) / 32);
  const double busy = std::clamp(of(s.active_warps), 1.0, there);
  w.path_shuffles += (of(s.shuffles) + of(s.votes)) / busy * p.passes;
  w.path_barriers += p.each(of(s.barriers));
  w.path_grid_barriers += of(s.grid_barriers);
}

}  // namespace

work work_of(const simulator::counts& c) {
  work w;
  if (c.blocks == 0) return w;
  std::vector<bool> shared(c.steps.size()), global(c.steps.size());
  for (const simulator::site_counts& s : c.sites) {
    bool has_shared = shared[s.step], has_global = global[s.step];
    add_site(w, s, path_through(c, c.steps[s.step]), has_shared, has_global);
    shared[s.step] = has_shared, global[s.step] = has_global;
  }
  for (const simulator::step_counts& s : c.steps) add_step(w, c, s, path_through(c, s));
  return w;
}

work operator*(double factor, const work& w) {
  work result;
  for (const auto term : sums) result.*term = factor * w.*term;
  for (const auto term : paths) result.*term = factor * w.*term;
  return result;
}
work operator+(const work& a, const work& b) {
  work result;
  for (const auto term : sums) result.*term = a.*term + b.*term;
  for (const auto term : paths) result.*term = a.*term + b.*term;
  return result;
}
work joined(const work& a, const work& path) {
  work result = path;
  for (const auto term : sums) result.*term = a.*term;
  return result;
}

work continued(std::span<const double> at, std::span<const work> known, double x) {
  work result;
  for (std::size_t i = 0; i < known.size(); ++i) {
    double weight = 1;
    for (std::size_t j = 0; j < known.size(); ++j)
      if (j != i) weight *= (x - at[j]) / (at[i] - at[j]);
    result = result + weight * known[i];
  }
  return result;
}

}  // namespace upsweep::lab::model
