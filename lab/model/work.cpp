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

// How often a block comes by a step: once where only some blocks do.
double passes_of(const simulator::counts& c, const simulator::step_counts& s) {
  // What comes before the first call of step has no threads of its own: everybody is there.
  if (s.threads == 0) return 1;
  return std::max(1.0, static_cast<double>(s.threads) /
                           (static_cast<double>(c.threads) * static_cast<double>(c.blocks)));
}

// Which loads a step waits for. Neighbouring elements that a warp reads one at a time share a
// sector: of eight such loads one leaves L1.
struct loads {
  bool shared = false, near = false, far = false, observed = false;
};

// A word that all lanes of all warps of a block read comes once; the other warps find it in L1.
double sectors_of(const simulator::site_counts& s, double block_visits) {
  const auto sectors = static_cast<double>(s.sectors);
  const bool shared_word = s.sectors == s.warps && s.bytes > 32 * s.sectors;
  return shared_word ? std::min(sectors, block_visits) : sectors;
}

void add_site(work& w, const simulator::site_counts& s, double passes, double blocks, loads& l) {
  const auto warps = static_cast<double>(s.warps);
  w.instructions += warps, w.path_instructions += warps / blocks;
  w.transactions += static_cast<double>(s.transactions);
  if (!is_shared(s.kind)) w.global_bytes += 32 * sectors_of(s, passes * blocks);
  switch (s.kind) {
    case access::shared_load:
      l.shared = true;
      break;
    case access::global_load:
      w.thread_bytes = std::max(w.thread_bytes, static_cast<double>(s.bytes / s.threads));
      (s.sectors == s.warps ? l.near : l.far) = true;
      break;
    case access::add:
      w.atomics += warps, w.path_atomics += passes;
      break;
    case access::publish:
      w.path_publishes += passes;
      break;
    case access::observe:
      l.observed = true;
      break;
    default:
      break;  // nobody waits for a store
  }
}

// A step waits once for its loads of each kind. What is observed, and the values that are read
// then, are counted as hops.
void add_loads(work& w, const loads& l, double passes) {
  if (l.shared) w.path_shared += passes;
  if (l.observed) return;
  const double far = l.far ? passes : l.near ? passes / 8 : 0;
  w.path_far += far;
  if (!l.far && l.near) w.path_near += passes - far;
}

// Exchanges and operations of one step.
void add_step(work& w, const simulator::counts& c, const simulator::step_counts& s, double passes) {
  const auto of = [](std::uint64_t count) { return static_cast<double>(count); };
  const double warps = std::ceil(c.threads / 32.0), blocks = of(c.blocks);
  // Applications by a thread; those of a warp are as many instructions.
  const double each =
      s.operations == 0 ? 0 : std::max(1.0, of(s.operations) / std::max(1.0, of(s.active_threads)));
  // A warp counts as active each time that one of its threads comes while none is there.
  const double there =
      std::clamp(of(s.active_warps), 1.0, std::max(1.0, std::ceil(of(s.threads) / 32)));
  const double issued = (s.operations == 0 ? 0 : each * there) + of(s.shuffles) + of(s.votes) +
                        of(s.barriers) * warps;
  w.operations += of(s.operations);
  w.instructions += issued, w.path_instructions += issued / blocks;
  w.path_operations += each * passes;
  // The exchanges of one warp: all warps that are there run at the same time.
  w.path_shuffles += (of(s.shuffles) + of(s.votes)) / there * passes;
  w.path_barriers += of(s.barriers) / blocks;
  w.path_grid_barriers += of(s.grid_barriers);
}

}  // namespace

work work_of(const simulator::counts& c) {
  work w;
  if (c.blocks == 0) return w;
  std::vector<loads> of_step(c.steps.size());
  const auto blocks = static_cast<double>(c.blocks);
  for (const simulator::site_counts& s : c.sites)
    add_site(w, s, passes_of(c, c.steps[s.step]), blocks, of_step[s.step]);
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const double passes = passes_of(c, c.steps[i]);
    add_loads(w, of_step[i], passes);
    add_step(w, c, c.steps[i], passes);
  }
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
