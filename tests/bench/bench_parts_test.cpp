// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of `upsweep bench` that a run of it cannot show: order and length of samples on a clock
// of our own, the refusals, the copies, and that a wrong result is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "cli/bench_check.hpp"
#include "cli/bench_copy.hpp"
#include "cli/bench_engines.hpp"
#include "cli/bench_measure.hpp"
#include "cli/bench_plan.hpp"
#include "cli/bench_results.hpp"
#include "cli/failure.hpp"

namespace cli::bench {
namespace {

// Engines on a clock that only they move: each call takes what it takes.
struct fake_race {
  double now = 0;
  std::string log;  // a letter a timed or untimed run of calls
  std::vector<contender> contenders;

  void add(char name, double seconds_a_call) {
    contenders.push_back({std::string(1, name),
                          [this, name, seconds_a_call](std::size_t calls) {
                            log += name;
                            now += seconds_a_call * static_cast<double>(calls);
                          },
                          [] {}});
  }
  auto measured(const sampling& how) {
    return measure(contenders, how, [this] { return now; });
  }
};

TEST(BenchMeasure, TakesSamplesInTurn) {
  fake_race race;
  race.add('a', 1e-3);
  race.add('b', 2e-3);
  race.add('c', 3e-3);
  const auto samples = race.measured({.repeat = 4});
  for (const auto& s : samples) EXPECT_EQ(s.size(), 4u);
  // Each sample is an untimed call and the timed ones; the calibration stands before them.
  std::string rounds;
  for (int k = 0; k < 4; ++k) rounds += "aabbcc";
  EXPECT_TRUE(race.log.ends_with(rounds)) << race.log;
}

TEST(BenchMeasure, GivesSecondsACallAndLongEnoughSamples) {
  fake_race race;
  race.add('a', 1e-8);
  race.add('b', 1e-2);
  std::size_t most_calls = 0;
  race.contenders[0].run = [&](std::size_t calls) {
    most_calls = std::max(most_calls, calls);
    race.now += 1e-8 * static_cast<double>(calls);
  };
  const auto samples = race.measured({.repeat = 3, .sample_s = 200e-6});
  EXPECT_GE(static_cast<double>(most_calls) * 1e-8, 200e-6);
  for (double s : samples[0]) EXPECT_NEAR(s, 1e-8, 1e-12);
  for (double s : samples[1]) EXPECT_NEAR(s, 1e-2, 1e-9);
}

TEST(BenchMeasure, StopsByTimeButNotBeforeTheLeastNumberOfSamples) {
  fake_race slow;
  slow.add('a', 10.0);
  EXPECT_EQ(slow.measured({.min_time_s = 0.1})[0].size(), static_cast<std::size_t>(least_samples));
  fake_race quick;
  quick.add('a', 1e-3);
  EXPECT_EQ(quick.measured({.min_time_s = 0.0999})[0].size(), 100u);
}

TEST(BenchMeasure, MedianAndSpread) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(relative_spread({1, 2, 3, 4, 100}), 1.0 / 3);  // quartiles 2 and 4, median 3
  EXPECT_EQ(relative_spread({5}), 0);
}

TEST(BenchPlan, Sizes) {
  using list = std::vector<std::size_t>;
  EXPECT_EQ(sizes_of("2^3..2^6"), (list{8, 16, 32, 64}));
  EXPECT_EQ(sizes_of("1000"), (list{1000}));
  EXPECT_EQ(sizes_of("3..13,2^0"), (list{3, 6, 12, 1}));
  EXPECT_EQ(sizes_of("2^62").front(), std::size_t{1} << 62);
  for (const char* wrong : {"", "x", "0", "2^", "^3", "3^2", "2^64", "2^3..", "..2^3", "2^4..2^3",
                            "1,,2", "1,", "-1", "1e6", " 1", "99999999999999999999"})
    EXPECT_THROW(sizes_of(wrong), failure) << wrong;
}

TEST(BenchPlan, Shapes) {
  EXPECT_EQ(shape_of("4096x2^16", 0).columns, 65536u);
  EXPECT_EQ(shape_of("3x5", -1).axis, 1);
  for (const char* wrong : {"", "3", "x", "3x", "0x3", "3x4x5"})
    EXPECT_THROW(shape_of(wrong, 0), failure) << wrong;
  EXPECT_THROW(shape_of("3x5", 2), failure);
}

TEST(BenchPlan, RefusesAsAUsageErrorWhatDoesNotFitInMemory) {
  options o;
  o.sizes = "2^20";
  o.types = {"f64", "u8"};
  EXPECT_NO_THROW(plan_of(o, std::size_t{16} << 20));
  try {
    plan_of(o, (std::size_t{16} << 20) - 1);
    FAIL() << "not refused";
  } catch (const failure& why) {
    EXPECT_EQ(why.status, exit_status::usage);
  }
  o.sizes = "2^62";
  EXPECT_THROW(plan_of(o, std::nullopt), failure);
}

TEST(BenchPlan, NamesAreKnownAndStandOnce) {
  options o;
  o.types = {"f32", "all"};
  EXPECT_EQ(plan_of(o, std::nullopt).types.size(), element_types().size());
  const auto on_cpu = [](const engine& e) { return e.where == place::cpu; };
  EXPECT_EQ(static_cast<long>(plan_of(o, std::nullopt).engines.size()),
            std::count_if(engines.begin(), engines.end(), on_cpu));
  o.ops = {"average"};
  EXPECT_THROW(plan_of(o, std::nullopt), failure);
}

TEST(BenchPlan, ADeviceHasEnginesAndCasesOfItsOwn) {
  options o;
  o.device = "cuda:3";
  o.latency = "graph";
  o.types = {"all"};
  o.ops = {"all"};
  plan p = plan_of(o, std::nullopt);
  EXPECT_EQ(p.engines, (std::vector<std::string>{"memcpy", "copy-kernel", "cub", "upsweep-cuda"}));
  EXPECT_EQ(p.gpu, 3u);
  EXPECT_EQ(p.device, "cuda:3");
  EXPECT_EQ(p.latency, latency::graph);
  EXPECT_EQ(p.samples.sample_s, device_sample_s);
  EXPECT_TRUE(is_measured(p, "f32", "max"));
  EXPECT_TRUE(is_measured(p, "affine", "compose"));
  EXPECT_FALSE(is_measured(p, "affine", "sum"));
  EXPECT_FALSE(is_measured(p, "f64", "max"));
  p.shape = shape_2d{3, 5, 0};
  EXPECT_TRUE(is_measured(p, "f32", "sum"));
  EXPECT_FALSE(is_measured(p, "f32", "max"));
  EXPECT_FALSE(is_measured(p, "f64", "sum"));
}

// The same calls, with times as the contender gives them instead of the clock's.
TEST(BenchMeasure, AClockOfTheContendersOwn) {
  fake_race race;
  race.add('a', 1e-3);
  race.contenders[0].timed_run = [&](std::size_t calls) {
    race.contenders[0].run(calls);
    return 5e-6 * static_cast<double>(calls);
  };
  const auto samples = race.measured({.repeat = 3});
  for (double s : samples[0]) EXPECT_NEAR(s, 5e-6, 1e-12);
}

// What a machine with a GPU would write; the times are made up.
struct device_results {
  plan p;
  device_survey found;
  std::vector<result> results;

  device_results() {
    options o;
    o.device = "cuda:1";
    o.latency = "graph";
    p = plan_of(o, std::nullopt);
    found.devices.resize(2);
    found.devices[1] = {"Test GPU", 9, 0, 132, std::size_t{141} << 30, std::size_t{50} << 20};
    found.driver = "13.1", found.runtime = "13.0";
    const double times[] = {4e-6, 5e-6, 8e-6, 3.2e-6};
    for (std::size_t k = 0; k < 4; ++k)
      results.push_back({p.engines[k],
                         p.device,
                         "sum",
                         "f32",
                         "inclusive",
                         1024,
                         8192,
                         {},
                         {times[k], times[k], times[k]},
                         "graph",
                         false});
  }
};

TEST(BenchResults, JsonOfADeviceNamesItAndItsLatency) {
  const device_results d;
  const std::string text = json_of(d.results, d.p, &d.found);
  for (const char* part :
       {R"("gpu":{"index":1,"name":"Test GPU","compute_capability":"9.0","multiprocessors":132,)",
        R"("driver":"13.1","runtime":"13.0","cub":")",
        R"("engine":"upsweep-cuda","device":"cuda:1")", R"("latency":"graph","cold":false)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(json_of(d.results, d.p).find("gpu"), std::string::npos);
}

TEST(BenchResults, TableOfADeviceHasItsEnginesAndTimes) {
  const device_results d;
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  table(file, d.results[0], d.p.engines).row(d.results);
  std::string text(2000, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_NE(text.find("inclusive sum of f32 on cuda:1, graph: microseconds a call"),
            std::string::npos);
  const std::string row = text.substr(text.rfind('\n', text.size() - 2) + 1);
  std::istringstream words(row);
  const std::vector<std::string> cells(std::istream_iterator<std::string>(words), {});
  EXPECT_EQ(cells, (std::vector<std::string>{"2^10", "4.00", "5.00", "8.00", "3.20", "0%", "125%",
                                             "2.50x"}))
      << text;
}

TEST(BenchCopy, CopiesAnySizeAtAnyPlaceAndNothingElse) {
  std::vector<unsigned char> from(70000);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 255, 256, 4095, 4096, 4097, 12289, 65537})
    for (const std::size_t place : {0, 1, 17, 64})
      for (const unsigned threads : {1u, 2u, 3u, 8u}) {
        std::vector<unsigned char> expected(from.size(), 0xee);
        std::copy_n(from.begin() + 5, bytes, expected.begin() + static_cast<long>(place));
        std::vector<unsigned char> to(from.size(), 0xee), to2 = to, to3 = to;
        memcpy_all(to.data() + place, from.data() + 5, bytes, threads);
        stream_copy(to2.data() + place, from.data() + 5, bytes);
        stream_copy_all(to3.data() + place, from.data() + 5, bytes, threads);
        ASSERT_EQ(to, expected) << bytes << " " << place << " " << threads;
        ASSERT_EQ(to2, expected) << bytes << " " << place;
        ASSERT_EQ(to3, expected) << bytes << " " << place << " " << threads;
      }
}

// Every engine of every type and operator: right as it is, found wrong with one element changed.
class BenchCheck : public testing::TestWithParam<std::string> {};

TEST_P(BenchCheck, FindsAWrongElement) {
  const element_type& type = element_type_of(GetParam());
  std::vector<std::uint64_t> in(600), out(600);
  for (const char* op : operator_names)
    for (const char* kind : kind_names)
      for (int axis = -1; axis < 2; ++axis) {
        if (!is_measured(place::cpu, GetParam(), op)) continue;
        workload w{op, GetParam(), kind, 600, {}, 2, in.data(), out.data()};
        if (axis >= 0) w.shape = shape_2d{20, 30, axis};
        type.fill(w);
        for (const contender& c : type.contenders(w)) {
          c.run(1);
          EXPECT_NO_THROW(c.verify()) << c.engine << " " << op << " " << kind << " " << axis;
          // The highest bits of an element: no tolerance is as wide.
          static_cast<unsigned char*>(w.out)[401 * type.size - 1] ^= 0xc1;
          EXPECT_THROW(c.verify(), failure) << c.engine << " " << op << " " << kind << " " << axis;
        }
      }
}

// What another engine makes of the same input may differ by rounding and by nothing else.
TEST_P(BenchCheck, FindsADifferenceOfTwoResults) {
  const element_type& type = element_type_of(GetParam());
  std::vector<std::uint64_t> in(600), out(600), other(600);
  for (const char* op : operator_names) {
    if (!is_measured(place::cpu, GetParam(), op)) continue;
    workload w{op, GetParam(), "inclusive", 600, {}, 2, in.data(), other.data()};
    type.fill(w);
    const auto run = [&](void* to, std::string_view engine) {
      w.out = to;
      for (const contender& c : type.contenders(w))
        if (c.engine == engine) c.run(1);
    };
    run(other.data(), "upsweep-par");
    run(out.data(), "upsweep-seq");
    run(out.data(), "std");  // where there is one
    EXPECT_EQ(type.first_difference(w, other.data()), std::nullopt) << op;
    static_cast<unsigned char*>(w.out)[401 * type.size - 1] ^= 0xc1;
    EXPECT_EQ(type.first_difference(w, other.data()), 400u) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, BenchCheck,
                         testing::Values("i8", "i32", "i64", "u8", "u32", "u64", "f16", "bf16",
                                         "f32", "f64", "affine"),
                         [](const auto& type) { return type.param; });

TEST(BenchCheck, FindsOtherBits) {
  std::vector<float> in(1000), out(1000);
  workload w{"sum", "f32", "inclusive", 1000, {}, 2, in.data(), out.data()};
  const element_type& type = element_type_of("f32");
  type.fill(w);
  const std::vector<contender> all = type.contenders(w);
  for (const contender& c : all) {
    if (!c.engine.starts_with("upsweep")) continue;
    c.run(1);
    if (c.engine == "upsweep-seq") {
      EXPECT_NO_THROW(c.verify());
      continue;
    }
    out[500] = std::nextafter(out[500], 1e9f);  // well within every tolerance
    EXPECT_NO_THROW((check_against_reference<float, upsweep::plus>(w, "one bit")));
    EXPECT_THROW(c.verify(), failure);
  }
}

}  // namespace
}  // namespace cli::bench
