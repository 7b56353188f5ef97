// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/failure.hpp"
#include "cli/lab_model_gpu.hpp"
#include "cli/lab_session_of.hpp"
#include "cli/model_devices.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

namespace {

using model::work;
using upsweep::lab::global;

// Elements of a tile: by a block of so many threads.
std::uint64_t tile_of(const request& what, unsigned threads) {
  std::uint64_t items = 1;
  const auto take = [&](auto block) { items = decltype(block)::items; };
  if (what.kernel == "hierarchical")
    upsweep::lab::with_block_kernel(what.block.empty() ? "hillis-steele" : what.block, take);
  else if (!upsweep::lab::with_block_kernel(what.kernel, take))
    items = what.kernel == "tree-lookback"                      ? 2
            : what.kernel == "naive" || what.kernel == "serial" ? 1
                                                                : upsweep::lab::quad;
  return items * threads;
}

void plan_launches(const request& what, model::plan_device& d) {
  const global<const float> x{nullptr, what.n, 0};
  const global<float> y{nullptr, what.n, 0};
  const upsweep::lab::options how{what.exclusive, what.threads};
  try {
    with_algorithm(
        what, [&](auto algorithm) { decltype(algorithm)::scan(d, x, y, upsweep::plus{}, how); });
  } catch (const upsweep::argument_error& error) {
    throw refusal_of(error, what);
  }
}

// Throws failure if no multiprocessor of the device holds a block of the launch.
void check_fits(const model::planned_launch& l, const model::device_spec& spec, double registers) {
  const auto held =
      model::occupancy_of(spec, {1.0 * l.form.threads, registers, 1.0 * l.form.shared_bytes});
  if (l.form.threads > spec.block_threads)
    throw usage_failure(fmt::format(
        "lab: {} holds no block of {}: {} threads are more than the {:.0f} that a block may have "
        "there; --block takes fewer",
        printable(spec.name), l.kernel, l.form.threads, spec.block_threads));
  if (held.blocks < 1)
    throw usage_failure(fmt::format(
        "lab: {} holds no block of {}: {} threads, {:g} registers each, {} bytes of shared memory "
        "are more than its {}; --block takes fewer threads",
        printable(spec.name), l.kernel, l.form.threads, registers, l.form.shared_bytes,
        held.limit));
}

bool fit(const model::plan_device& d, const model::device_spec& spec, double registers) {
  return std::all_of(d.launches.begin(), d.launches.end(), [&](const model::planned_launch& l) {
    return occupancy_of(spec, {1.0 * l.form.threads, registers, 1.0 * l.form.shared_bytes})
               .blocks >= 1;
  });
}

// The launches; of blocks of fewer threads than the kernel likes, where none was asked for and no
// multiprocessor holds one of those.
model::plan_device planned(request& what, const model::device_spec& spec, double registers) {
  model::plan_device d(spec, registers);
  plan_launches(what, d);
  if (what.threads != 0 || what.kernel == "serial" || fit(d, spec, registers)) return d;
  what.threads = largest_block(spec, registers);
  d = model::plan_device(spec, registers);
  plan_launches(what, d);
  return d;
}

// What a kernel's operations came with, by the CUDA C++ Programming Guide: shuffles; barriers of
// the grid, and words that blocks publish to each other, which are cuda::atomic_ref.
double capability_of(const request& what) {
  const std::string& kernel = what.block.empty() ? what.kernel : what.block;
  if (kernel == "grid-sync" || kernel == "lookback" || kernel == "tree-lookback") return 6.0;
  return kernel == "warp-shuffle" || kernel == "vectorized" ? 3.0 : 0;
}

// What the launches of a scan of n elements do, in the simulator.
struct small_run {
  request what;
  const model::device_spec& spec;
  unsigned threads;
  double l2_share;
};
std::vector<work> simulated(const small_run& small, std::uint64_t n, std::uint64_t blocks) {
  request what = small.what;
  what.n = n;
  if (what.kernel != "serial") what.threads = small.threads;  // which has one, and takes no other
  what.model.cooperative = static_cast<unsigned>(blocks);
  std::vector<work> works;
  for (const simulator::counts& c : run(what).launches)
    works.push_back(model::work_of(c, small.spec, small.l2_share));
  return works;
}

// Kernels whose blocks take a tile each. Launches with the same name do the same.
void continue_tiles(const small_run& small, model::scan_plan& plan) {
  const std::uint64_t tile = tile_of(small.what, small.threads);
  const std::vector<work> two = simulated(small, 2 * tile, 2),
                          three = simulated(small, 3 * tile, 3);
  const double at_first[] = {2, 3}, at_last[] = {1, 2};
  for (const model::planned_launch& l : plan.launches) {
    const bool first = l.kernel == plan.launches[0].kernel;
    const work known[] = {first ? two[0] : two.back(), first ? three[0] : three.back()};
    const auto blocks = static_cast<double>(l.form.blocks);
    plan.works.push_back(
        joined(model::continued(first ? at_first : at_last, known, blocks), known[1]));
  }
}

// grid-sync, p tiles a block. A block more and a pass more are differences of simulations; between
// the barriers one block scans the sums of all while they wait.
void continue_passes(const small_run& small, model::scan_plan& plan) {
  const std::uint64_t tile = tile_of(small.what, small.threads);
  const model::planned_launch& l = plan.launches[0];
  const auto blocks = static_cast<double>(l.form.blocks);
  const work first = simulated(small, 4 * tile, 2)[0], wider = simulated(small, 6 * tile, 3)[0],
             longer = simulated(small, 6 * tile, 2)[0];
  const work block = wider + -1.0 * first, pass = longer + -1.0 * first;
  if (l.passes > 1) {
    const work sums = first + (blocks - 2) * block + (l.passes - 2) * (blocks / 2) * pass;
    plan.works.push_back(joined(sums, first + (l.passes - 2) * pass));
  } else {
    continue_tiles(small, plan);
  }
  // A pass is a tile summed and scanned: two of them.
  plan.works[0].alone_cycles = std::ceil(blocks / static_cast<double>(tile)) * pass.path_cycles / 2;
}

// serial and naive: by elements, in units that the blocks of naive are full with. The path is
// linear in them, that of naive as far as it is latencies or instructions alone: which of the two a
// step waits for is found behind, at the size that is asked for.
void continue_elements(const small_run& small, model::scan_plan& plan) {
  const std::uint64_t unit = std::max(64u, small.threads);
  std::vector<work> known;
  const double at[] = {1, 2, 3};
  for (const std::uint64_t units : {1, 2, 3}) known.push_back(simulated(small, units * unit, 0)[0]);
  const double x = static_cast<double>(plan.n) / static_cast<double>(unit);
  const std::span<const double> points(at);
  const std::span<const work> works(known);
  work path = model::continued(points.last(2), works.last(2), x);
  if (plan.kernel == "naive")
    path.path_cycles = model::falling_path(path.path_chain, path.path_issue);
  plan.works.push_back(joined(model::continued(points, works, x), path));
}

}  // namespace

std::uint64_t reach_of(const std::string& kernel, unsigned threads) {
  std::uint64_t reach = 0;
  upsweep::lab::with_block_kernel(
      kernel, [&](auto block) { reach = std::uint64_t{threads} * decltype(block)::items; });
  return reach;
}

unsigned largest_block(const model::device_spec& spec, double registers) {
  unsigned threads = 1024;
  while (threads > 32 && model::occupancy_of(spec, {1.0 * threads, registers, 0}).blocks < 1)
    threads /= 2;
  return threads;
}

model::scan_plan plan_of(const request& asked, const model::device_spec& spec, double registers) {
  request what = asked;
  what.model.banks = static_cast<unsigned>(spec.banks);
  check_names(what);
  if (what.op == "concat" || what.op == "matrix")
    throw usage_failure("lab: the model is one of floats: --op sum, prod, max or min");
  if (what.n == 0) throw usage_failure("lab: there is nothing to predict: --n is 0");
  const model::plan_device d = planned(what, spec, registers);
  for (const model::planned_launch& l : d.launches) check_fits(l, spec, registers);
  model::scan_plan plan{what.kernel, what.n,    d.cleared, d.launches,
                        {},          registers, what.pad,  capability_of(what)};
  const model::planned_launch& first = plan.launches.at(0);
  const std::uint64_t tile = tile_of(what, first.form.threads);
  const bool by_elements = what.kernel == "serial" || what.kernel == "naive";
  const small_run small{what, spec, first.form.threads,
                        spec.l2_share(8.0 * static_cast<double>(what.n))};
  if (by_elements ? what.n <= 192 : what.n <= 3 * tile)
    plan.works = simulated(small, what.n, first.form.blocks);
  else if (by_elements)
    continue_elements(small, plan);
  else if (what.kernel == "grid-sync")
    continue_passes(small, plan);
  else
    continue_tiles(small, plan);
  return plan;
}

beside predicted_here(const request& what, const std::string& devices_file) {
  beside b{completed(describe_gpu(), known_devices(devices_file)), {}};
  b.predicted = model::predict(b.device, plan_of(what, b.device, registers_of(what)));
  return b;
}

}  // namespace cli::lab
