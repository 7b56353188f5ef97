// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses of threads are one request of their warp: lanes that a branch or a loop has
// divided meet again behind it, in whatever order the simulator has run them.
#include <chrono>

#include "lab_cases.hpp"

namespace lab_cases {
namespace {

using lab::operator""_at;

template <class Body>
struct kernel_of {
  lab::global<const int> x;
  lab::global<int> y, z;
  Body body;
  template <class M>
  void operator()(M& m) const {
    body(m, x, y, z);
  }
};

// The counts of a launch of body(m, x, y, z) on arrays of n ints, in the order of a seed.
template <class Body>
sim::counts run(std::size_t n, unsigned threads, const Body& body, std::uint64_t seed = 0) {
  sim::model model;
  model.seed = seed;
  sim::device d(model);
  std::vector<int> x(n, 1), y(n);
  const auto in = d.input(x);
  const auto out = d.output(y);
  d.launch("planted", {1, threads, 1024, false},
           kernel_of<Body>{in, out, d.array<int>("z", n), body});
  EXPECT_TRUE(d.ended_well());
  return d.launches().back();
}

sim::site_counts at(const sim::counts& c, const std::string& place) {
  sim::site_counts sum;
  for (const sim::site_counts& s : c.sites)
    if (place == sim::site_name(s.site)) {
      sum.warps += s.warps, sum.threads += s.threads, sum.sectors += s.sectors;
      sum.step = std::max(sum.step, s.step);
    }
  return sum;
}

std::uint64_t sectors(const sim::counts& c) {
  std::uint64_t sum = 0;
  for (const sim::site_counts& s : c.sites) sum += s.sectors;
  return sum;
}

TEST(LabRequests, LanesThatLeaveALoopAtDifferentTimesStoreTogether) {
  const auto body = [](auto& m, auto x, auto y, auto) {
    int sum = 0;
    for (unsigned j = 0; j <= m.thread(); ++j) {
      m.step("round"_at, j + 1, true);
      sum += m.load(x, j, "x[j]"_at);
    }
    m.store(y, m.thread(), sum, "y[t]"_at);
  };
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const sim::counts c = run(64, 64, body, seed);
    EXPECT_EQ(at(c, "y[t]").warps, 2u) << seed;
    EXPECT_EQ(at(c, "y[t]").sectors, 8u) << seed;
    EXPECT_EQ(at(c, "x[j]").warps, 32u + 64) << seed;  // rounds of each warp's last lane
    EXPECT_EQ(at(c, "x[j]").sectors, 32u + 64) << seed;
    EXPECT_EQ(c.steps[at(c, "y[t]").step].stride, 64u) << seed;  // all have come
  }
}

TEST(LabRequests, NaiveStoresByWarps) {
  for (const std::size_t n : {1, 31, 32, 33, 300, 1000}) {
    std::uint64_t loads = 0, stores = 0;
    for (std::size_t first = 0; first < n; first += 32) {
      const std::size_t end = std::min(n, first + 32);
      loads += end;                     // a warp reads x[j] until its last lane has all
      stores += (end - first + 7) / 8;  // whole sectors of eight floats
    }
    const auto o = scan<lab::naive>(values<float>(n), upsweep::plus{});
    EXPECT_EQ(sectors(o.counts()), loads + stores) << n;
    EXPECT_EQ(at(o.counts(), "y[i]").warps, (n + 31) / 32) << n;
  }
}

TEST(LabRequests, BranchesAreApartAndMeetBehind) {
  const sim::counts c = run(64, 32, [](auto& m, auto x, auto y, auto z) {
    const unsigned t = m.thread();
    m.store(z, t, 1, "z[t]"_at);
    if (t % 2 == 0)
      m.load(x, t, "even"_at);
    else
      m.load(x, t, "odd"_at);
    m.store(y, t, 1, "y[t]"_at);
    m.store(y, t + 32, 2, "y[t+32]"_at);
  });
  for (const char* place : {"z[t]", "even", "odd", "y[t]", "y[t+32]"})
    EXPECT_EQ(at(c, place).warps, 1u) << place;
  EXPECT_EQ(at(c, "even").threads, 16u);
}

TEST(LabRequests, OneInstructionMayChooseAmongArrays) {
  const sim::counts c = run(32, 32, [](auto& m, auto x, auto y, auto z) {
    const unsigned t = m.thread();
    m.store(z, t, 1, "z[t]"_at);
    const auto& from = t < 16 ? x : lab::global<const int>(z);
    m.store(y, t, m.load(from, 0 * t + (t < 16 ? 0 : t), "x or z"_at), "y[t]"_at);
  });
  EXPECT_EQ(at(c, "x or z").warps, 1u);
  EXPECT_EQ(at(c, "x or z").sectors, 3u);  // x[0], and z[16] to z[31]
}

TEST(LabRequests, WaitsPartTheRounds) {
  const sim::counts c = run(64, 64, [](auto& m, auto, auto y, auto z) {
    m.store(z, m.thread(), 1, "z[t]"_at);
    if (m.thread() >= 32) m.store(z, m.thread(), 2, "z[t]"_at);  // a second round of one warp
    m.barrier("all"_at);
    m.store(z, m.thread(), 3, "z[t]"_at);
    m.store(y, m.thread(), 4, "y[t]"_at);
  });
  EXPECT_EQ(at(c, "z[t]").warps, 2u + 1 + 2);
}

// A warp is active once in a step, though its lanes run through it one after the other.
TEST(LabRequests, AWarpEntersAStepOnce) {
  const auto active_warps = [](const sim::counts& c) {
    std::uint64_t most = 0;
    for (const sim::step_counts& s : c.steps) most = std::max(most, s.active_warps);
    return most;
  };
  for (const std::uint64_t seed : {0, 1, 2}) {
    const sim::counts c = run(
        64, 64,
        [](auto& m, auto, auto y, auto) {
          m.step("first"_at, 0, m.thread() % 2 == 0);
          m.step("second"_at, 0, m.thread() < 32);
          m.store(y, m.thread(), 1, "y[t]"_at);
        },
        seed);
    EXPECT_EQ(c.steps[1].active_warps, 2u);
    EXPECT_EQ(c.steps[2].active_warps, 1u);
  }
  EXPECT_EQ(active_warps(scan<lab::hillis_steele>(values<float>(1024), upsweep::plus{}).counts()),
            32u);
  EXPECT_EQ(active_warps(scan<lab::warp_shuffle>(values<float>(1024), upsweep::plus{}).counts()),
            32u);
}

// A kernel may have as many steps as elements; each thread goes through them from the first on.
TEST(LabRequests, StepsAreFoundWithoutASearch) {
  sim::counts c;
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::uint64_t steps = 400000;
  for (std::uint64_t i = 0; i < steps; ++i) c.step_number("step", i);
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::uint64_t stride = i * 100003 % steps;
    ASSERT_EQ(c.step_number("step", stride), stride);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 20);  // a search takes minutes
}

// Every block reads the first elements: what is kept of them must not grow with the blocks.
TEST(LabRequests, ManyReadersOfAnInputTakeNoTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto o = scan<lab::naive>(values<int>(2048), upsweep::plus{}, {false, 1});
  EXPECT_EQ(o.faults(), "");
  EXPECT_EQ(o.counts().operations(), 2048u * 2049 / 2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace lab_cases
