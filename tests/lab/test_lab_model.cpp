// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model: occupancy, what a launch does, each term by hand, and the lecture's figures. Each
// checker is shown a description or a count that is wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/model/lecture_figures.hpp"
#include "lab/model/predict.hpp"
#include "lab_cases.hpp"

namespace lab_cases {
namespace {

namespace model = lab::model;
using model::device_spec;

// Round numbers, so that every term can be computed by hand.
device_spec round_device() {
  device_spec d;
  d.name = "round", d.processors = 10, d.clock_hz = 1e9, d.fp32_lanes = 100, d.schedulers = 4;
  d.threads = 2048, d.blocks = 32, d.block_threads = 1024, d.registers = 65536;
  d.register_unit = 256, d.warp_unit = 4, d.shared_bytes = 100 * 1024;
  d.block_shared_bytes = 99 * 1024, d.shared_unit = 128, d.reserved_shared_bytes = 1024;
  d.banks = 32, d.dram_bytes_per_s = 1e12, d.copy_share = 0.5, d.l2_bytes = 1e6;
  d.l2_bytes_per_s = 2e12, d.add_cycles = 4, d.shuffle_cycles = 20, d.shared_cycles = 30;
  d.barrier_cycles = 10, d.barrier_warp_cycles = 2, d.l1_cycles = 40, d.l2_cycles = 200;
  d.dram_cycles = 600, d.atomic_cycles = 300, d.turn_cycles = 500, d.turn_warp_cycles = 10;
  d.first_launch_s = 5e-6, d.launch_s = 2e-6, d.clear_s = 1e-6, d.gap_s = 1e-6;
  d.hop_s = 1e-6, d.grid_barrier_s = 2e-6;
  return d;
}

model::scan_plan one_launch(const char* kernel, std::uint64_t n, std::uint64_t blocks,
                            const model::work& w) {
  return {kernel, n, 0, {{kernel, {blocks, 1024, 4096, false}, 1}}, {w}, 32};
}

TEST(LabModel, OccupancyHasTheLimitThatIsScarcest) {
  const device_spec d = round_device();
  const auto check = [&](model::block_needs needs, double blocks, const char* limit) {
    const auto o = occupancy_of(d, needs);
    EXPECT_EQ(o.blocks, blocks);
    EXPECT_STREQ(o.limit, limit);
    EXPECT_EQ(o.warps, blocks * std::ceil(needs.threads / 32));
    EXPECT_EQ(o.share, o.warps / 64);
  };
  check({1024, 32, 8192}, 2, "warps");
  check({1024, 33, 0}, 1, "registers");  // 40 a thread after rounding: 48 warps
  check({32, 16, 0}, 32, "blocks");
  check({128, 40, 0}, 12, "registers");             // 65536 / (40 * 32) = 51, by fours: 48 warps
  check({256, 32, 20 * 1024}, 4, "shared memory");  // 21 KB each
  check({256, 32, 19 * 1024}, 5, "shared memory");  // 20 KB each
  check({33, 32, 0}, 32, "warps");                  // two warps
  check({1025, 32, 0}, 0, "threads");
  check({1024, 32, 99 * 1024 + 1}, 0, "shared memory");
}

template <class Algorithm>
lab::simulator::counts counts_of(std::size_t n, bool exclusive = false) {
  const auto x = values<float>(n);
  lab::simulator::device d;
  std::vector<float> y(x.size());
  const auto in = d.input(x);
  const auto out = d.output(y);
  Algorithm::scan(d, in, out, upsweep::plus{}, {exclusive});
  return d.launches()[0];
}

TEST(LabModel, WorkIsWhatWasCounted) {
  const device_spec d = round_device();
  const auto counts = counts_of<lab::hillis_steele>(1024);
  const model::work w = model::work_of(counts, d, 0);
  EXPECT_EQ(w.operations, 9217);
  EXPECT_EQ(w.transactions, 929 + 32);  // the steps, and the first store
  EXPECT_EQ(w.global_bytes, 8192);
  EXPECT_EQ(w.thread_bytes, 4);
  EXPECT_EQ(w.path_barriers, 10);
  // Accesses of warps: 929 and the first store, 32 loads and 32 stores of global memory; an
  // addition by each warp that has active threads; ten barriers of 32 warps.
  EXPECT_EQ(w.events, 929 + 32 + 64 + 289 + 320);
  // Planted: one barrier more is seen, and a tile less loaded.
  lab::simulator::counts more = counts;
  more.steps[1].barriers += 1;
  EXPECT_EQ(model::work_of(more, d, 0).path_barriers, 11);
  more.sites[0].sectors = 0;
  EXPECT_LT(model::work_of(more, d, 0).global_bytes, 8192);
}

TEST(LabModel, ThePathGoesStepByStep) {
  device_spec d = round_device();
  d.schedulers = 1e9;  // no instruction waits for another warp's
  const auto path = [&](std::size_t n) {
    return model::work_of(counts_of<lab::hillis_steele>(n), d, 0).path_cycles;
  };
  // A step: a load of shared memory, an addition, and the instructions of two loads, a store, an
  // addition and a barrier, each of which waits for an addition.
  const double step = 30 + 4 + model::instructions_each * 4 * 5;
  EXPECT_NEAR(path(1024) - path(512), step, 1e-6);
  EXPECT_NEAR(path(1024) - path(256), 2 * step, 1e-6);
  // Before them a load from memory, a store and a barrier; no barrier behind the last of them.
  const double first = 600 + model::instructions_each * 4 * 3;
  EXPECT_NEAR(path(1024), first + 9 * step + 30 + 4, 1e-6);
  d.schedulers = 1e-3;  // all wait for the one that gives them out
  const auto slow = model::work_of(counts_of<lab::hillis_steele>(1024), d, 0);
  EXPECT_NEAR(slow.path_cycles, slow.events * model::instructions_each * 1e3, 1e-3);
}

TEST(LabModel, ConflictsAndCachesAreOnThePath) {
  const device_spec d = round_device();
  const auto blelloch = counts_of<lab::blelloch<>>(2048);
  const auto padded = counts_of<lab::blelloch<lab::padding<32, 2>>>(2048);
  const double with = model::work_of(blelloch, d, 0).path_cycles,
               without = model::work_of(padded, d, 0).path_cycles;
  EXPECT_NEAR(with - without, static_cast<double>(blelloch.transactions() - padded.transactions()),
              1e-9);
  // Of eight loads by one thread one leaves L1: for that one memory and L2 differ.
  const auto serial = counts_of<lab::serial>(1001);
  const double memory = model::work_of(serial, d, 0).path_cycles,
               cache = model::work_of(serial, d, 1).path_cycles;
  EXPECT_NEAR(memory - cache, 1000 * (600 - 200) / 8.0 + 50, 1e-9);
  // naive stores nothing in its loop, which is unrolled by four: a group of loads in two waits.
  device_spec wide = d;
  wide.schedulers = 1e9;
  const auto naive = [&](std::size_t n) {
    return model::work_of(counts_of<lab::naive>(n), wide, 0).path_cycles;
  };
  EXPECT_NEAR(naive(1024) - naive(512), 512 * ((600 + 40) / 8.0 + 4), 1e-6);
}

TEST(LabModel, WorkIsContinuedByPolynomials) {
  const double at[] = {1, 2, 3};
  model::work known[3];
  for (int i = 0; i < 3; ++i) {
    known[i].operations = at[i] * at[i] + 1;
    known[i].path_cycles = 5 * at[i];
  }
  const model::work w = model::continued(at, known, 10);
  EXPECT_DOUBLE_EQ(w.operations, 101);
  EXPECT_DOUBLE_EQ(w.path_cycles, 50);
  const model::work both = joined(w, known[0]);
  EXPECT_DOUBLE_EQ(both.operations, 101);
  EXPECT_DOUBLE_EQ(both.path_cycles, 5);
}

TEST(LabModel, EachTermByHand) {
  const device_spec d = round_device();
  model::work w;
  w.operations = 1e6, w.events = 1e6, w.transactions = 1e6, w.global_bytes = 1e9;
  w.path_cycles = 3000, w.path_barriers = 10;
  // 100 blocks of 1024 threads, two a multiprocessor: 5 waves.
  const auto p = predict(d, one_launch("hillis-steele", 125'000'000, 100, w));
  const model::launch_times& l = p.launches[0];
  EXPECT_DOUBLE_EQ(l.waves, 5);
  EXPECT_DOUBLE_EQ(l.bandwidth, 1e9 / (1e12 * 0.5));
  EXPECT_DOUBLE_EQ(l.alu, 1e6 / (10 * 100 * 1e9));
  EXPECT_DOUBLE_EQ(l.issue, 1e6 * model::instructions_each / (10 * 4 * 1e9));
  EXPECT_DOUBLE_EQ(l.shared, 1e6 / (10 * 1e9));
  EXPECT_DOUBLE_EQ(l.barrier, 5 * 10 * (10 + 2 * 32) / 1e9);
  EXPECT_DOUBLE_EQ(l.latency, (5 * 3000 + 4 * (500 + 10 * 32)) / 1e9);
  EXPECT_EQ(l.carry, 0);
  EXPECT_EQ(l.body(), l.bandwidth);
  EXPECT_DOUBLE_EQ(p.total, 5e-6 + l.body());
  EXPECT_DOUBLE_EQ(p.launch, 5e-6);
  EXPECT_EQ(p.bound, "bandwidth");
  EXPECT_DOUBLE_EQ(p.in_flight_needed, 0.5e12 * 600 / 1e9);
}

TEST(LabModel, TheLargestTermBounds) {
  const device_spec d = round_device();
  const auto bound_of = [&](double model::work::*term, double value, const char* kernel) {
    model::work w;
    w.*term = value;
    return predict(d, one_launch(kernel, 125'000'000, 100, w)).bound;
  };
  EXPECT_EQ(bound_of(&model::work::global_bytes, 1e10, "blelloch"), "bandwidth");
  EXPECT_EQ(bound_of(&model::work::events, 1e9, "blelloch"), "issue");
  EXPECT_EQ(bound_of(&model::work::transactions, 1e9, "blelloch"), "shared");
  EXPECT_EQ(bound_of(&model::work::path_barriers, 1e6, "blelloch"), "barrier");
  EXPECT_EQ(bound_of(&model::work::path_cycles, 1e6, "blelloch"), "latency");
  EXPECT_EQ(bound_of(&model::work::operations, 1, "lookback"), "carry");
  EXPECT_EQ(bound_of(&model::work::grid_barriers, 1e3, "grid-sync"), "grid barrier");
  EXPECT_EQ(predict(d, one_launch("blelloch", 1024, 1, {})).bound, "launch");
}

TEST(LabModel, LongKernelsHideTheHost) {
  const device_spec d = round_device();
  model::work w;
  model::scan_plan plan = one_launch("hierarchical", 1024, 1, w);
  plan.launches.resize(3, plan.launches[0]), plan.works.resize(3, w);
  // Nothing to do: the host's launches, one after the other.
  EXPECT_NEAR(predict(d, plan).total, 5e-6 + 2 * 2e-6, 1e-12);
  for (model::work& each : plan.works) each.path_barriers = 1e6;
  const auto longer = predict(d, plan);
  EXPECT_NEAR(longer.launch, 5e-6 + 2 * 1e-6, 1e-9);  // two gaps
  plan.cleared = 2;
  EXPECT_NEAR(predict(d, plan).total - longer.total, 2e-6, 1e-9);
}

TEST(LabModel, CopiesFallFromTheCacheToTheMemory) {
  device_spec d = round_device();
  EXPECT_DOUBLE_EQ(model::copy_rate(d, 5e5), 2e12);
  EXPECT_DOUBLE_EQ(model::copy_rate(d, 3e6), 5e11);
  double before = 1e99;
  for (double bytes = 1e5; bytes < 1e7; bytes *= 1.1) {
    EXPECT_LE(model::copy_rate(d, bytes), before);
    before = model::copy_rate(d, bytes);
  }
  d.l2_bytes = 0;
  EXPECT_DOUBLE_EQ(model::copy_rate(d, 1e3), 5e11);
}

TEST(LabModel, ThatManyBytesInFlightAreOfTheLevelThatServes) {
  const device_spec d = round_device();
  const auto needed = [&](std::uint64_t n) {
    return predict(d, one_launch("hillis-steele", n, 100, {})).in_flight_needed;
  };
  EXPECT_DOUBLE_EQ(needed(125'000), 2e12 * 200 / 1e9);    // 1 MB: all of L2
  EXPECT_DOUBLE_EQ(needed(250'000), 0.5e12 * 600 / 1e9);  // 2 MB: memory
  const double rate = 1 / (0.5 / 2e12 + 0.5 / 0.5e12);    // 1.5 MB: half of each
  EXPECT_NEAR(needed(187'500), rate * 400 / 1e9, 1e-6);
}

TEST(LabModel, RatesAndLatenciesLeaveTheCacheTogether) {
  const device_spec d = round_device();
  const auto counts = counts_of<lab::hillis_steele>(1024);
  const double near = model::work_of(counts, d, d.l2_share(1e6)).path_cycles;
  EXPECT_NEAR(model::work_of(counts, d, d.l2_share(1.000008e6)).path_cycles, near, 1e-2);
  EXPECT_NEAR(model::work_of(counts, d, d.l2_share(1.5e6)).path_cycles - near, 200, 1e-9);
  EXPECT_NEAR(model::work_of(counts, d, d.l2_share(2e6)).path_cycles - near, 400, 1e-9);
}

TEST(LabModel, AWarpUsesOneSchedulerAndItsThreadsTheirLanes) {
  const device_spec d = round_device();
  model::work w;
  w.operations = 1e6, w.events = 1e6;
  model::scan_plan plan = one_launch("serial", 1'000'000, 1, w);
  plan.launches[0].form.threads = 1;
  const model::launch_times l = predict(d, plan).launches[0];
  EXPECT_DOUBLE_EQ(l.alu, 1e6 / 1e9);  // one of 100 lanes
  EXPECT_DOUBLE_EQ(l.issue, 1e6 * model::instructions_each / 1e9);
  plan.launches[0].form.blocks = 30;  // three a multiprocessor
  EXPECT_DOUBLE_EQ(predict(d, plan).launches[0].issue,
                   1e6 * model::instructions_each / (10 * 3 * 1e9));
}

TEST(LabModel, AFallingPathIsTheSumOfTheLargerOfEachStep) {
  const auto summed = [](double chain, double peak) {
    double all = 0;
    for (int i = 0; i < 10000; ++i) all += std::max(chain, peak * (1 - (i + 0.5) / 10000));
    return all;
  };
  for (const double peak : {0.0, 3.0, 7.0, 8.0, 20.0, 1e4})
    EXPECT_NEAR(model::falling_path(7 * 1e4, peak / 2 * 1e4), summed(7, peak),
                1e-4 * summed(7, peak));
}

TEST(LabModel, WhatLaunchesAddIsNotLostInHours) {
  const device_spec d = round_device();
  model::work w;
  w.path_cycles = 1e30;
  const auto p = predict(d, one_launch("naive", 1'000'000, 1, w));
  EXPECT_NEAR(p.launch, 5e-6, 1e-12);
}

TEST(LabModel, CarriesTakeHops) {
  EXPECT_EQ(model::carry_hops("hierarchical", 1000), 0);
  EXPECT_EQ(model::carry_hops("lookback", 32), 1);  // the first window has tile 0
  EXPECT_EQ(model::carry_hops("lookback", 33), 2);
  EXPECT_EQ(model::carry_hops("lookback", 96), 2);  // 32 + 64
  EXPECT_EQ(model::carry_hops("lookback", 97), 3);
  EXPECT_EQ(model::carry_hops("tree-lookback", 1024), 11);
  EXPECT_EQ(model::carry_hops("tree-lookback", 2), 2);
  EXPECT_EQ(model::carry_hops("tree-lookback", 1), 0);
}

TEST(LabModel, HopsTakeTheWordAndWhatIsDoneWithIt) {
  const device_spec d = round_device();
  EXPECT_NEAR(model::carry_seconds(d, "lookback", 32),
              1e-6 + (31 * model::instructions_each * 4 + 5 * 24) / 1e9, 1e-15);
  EXPECT_NEAR(model::carry_seconds(d, "tree-lookback", 1024), 11 * (1e-6 + 5 * 24 / 1e9), 1e-15);
  EXPECT_EQ(model::carry_seconds(d, "grid-sync", 1024), 0);
}

device_spec lecture_device() {
  device_spec d = round_device();
  d.processors = 108, d.clock_hz = 1.41e9, d.fp32_lanes = 64, d.dram_bytes_per_s = 1.555e12;
  d.shared_bytes = 164 * 1024;
  return d;
}

TEST(LabModel, LectureFiguresFollowButThree) {
  const model::lecture_counts counts{9217, 10, 4094, 22};
  std::vector<std::string> off;
  const auto figures = model::lecture_figures(lecture_device(), counts);
  for (const auto& f : figures)
    if (!f.follows()) off.push_back(f.what);
  EXPECT_EQ(figures.size(), 25u);
  EXPECT_EQ(off, (std::vector<std::string>{"bytes in flight, 4 a thread", "naive, 65536",
                                           "serial on a CPU, 65536"}));
  for (const auto& f : figures) EXPECT_TRUE(f.follows() || *f.erratum != 0) << f.what;
}

TEST(LabModel, LectureFiguresOfAnotherDeviceDoNotFollow) {
  device_spec wrong = lecture_device();
  wrong.dram_bytes_per_s *= 1.02;
  int off = 0;
  for (const auto& f : model::lecture_figures(wrong, {9217, 10, 4094, 22})) off += !f.follows();
  EXPECT_GT(off, 6);
  off = 0;
  for (const auto& f : model::lecture_figures(lecture_device(), {9300, 11, 4094, 22}))
    off += !f.follows();
  EXPECT_GT(off, 5);
}

}  // namespace
}  // namespace lab_cases
