// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/predict.hpp"

#include <algorithm>
#include <cmath>

namespace upsweep::lab::model {

namespace {

// Bytes that come from memory or L2. Threads of naive ask for the same words at about the same
// time, and serial for one sector eight times: L1 and L2 serve all but the first.
double traffic(const scan_plan& plan, const work& w) {
  const bool cached = plan.kernel == "naive" || plan.kernel == "serial";
  return cached ? std::min(w.global_bytes, 8.0 * static_cast<double>(plan.n)) : w.global_bytes;
}

// From the last store of a block to the first load of the next one in its place.
double turn(const device_spec& d, double warps) {
  return d.turn_cycles + d.turn_warp_cycles * warps;
}

launch_times times_of(const device_spec& d, const scan_plan& plan, const planned_launch& l,
                      const work& w) {
  launch_times t;
  t.kernel = l.kernel;
  t.blocks = static_cast<double>(l.form.blocks), t.threads = l.form.threads;
  t.held = occupancy_of(d, {t.threads, plan.registers, 1.0 * l.form.shared_bytes});
  const double at_once = std::max(1.0, t.held.blocks * d.processors);
  t.waves = t.blocks / at_once;
  t.tail = t.waves > 1 ? std::ceil(t.waves) - t.waves : 0;
  const double arrays = 8.0 * static_cast<double>(plan.n);
  t.dram_bytes = traffic(plan, w), t.operations = w.operations;
  t.thread_bytes = w.thread_bytes;
  t.bandwidth = t.dram_bytes / copy_rate(d, arrays);
  const double busy = std::min(t.blocks, d.processors) * d.clock_hz;  // cycles a second
  // Of what a multiprocessor has, what its threads and warps can use at a time.
  const double warps = std::ceil(t.threads / 32);
  const double beside = std::min(t.held.blocks, std::ceil(t.blocks / d.processors));
  t.alu = w.operations / (busy * std::min(d.fp32_lanes, beside * t.threads));
  t.issue = w.events * instructions_each / (busy * std::min(d.schedulers, beside * warps));
  // 16 banks serve half a warp in two cycles.
  t.shared = w.transactions * 32 / d.banks / busy;
  double waves = std::ceil(t.waves);
  // The path is that of the longest block, which is in the last wave; those of naive grow evenly.
  if (plan.kernel == "naive") waves = (waves + 1) / 2;
  t.barrier = waves * w.path_barriers * d.barrier(warps) / d.clock_hz;
  t.alone = w.grid_barriers * d.grid_barrier_s + w.alone_cycles / d.clock_hz;
  t.latency = ((waves - 1) * turn(d, warps) + waves * w.path_cycles) / d.clock_hz;
  t.carry = waves * carry_seconds(d, plan.kernel, std::min(at_once, t.blocks));
  return t;
}

const char* bound_of(const launch_times& t) {
  const double most = t.together();
  if (t.alone > most) return "grid barrier";
  if (most == t.bandwidth) return "bandwidth";
  if (most == t.issue) return "issue";
  if (most == t.shared) return "shared";
  return t.carry >= std::max(t.barrier, t.latency) ? "carry"
         : t.barrier >= t.latency                  ? "barrier"
                                                   : "latency";
}

// The host hands one operation after the other to the device; each begins when it is there and the
// one before has ended. Long kernels hide the host, short ones wait for it.
// What of that is no kernel's: summed as it is, since of a total of hours it would be lost.
double time_between(const device_spec& d, unsigned cleared,
                    const std::vector<launch_times>& launches) {
  double host = cleared * d.clear_s, device = host, between = host;
  for (const launch_times& l : launches) {
    host += d.launch_s;
    const double waited = std::max(host - device, d.gap_s);
    between += waited, device += waited + l.body();
  }
  return d.first_launch_s - d.launch_s + between;
}

}  // namespace

double launch_times::together() const { return std::max({bandwidth, alu, issue, shared, path()}); }

double prediction::sum(double launch_times::*term) const {
  double all = 0;
  for (const launch_times& l : launches) all += l.*term;
  return all;
}
double prediction::intensity() const {
  const double bytes = sum(&launch_times::dram_bytes);
  return bytes == 0 ? 0 : sum(&launch_times::operations) / bytes;
}
const launch_times& prediction::largest() const {
  return *std::max_element(
      launches.begin(), launches.end(),
      [](const launch_times& a, const launch_times& b) { return a.body() < b.body(); });
}

double copy_rate(const device_spec& d, double array_bytes) {
  const double hit = d.l2_share(array_bytes);
  return 1 / (hit / d.l2_bytes_per_s + (1 - hit) / (d.dram_bytes_per_s * d.copy_share));
}

double carry_hops(const std::string& kernel, double blocks_at_once) {
  if (blocks_at_once <= 1) return 0;
  // A window is 32 tiles, and with each hop those with a prefix reach one window further: after k
  // hops 32 + 64 + ... = 16 k (k + 1) tiles have theirs.
  if (kernel == "lookback") return std::ceil(std::sqrt(blocks_at_once / 16 + 0.25) - 0.5);
  // A tile waits for words of 1, 2, 4, ... tiles, each made of the one before; the last hop is
  // that of tiles behind the longest word.
  if (kernel == "tree-lookback") return std::floor(std::log2(blocks_at_once)) + 1;
  return 0;
}

double carry_seconds(const device_spec& d, const std::string& kernel, double blocks_at_once) {
  const double hops = carry_hops(kernel, blocks_at_once),
               exchange = d.shuffle_cycles + d.add_cycles;
  double each = 0;  // cycles of a hop beside the word's own
  // Of a window: the nearest prefix is looked for bit by bit, and five shuffles add.
  if (kernel == "lookback") each = 31 * instructions_each * d.add_cycles + 5 * exchange;
  // Word k is the fold of k others: half of the hops, on average.
  if (kernel == "tree-lookback") each = (hops - 1) / 2 * exchange;
  return hops * (d.hop_s + each / d.clock_hz);
}

prediction predict(const device_spec& d, const scan_plan& plan) {
  prediction p;
  p.kernel = plan.kernel, p.n = plan.n;
  p.pad = plan.pad, p.needs_capability = plan.needs_capability;
  if (plan.launches.empty()) return p;
  for (std::size_t i = 0; i < plan.launches.size(); ++i)
    p.launches.push_back(times_of(d, plan, plan.launches[i], plan.works[i]));
  p.launch = p.total = time_between(d, plan.cleared, p.launches);
  for (const launch_times& l : p.launches) p.total += l.body();
  const launch_times& most = p.largest();
  p.bound = p.launch > most.body() ? "launch" : bound_of(most);
  // The latency is that of where the rate comes from.
  const double arrays = 8.0 * static_cast<double>(plan.n);
  p.rate = copy_rate(d, arrays), p.l2_share = d.l2_share(arrays);
  p.in_flight_needed =
      p.rate * (p.l2_share * d.l2_cycles + (1 - p.l2_share) * d.dram_cycles) / d.clock_hz;
  p.in_flight_possible =
      most.thread_bytes * most.threads * std::min(most.blocks, most.held.blocks * d.processors);
  return p;
}

}  // namespace upsweep::lab::model
