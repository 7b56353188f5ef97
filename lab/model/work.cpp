// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/work.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace upsweep::lab::model {

namespace {

using simulator::access;

constexpr double work::*sums[] = {&work::operations, &work::events, &work::transactions,
                                  &work::global_bytes};
constexpr double work::*paths[] = {&work::thread_bytes, &work::path_cycles, &work::path_barriers,
                                   &work::path_chain,   &work::path_issue,  &work::grid_barriers,
                                   &work::alone_cycles};
static_assert((std::size(sums) + std::size(paths)) * sizeof(double) == sizeof(work));

double of(std::uint64_t count) { return static_cast<double>(count); }

// How often a block comes by a step: once where only some blocks do.
double passes_of(const simulator::counts& c, const simulator::step_counts& s) {
  // What comes before the first call of step has no threads of its own: everybody is there.
  if (s.threads == 0) return 1;
  return std::max(1.0, static_cast<double>(s.threads) /
                           (static_cast<double>(c.threads) * static_cast<double>(c.blocks)));
}

// What is done in a step: by one warp that comes by once, and by all of the launch.
struct step_work {
  bool shared = false, near = false, far = false, observed = false;  // loads
  double loading = 0, storing = 0;                                   // threads, global memory
  double places = 0, atomics = 0;                                    // accesses
  double rounds = 1;                 // of loads of global memory, one after the other in a loop
  double events = 0, conflicts = 0;  // of all warps
};

// A word that all lanes of all warps of a block read comes once; the other warps find it in L1.
double sectors_of(const simulator::site_counts& s, double block_visits) {
  const bool common = s.sectors == s.warps && s.bytes > 32 * s.sectors;
  return common ? std::min(of(s.sectors), block_visits) : of(s.sectors);
}

void add_site(work& w, step_work& step, const simulator::site_counts& s, double block_visits,
              double block_warps) {
  step.places += 1, step.events += of(s.warps);
  if (is_shared(s.kind)) {
    w.transactions += of(s.transactions);
    step.conflicts += of(s.transactions) - of(s.warps);
    step.shared = step.shared || s.kind == access::shared_load;
    return;
  }
  w.global_bytes += 32 * sectors_of(s, block_visits);
  if (s.kind == access::global_load) {
    w.thread_bytes = std::max(w.thread_bytes, of(s.bytes / s.threads));
    (s.sectors == s.warps ? step.near : step.far) = true;
    step.rounds = std::max(step.rounds, of(s.warps) / (block_visits * block_warps));
  }
  if (s.kind == access::global_load) step.loading += of(s.threads);
  if (s.kind == access::global_store) step.storing += of(s.threads);
  step.atomics += s.kind == access::add;
  step.observed = step.observed || s.kind == access::observe;
}

// Cycles until the step's loads are there. Neighbouring elements that a warp reads one at a time
// share a sector: of eight such loads one leaves L1. A loop that stores nothing is unrolled by
// four, as nvcc does: of two groups of four loads one waits for what is away. Values behind
// observed words count as hops.
double load_cycles(const step_work& step, const device_spec& d, double l2_share) {
  const double away = l2_share * d.l2_cycles + (1 - l2_share) * d.dram_cycles;
  const double global = step.observed                      ? 0
                        : step.far                         ? away
                        : !step.near                       ? 0
                        : 2 * step.storing >= step.loading ? (7 * d.l1_cycles + away) / 8
                                                           : (d.l1_cycles + away) / 2 / 4;
  return step.rounds * global + (step.shared ? d.shared_cycles : 0) +
         step.atomics * d.atomic_cycles;
}

// Warps that are active in a step. Where no barrier ends it, the simulator counts one again for
// each thread that comes when those before have gone on; active threads are neighbours there.
double warps_of_step(const simulator::step_counts& s) {
  const double entered = std::max(1.0, std::ceil(of(s.threads) / 32)), counted = of(s.active_warps);
  return counted <= entered ? std::max(1.0, counted) : std::ceil(of(s.active_threads) / 32);
}

void add_step(work& w, const step_work& step, const simulator::counts& c,
              const simulator::step_counts& s, const device_spec& d, double l2_share) {
  const double blocks = of(c.blocks), passes = passes_of(c, s);
  const double warps = warps_of_step(s);
  // Of a warp that comes by: applications of the operator, shuffles and votes.
  const double applied =
      s.operations == 0 ? 0 : std::max(1.0, of(s.operations) / std::max(1.0, of(s.active_threads)));
  const double exchanged = of(s.shuffles + s.votes) / warps;
  const double barriers = of(s.barriers) / blocks;
  const double events = step.events + applied * warps + of(s.shuffles + s.votes) +
                        of(s.barriers) * std::ceil(c.threads / 32.0);
  double chain = passes * (load_cycles(step, d, l2_share) + applied * d.add_cycles +
                           exchanged * d.shuffle_cycles);
  if (barriers > 0)
    chain += instructions_each * d.add_cycles * (passes * (step.places + applied) + barriers);
  const double issue = events / blocks * instructions_each / d.schedulers;
  w.operations += of(s.operations), w.events += events;
  w.path_cycles += std::max(chain, issue) + step.conflicts / blocks * 32 / d.banks;
  w.path_chain += chain, w.path_issue += issue;
  w.path_barriers += barriers;
  w.grid_barriers += of(s.grid_barriers);
}

}  // namespace

work work_of(const simulator::counts& c, const device_spec& d, double l2_share) {
  work w;
  if (c.blocks == 0) return w;
  std::vector<step_work> steps(c.steps.size());
  for (const simulator::site_counts& s : c.sites)
    add_site(w, steps[s.step], s, passes_of(c, c.steps[s.step]) * of(c.blocks),
             std::ceil(c.threads / 32.0));
  for (std::size_t i = 0; i < steps.size(); ++i) add_step(w, steps[i], c, c.steps[i], d, l2_share);
  return w;
}

double falling_path(double chain, double issue) {
  // The larger of the two in each step: issue falls from 2 issue to 0 over the steps, and meets
  // chain where it does at all.
  return 2 * issue <= chain ? chain
                            : chain + (2 * issue - chain) * (2 * issue - chain) / (4 * issue);
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
