// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What upsweep lab model continues from small simulations against simulations of all of it, and
// what a description of a device refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/failure.hpp"
#include "cli/lab_measured.hpp"
#include "cli/lab_model_text.hpp"
#include "cli/lab_plan.hpp"
#include "cli/model_devices.hpp"

namespace {

namespace lab = cli::lab;
namespace model = cli::lab::model;
using lab::device_spec;
using model::work;

device_spec small_device() {
  device_spec d = lab::device_named(lab::known_devices(""), "h200");
  d.processors = 2;  // so that grid-sync takes several tiles a block
  return d;
}

lab::request asked(const std::string& kernel, std::uint64_t n, unsigned threads) {
  lab::request what;
  what.kernel = kernel, what.n = n, what.threads = threads;
  return what;
}

// The sums of all launches, simulated as they are.
work simulated(lab::request what, const model::scan_plan& plan, const device_spec& d) {
  what.model.cooperative = static_cast<unsigned>(plan.launches[0].form.blocks);
  work all;
  for (const auto& counts : lab::run(what).launches) all = all + model::work_of(counts, d, 1);
  return all;
}

double worst(const work& a, const work& b) {
  double most = 0;
  for (const auto term :
       {&work::operations, &work::events, &work::transactions, &work::global_bytes})
    if (b.*term != 0) most = std::max(most, std::abs(a.*term / (b.*term) - 1));
  return most;
}

void compare(const lab::request& what, double tolerance) {
  SCOPED_TRACE(what.kernel + what.block + ", n = " + std::to_string(what.n));
  const device_spec d = small_device();
  const model::scan_plan plan = lab::plan_of(what, d, 32);
  work continued;
  for (const work& w : plan.works) continued = continued + w;
  const work all = simulated(what, plan, d);
  EXPECT_LT(worst(continued, all), tolerance);
  // The launches are those of the simulation, too.
  EXPECT_EQ(plan.launches.size(), lab::run(what).launches.size());
}

TEST(LabPlan, ContinuesWhatASimulationCounts) {
  compare(asked("hierarchical", 20000, 64), 0.01);
  compare(asked("hierarchical", 20001, 64), 0.01);
  compare(asked("grid-sync", 65536, 64), 0.03);  // block 0 also scans the sums of the others
  // How far a tile looks back grows with their number, which small ones do not show.
  compare(asked("tree-lookback", 32768, 256), 0.03);
  compare(asked("lookback", 65536, 256), 0.03);
  compare(asked("serial", 2000, 0), 0.01);
  compare(asked("naive", 2048, 64), 0.01);
  lab::request what = asked("hierarchical", 20000, 64);
  what.block = "blelloch";
  compare(what, 0.02);
}

TEST(LabPlan, AnotherKernelIsNotTheSame) {
  const device_spec d = small_device();
  const auto sums = [&](const char* kernel, std::uint64_t n) {
    return model::work(lab::plan_of(asked(kernel, n, 64), d, 32).works[0]);
  };
  EXPECT_GT(worst(sums("lookback", 65536), sums("tree-lookback", 65536)), 0.1);
  EXPECT_GT(worst(sums("lookback", 65536), sums("lookback", 66600)), 0.01);
}

TEST(LabPlan, TimesGrowWithN) {
  const device_spec d = lab::device_named(lab::known_devices(""), "h200");
  for (const char* kernel : {"hierarchical", "grid-sync", "lookback", "tree-lookback", "serial"}) {
    double before = 0;
    for (unsigned log = 8; log <= 30; log += 2) {
      const auto p =
          model::predict(d, lab::plan_of(asked(kernel, std::uint64_t{1} << log, 0), d, 32));
      EXPECT_GE(p.total, 0.98 * before) << kernel << ", 2^" << log;
      before = p.total;
    }
  }
}

double path_of(const work& w) { return w.path_cycles; }

// Of few elements all is simulated: what is continued from less has to meet it, wherever steps wait
// for latencies, for instructions, or for these first and those behind.
TEST(LabPlan, ThePathOfNaiveIsContinuedToo) {
  device_spec d = small_device();
  for (const double schedulers : {0.05, 0.2, 0.4, 0.6, 4.0}) {
    d.schedulers = schedulers;
    lab::request what = asked("naive", 4096, 64);
    const double continued = path_of(lab::plan_of(what, d, 32).works[0]);
    const double all = path_of(model::work_of(lab::run(what).launches[0], d, 1));
    EXPECT_NEAR(continued / all, 1, 0.03) << schedulers;
  }
}

TEST(LabPlan, NaiveTakesNoLongerWithMoreSchedulers) {
  device_spec d = lab::device_named(lab::known_devices(""), "a100");
  double before = 1e99;
  for (const double schedulers : {0.1, 0.2, 0.3, 0.5, 1.0, 4.0}) {
    d.schedulers = schedulers;
    const double latency =
        model::predict(d, lab::plan_of(asked("naive", 1 << 22, 0), d, 32)).launches[0].latency;
    EXPECT_GT(latency, 0);
    EXPECT_LE(latency, before) << schedulers;
    before = latency;
  }
}

TEST(LabPlan, TheLatencyOfNaiveGrowsWithTheSquare) {
  const device_spec d = lab::device_named(lab::known_devices(""), "8800gtx");
  const auto latency = [&](unsigned log) {
    const auto plan = lab::plan_of(asked("naive", std::uint64_t{1} << log, 0), d, 16);
    return model::predict(d, plan).launches[0].latency / std::ldexp(1.0, 2 * static_cast<int>(log));
  };
  EXPECT_NEAR(latency(18) / latency(22), 1, 0.04);
  EXPECT_NEAR(latency(22) / latency(26), 1, 0.01);
}

TEST(LabPlan, ALaunchThatNoBlockFitsIsRefused) {
  const device_spec d = lab::device_named(lab::known_devices(""), "8800gtx");
  for (const unsigned threads : {768u, 1024u})
    EXPECT_THROW(lab::plan_of(asked("grid-sync", 1 << 20, threads), d, 16), cli::failure);
  lab::request what = asked("grid-sync", 4096, 256);
  what.model.cooperative = 0;  // as a GPU says that holds none
  EXPECT_THROW(lab::run(what), cli::failure);
}

// What the counts of a run show that it needs.
TEST(LabPlan, CapabilitiesAreThoseOfWhatKernelsDo) {
  const device_spec d = small_device();
  for (const std::string& kernel : lab::kernel_names()) {
    double needed = 0;
    const std::uint64_t n = lab::reach_of(kernel, 1024) != 0 ? 1024 : 4096;
    for (const auto& c : lab::run(asked(kernel, n, 0)).launches) {
      for (const auto& s : c.steps) {
        if (s.shuffles + s.votes > 0) needed = std::max(needed, 3.0);
        if (s.grid_barriers > 0) needed = 6.0;
      }
      for (const auto& s : c.sites)
        if (s.kind == lab::simulator::access::observe) needed = 6.0;
    }
    EXPECT_EQ(lab::plan_of(asked(kernel, n, 0), d, 32).needs_capability, needed) << kernel;
  }
}

std::string refusal(const std::string& text) {
  try {
    lab::read_devices(text, "mine.json");
  } catch (const cli::failure& error) {
    EXPECT_EQ(error.status, cli::exit_status::run_time_failure);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "accepted";
}

TEST(LabDevices, RefuseWhatIsNoDescription) {
  const auto has = [](const std::string& text, const std::string& words) {
    EXPECT_NE(refusal(text).find("mine.json"), std::string::npos) << text;
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  };
  has("", "is no JSON, at byte 1");
  has("{\"devices\": [", "is no JSON");
  has("[1]", "has no list devices");
  has("{\"devices\": {}}", "has no list devices");
  has("{\"devices\": [1]}", "devices[0] is no object");
  has("{\"devices\": [{}]}", "devices[0] has no name");
  has("{\"devices\": [{\"name\": \"this\"}]}", "devices[0] has no name");
  has("{\"devices\": [{\"name\": \"x\"}]}", "'x' has no processors: give it: multiprocessors");
  has("{\"devices\": [{\"name\": \"x\", \"clock\": 1}]}", "clock is no field");
  has("{\"devices\": [{\"name\": \"x\", \"sources\": 1}]}", "sources is no list of texts");
  has("{\"devices\": [{\"name\": \"x\", \"assumed\": [\"y\"]}]}", "assumed names y");
  has("{\"devices\": [{\"name\": \"x\", \"processors\": \"many\"}]}", "processors is no number");
  has("{\"devices\": [{\"name\": \"x\", \"processors\": 0}]}", "it can be 1 to 100000");
}

TEST(LabDevices, MeasurementsBecomeFields) {
  device_spec d = small_device();
  d.assumed = {"l1_cycles", "barrier_cycles", "turn_cycles", "hop_s"};
  d.dram_bytes_per_s = 1e12;
  const auto with = lab::with_measured(d, {{"l1_cycles", 33},
                                           {"barrier_cycles@1", 12},
                                           {"barrier_cycles@32", 74},
                                           {"copy4x256_bytes_per_s@28", 2e10},
                                           {"copy4_bytes_per_s@28", 1e10},
                                           {"gap_s", 1e-6},
                                           {"copy16_bytes_per_s@20", 4e12},
                                           {"copy16_bytes_per_s@28", 9e11}});
  EXPECT_EQ(with.l1_cycles, 33);
  EXPECT_NEAR(with.barrier_cycles, 10, 1e-9);
  EXPECT_NEAR(with.barrier_warp_cycles, 2, 1e-9);
  EXPECT_NEAR(with.copy_share, 0.9, 1e-9);
  const double life = 8 * d.clock_hz * 2 * 2048 / 2e10;  // of a block of 8 warps; of 32 twice that
  EXPECT_NEAR(with.turn_warp_cycles, life / 24, 1e-6);
  EXPECT_NEAR(with.turn_cycles, life - 8 * life / 24 - d.dram_cycles, 1e-6);
  const double bytes = 8.0 * (1 << 20);
  EXPECT_NEAR(with.l2_bytes_per_s, bytes / (bytes / 4e12 - 1e-6), 1);
  EXPECT_EQ(with.shuffle_cycles, d.shuffle_cycles);
  EXPECT_EQ(with.assumed, std::vector<std::string>{"hop_s"});
}

TEST(LabDevices, WhatIsWrittenIsReadAgain) {
  const device_spec d = lab::with_measured(small_device(), {{"hop_s", 7e-7}});
  const nlohmann::ordered_json all = {{"devices", {lab::json_of(d)}}, {"measurements", {}}};
  const auto again = lab::read_devices(all.dump(), "x");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].name, "measured");
  for (const model::spec_field& f : model::spec_fields()) EXPECT_EQ(again[0].*f.at, d.*f.at);
  EXPECT_EQ(again[0].hop_s, 7e-7);
}

TEST(LabDevices, ThisIsCompletedFromItsLike) {
  const auto all = lab::known_devices("");
  device_spec described;
  described.name = "this", described.about = "NVIDIA H200", described.processors = 132;
  const device_spec d = lab::completed(described, all);
  EXPECT_EQ(d.hop_s, lab::device_named(all, "h200").hop_s);
  EXPECT_TRUE(d.assumed.empty());
  described.about = "Something", described.threads = 1536, described.blocks = 24;
  const device_spec other = lab::completed(described, all);
  EXPECT_EQ(other.l2_bytes, lab::device_named(all, "rtx4090").l2_bytes);
  EXPECT_FALSE(other.assumed.empty());
}

}  // namespace
