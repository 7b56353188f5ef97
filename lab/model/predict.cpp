// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/predict.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep::lab::model {

namespace {

// Bytes that come from memory or L2, each sector once a pass over the array. naive asks for the
// same words from all threads at about the same time: caches serve all but the first.
double traffic(const scan_plan& plan, const work& w, const device_spec& d) {
  const double arrays = 8.0 * static_cast<double>(plan.n);
  const bool cached = plan.kernel == "naive" || plan.kernel == "serial" || arrays <= d.l2_bytes;
  return cached ? std::min(w.global_bytes, arrays) : w.global_bytes;
}

double path_cycles(const device_spec& d, const work& w, bool in_l2) {
  return w.path_operations * d.add_cycles + w.path_shuffles * d.shuffle_cycles +
         w.path_shared * d.shared_cycles + w.path_near * d.l1_cycles +
         w.path_far * (in_l2 ? d.l2_cycles : d.dram_cycles) + w.path_atomics * d.atomic_cycles +
         w.path_publishes * d.publish_cycles +
         w.path_instructions * instructions_each / d.schedulers;
}

launch_times times_of(const device_spec& d, const scan_plan& plan, const planned_launch& l,
                      const work& w) {
  launch_times t;
  t.kernel = l.kernel;
  t.blocks = static_cast<double>(l.form.blocks), t.threads = l.form.threads;
  t.held = occupancy_of(d, {t.threads, plan.registers, 1.0 * l.form.shared_bytes});
  const double at_once = std::max(1.0, t.held.blocks * d.processors);
  t.waves = t.blocks / at_once;
  t.tail = (std::ceil(t.waves) - t.waves) / std::ceil(t.waves);
  const double arrays = 8.0 * static_cast<double>(plan.n);
  t.dram_bytes = traffic(plan, w, d), t.operations = w.operations;
  t.thread_bytes = w.thread_bytes;
  t.bandwidth = t.dram_bytes / copy_rate(d, arrays);
  const double busy = std::min(t.blocks, d.processors) * d.clock_hz;  // cycles a second
  t.alu = w.operations / (busy * d.fp32_lanes);
  t.issue = w.instructions * instructions_each / (busy * d.schedulers);
  // 16 banks serve half a warp in two cycles.
  t.shared = w.transactions * 32 / d.banks / busy;
  const double warps = std::ceil(t.threads / 32);
  double waves = std::ceil(t.waves);
  // The path is that of the longest block, which is in the last wave; those of naive grow evenly.
  if (plan.kernel == "naive") waves = (waves + 1) / 2;
  t.barrier = waves * (w.path_barriers * d.barrier(warps) / d.clock_hz +
                       w.path_grid_barriers * d.grid_barrier_s);
  t.latency =
      ((waves - 1) * d.turn_cycles + waves * path_cycles(d, w, arrays <= d.l2_bytes)) / d.clock_hz;
  t.carry = waves * carry_hops(plan.kernel, std::min(at_once, t.blocks)) * d.hop_s;
  return t;
}

const char* bound_of(const launch_times& t) {
  if (t.body() == t.bandwidth) return "bandwidth";
  if (t.body() == t.issue) return "issue";
  if (t.body() == t.shared) return "shared";
  return t.carry >= std::max(t.barrier, t.latency) ? "carry"
         : t.barrier >= t.latency                  ? "barrier"
                                                   : "latency";
}

// The host hands one operation after the other to the device; each begins when it is there and the
// one before has ended. Long kernels hide the host, short ones wait for it.
double time_of_queue(const device_spec& d, unsigned cleared,
                     const std::vector<launch_times>& launches) {
  double host = cleared * d.clear_s, device = host;
  for (const launch_times& l : launches) {
    host += d.launch_s;
    device = std::max(host, device + d.gap_s) + l.body();
  }
  return d.first_launch_s - d.launch_s + device;
}

}  // namespace

double launch_times::body() const { return std::max({bandwidth, alu, issue, shared, path()}); }

double prediction::sum(double launch_times::*term) const {
  double all = 0;
  for (const launch_times& l : launches) all += l.*term;
  return all;
}
const launch_times& prediction::largest() const {
  return *std::max_element(
      launches.begin(), launches.end(),
      [](const launch_times& a, const launch_times& b) { return a.body() < b.body(); });
}

double copy_rate(const device_spec& d, double array_bytes) {
  // Of arrays beyond L2 a pass finds the less, the larger they are: nothing at twice its size.
  const double hit = d.l2_bytes == 0 ? 0 : std::clamp(2 - array_bytes / d.l2_bytes, 0.0, 1.0);
  return 1 / (hit / d.l2_bytes_per_s + (1 - hit) / (d.dram_bytes_per_s * d.copy_share));
}

double carry_hops(const std::string& kernel, double blocks_at_once) {
  // A window is 32 tiles, and with each hop those with a prefix reach one window further: after k
  // hops 32 + 64 + ... = 16 k (k + 1) tiles have theirs.
  if (kernel == "lookback") return std::ceil(std::sqrt(blocks_at_once / 16 + 0.25) - 0.5);
  // A tile waits for words of 1, 2, 4, ... tiles, each made of the one before.
  if (kernel == "tree-lookback") return std::ceil(std::log2(std::max(1.0, blocks_at_once)));
  return 0;
}

prediction predict(const device_spec& d, const scan_plan& plan) {
  prediction p;
  p.kernel = plan.kernel, p.n = plan.n;
  if (plan.launches.empty()) return p;
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    p.launches.push_back(times_of(d, plan, plan.launches[i], plan.works[i]));
  p.total = time_of_queue(d, plan.cleared, p.launches);
  p.launch = p.total;
  for (const launch_times& l : p.launches) p.launch -= l.body();
  const launch_times& most = p.largest();
  p.bound = p.launch > most.body() ? "launch" : bound_of(most);
  const double rate = copy_rate(d, 8.0 * static_cast<double>(plan.n));
  p.in_flight_needed = rate * d.dram_cycles / d.clock_hz;
  p.in_flight_possible =
      most.thread_bytes * most.threads * std::min(most.blocks, most.held.blocks * d.processors);
  return p;
}

}  // namespace upsweep::lab::model
