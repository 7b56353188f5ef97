// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans that are streamed through a device: how arrays are cut, in which order chunks go, and that
// the bits are those of the CPU. The device of the first tests is made of plain loops, the second's
// is a GPU.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "cli/device_choice.hpp"
#include "cli/device_gain.hpp"
#include "cli/failure.hpp"
#include "cli/scan_device.hpp"
#include "stream_cases.hpp"
#include "upsweep/scan.hpp"

namespace {

using namespace stream_cases;
using cli::stream_chunk;
using cli::stream_plan;

// Does what it is told in each slot as late as it may: when it is waited for. A host that touches
// a buffer too early spoils its own data. Counts how many slots have work on its way.
template <class T, class Op>
class late_device final : public cli::chunk_device<T> {
 public:
  explicit late_device(const cli::device_room& room, std::size_t& most_at_once)
      : most_at_once_(most_at_once) {
    for (slot& s : slots_) s.host.resize(room.results), s.memory.resize(room.elements);
  }

  T* buffer(int k) override { return at(k).host.data(); }
  void start_copy(int k, std::uint64_t n) override {
    later(k, [&s = at(k), n] { std::copy_n(s.host.begin(), n, s.memory.begin()); });
  }
  void start_sum(int k, std::uint64_t n) override {
    EXPECT_TRUE(std::has_single_bit(n));
    later(k, [&s = at(k), n] {
      s.sum = upsweep::reduce(upsweep::seq, s.memory.begin(), s.memory.begin() + long(n), Op{});
    });
  }
  T wait_for_sum(int k) override { return finish(k), at(k).sum; }
  void start_scan(int k, const cli::chunk_scan<T>& what) override {
    later(k, [&s = at(k), what] {
      for (std::uint64_t line = 0; line < what.lines; ++line)
        scan_line(s.memory.data() + line * what.length,
                  s.host.data() + line * (what.results() / what.lines), what);
    });
  }
  void wait_for_results(int k) override { finish(k); }

 private:
  struct slot {
    std::vector<T> host, memory;
    T sum{};
    std::vector<std::function<void()>> work;
  };
  static void scan_line(const T* in, T* out, const cli::chunk_scan<T>& what) {
    upsweep::prefix_stack<T, Op> stack(Op{}, what.before);
    const auto put = [&](T* to) { *to = stack.prefix() != nullptr ? *stack.prefix() : what.empty; };
    for (std::uint64_t i = 0; i < what.length; ++i) {
      if (what.exclusive) put(out + i);
      stack.push(0, in[i]);
      if (!what.exclusive) put(out + i);
    }
    if (what.total) put(out + what.length);
  }
  slot& at(int k) { return slots_[static_cast<std::size_t>(k)]; }
  void later(int k, std::function<void()> what) {
    at(k).work.push_back(std::move(what));
    std::size_t busy = 0;
    for (const slot& s : slots_) busy += s.work.empty() ? 0 : 1;
    most_at_once_ = std::max(most_at_once_, busy);
  }
  void finish(int k) {
    for (const auto& what : std::exchange(at(k).work, {})) what();
  }

  std::array<slot, cli::stream_slots> slots_;
  std::size_t& most_at_once_;
};

// Through such a device, in chunks of 2^chunk_log2 elements at most.
std::size_t run_late(const cli::scan_job& job, int chunk_log2) {
  std::size_t most_at_once = 0;
  cli::stream_job(job, chunk_log2, {}, [&]<class T>(operation, const cli::device_room& room) {
    std::unique_ptr<cli::chunk_device<T>> device;
    cli::with_lane(cli::choose_lane(job.op, job.out_type), [&]<class U, operation O>() {
      if constexpr (std::is_same_v<T, U>)
        device = std::make_unique<late_device<T, cli::operator_t<O>>>(room, most_at_once);
    });
    return device;
  });
  return most_at_once;
}

TEST(StreamPlan, CutsALineAtMultiplesOfTheChunk) {
  const stream_plan plan(1, 37, 4);
  ASSERT_EQ(plan.size(), 3u);
  const auto is = [&](std::uint64_t k, std::uint64_t begin, std::uint64_t length, bool closes) {
    const stream_chunk c = plan[k];
    EXPECT_EQ(c.line, 0u);
    EXPECT_EQ(c.lines, 1u);
    EXPECT_EQ(c.begin, begin);
    EXPECT_EQ(c.length, length);
    EXPECT_EQ(c.closes, closes);
    EXPECT_EQ(c.is_block, length == 16);
  };
  is(0, 0, 16, false);
  is(1, 16, 16, false);
  is(2, 32, 5, true);
  EXPECT_EQ(plan.most_results(1), 17u);
  EXPECT_TRUE(stream_plan(1, 32, 4)[1].closes);
  EXPECT_TRUE(stream_plan(1, 32, 4)[1].is_block);
  EXPECT_FALSE(stream_plan(1, 16, 4)[0].is_block);  // its end needs no list
  EXPECT_EQ(stream_plan(1, 16, 4).size(), 1u);
}

TEST(StreamPlan, TakesWholeLinesWhileTheyFit) {
  const stream_plan plan(10, 5, 4);  // three lines of five at a time
  ASSERT_EQ(plan.size(), 4u);
  EXPECT_EQ(plan[1].line, 3u);
  EXPECT_EQ(plan[1].lines, 3u);
  EXPECT_EQ(plan[3].line, 9u);
  EXPECT_EQ(plan[3].lines, 1u);
  EXPECT_EQ(plan.most_results(1), 18u);
}

TEST(StreamPlan, EveryElementIsInOneChunkAndNoneIsTooLarge) {
  for (std::uint64_t lines = 1; lines < 12; ++lines)
    for (std::uint64_t length = 1; length < 40; ++length) {
      const stream_plan plan(lines, length, 3);
      std::vector<int> seen(lines * length);
      for (std::uint64_t k = 0; k < plan.size(); ++k) {
        const stream_chunk c = plan[k];
        EXPECT_LE(c.elements(), 8u);
        EXPECT_LE(c.elements(), plan.most_elements());
        EXPECT_EQ(c.closes, c.begin + c.length == length);
        for (std::uint64_t l = 0; l < c.lines; ++l)
          for (std::uint64_t i = 0; i < c.length; ++i) ++seen[(c.line + l) * length + c.begin + i];
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(seen.size()));
    }
}

TEST(ScanStream, SameBitsAsTheCpu) {
  sweep({0, 1, 2, 7, 8, 9, 16, 57, 64, 65, 300},
        [](const cli::scan_job& job) { run_late(job, 3); });
}

TEST(ScanStream, SameBitsWhateverTheChunk) {
  for (int chunk_log2 = 0; chunk_log2 < 12; ++chunk_log2)
    expect_same_bits({.in = dtype::f4,
                      .out = dtype::f4,
                      .extents = {1543},
                      .exclusive = true,
                      .total = true,
                      .init = true},
                     [&](const cli::scan_job& job) { run_late(job, chunk_log2 + 1); });
}

TEST(ScanStream, LinesOfArrays) {
  sweep_axes({{1, 40}, {40, 1}, {7, 9}, {3, 5, 11}, {2, 100}, {0, 4}, {4, 0}},
             [](const cli::scan_job& job) { run_late(job, 4); });
}

TEST(ScanStream, ReductionsKeepTheLastResultOfEachLine) {
  for (const auto& [in, out] : {std::pair(dtype::f4, dtype::f4), std::pair(dtype::u1, dtype::u8),
                                std::pair(dtype::f2, dtype::f2)})
    for (const bool init : {false, true})
      for (const std::vector<std::size_t>& extents :
           {std::vector<std::size_t>{1}, {300}, {0}, {7, 9}, {3, 5, 40}, {2, 100}, {0, 4}, {4, 0}})
        for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis)
          expect_same_bits({.in = in,
                            .out = out,
                            .extents = extents,
                            .axis = axis,
                            .init = init,
                            .reduce = true},
                           [](const cli::scan_job& job) { run_late(job, 4); });
}

TEST(ScanStream, LongRunsAreSplitAmongThreads) {
  for (const std::size_t length : {65535, 65536, 65537, 400001})
    expect_same_bits({.in = dtype::u1, .out = dtype::f4, .extents = {length}, .reverse = true},
                     [](const cli::scan_job& job) { run_late(job, 18); });
}

TEST(ScanStream, ThreeChunksAndMoreAreOnTheirWay) {
  case_memory c({.in = dtype::f4, .out = dtype::f4, .extents = {1000}});
  EXPECT_GE(run_late(c.job, 4), 3u);
}

// The data of these tests tell the order of the tree from the obvious wrong one: to give each chunk
// the last result of the chunk before it.
TEST(ScanStream, ThePrefixBehindAChunkIsNotItsCarryAndItsSum) {
  case_memory c({.in = dtype::f4, .out = dtype::f4, .extents = {300}});
  cli::run_scan(c.job);
  std::vector<float> in(300), right(300), wrong(300);
  std::memcpy(in.data(), c.input.data(), c.input.size());
  std::memcpy(right.data(), c.output.data(), c.output.size());
  for (std::size_t at = 0; at < in.size(); at += 8) {
    const auto first = in.begin() + static_cast<long>(at);
    const auto last = in.begin() + static_cast<long>(std::min<std::size_t>(at + 8, in.size()));
    const auto to = wrong.begin() + static_cast<long>(at);
    if (at == 0)
      upsweep::inclusive_scan(upsweep::seq, first, last, to);
    else
      upsweep::inclusive_scan(upsweep::seq, first, last, to, upsweep::plus{}, wrong[at - 1]);
  }
  EXPECT_NE(wrong, right);
}

// What a device does wrong is found: a sum that is off by a little changes what is compared.
TEST(ScanStream, AFaultOfTheDeviceIsSeen) {
  case_memory expected({.in = dtype::f4, .out = dtype::f4, .extents = {300}}),
      found({.in = dtype::f4, .out = dtype::f4, .extents = {300}});
  struct faulty final : public cli::chunk_device<float> {
    explicit faulty(const cli::device_room& room) : right(room, most) {}
    float* buffer(int k) override { return right.buffer(k); }
    void start_copy(int k, std::uint64_t n) override { right.start_copy(k, n); }
    void start_sum(int k, std::uint64_t n) override { right.start_sum(k, n); }
    float wait_for_sum(int k) override { return std::nextafter(right.wait_for_sum(k), 1e9f); }
    void start_scan(int k, const cli::chunk_scan<float>& w) override { right.start_scan(k, w); }
    void wait_for_results(int k) override { right.wait_for_results(k); }
    std::size_t most = 0;
    late_device<float, upsweep::plus> right;
  };
  cli::run_scan(expected.job);
  cli::stream_job(found.job, 4, {}, []<class T>(operation, const cli::device_room& room) {
    std::unique_ptr<cli::chunk_device<T>> device;
    if constexpr (std::is_same_v<T, float>) device = std::make_unique<faulty>(room);
    return device;
  });
  EXPECT_NE(found.output, expected.output);
}

TEST(DeviceChoice, Words) {
  using kind = cli::device_choice::kind;
  EXPECT_EQ(cli::parse_device("auto").what, kind::automatic);
  EXPECT_EQ(cli::parse_device("cpu").what, kind::cpu);
  EXPECT_EQ(cli::parse_device("cuda").what, kind::cuda);
  EXPECT_EQ(cli::parse_device("cuda:12").index, 12u);
  for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda: 1", "CUDA",
                            "cuda:99999999999999999999"})
    EXPECT_THROW(cli::parse_device(wrong), cli::failure) << wrong;
}

TEST(DeviceChoice, WhatIsSaid) {
  const auto said = [](const cli::device_survey& found, std::size_t index) {
    try {
      cli::device_of(found, {cli::device_choice::kind::cuda, index});
    } catch (const cli::failure& why) {
      return std::to_string(static_cast<int>(why.status)) + " " + why.what();
    }
    return std::string("found");
  };
  cli::device_survey none;
  none.reason = "nothing here", none.remedy = "go there";
  EXPECT_EQ(said(none, 0), "1 --device cuda: nothing here: go there");
  cli::device_survey two;
  two.devices.resize(2);
  EXPECT_EQ(said(two, 1), "found");
  EXPECT_EQ(said(two, 2), "2 --device cuda:2: this machine has 2 GPUs: cuda:0 to cuda:1");
  two.devices.resize(1);
  EXPECT_EQ(said(two, 7), "2 --device cuda:7: this machine has 1 GPU: cuda:0");
}

TEST(DeviceGain, TheHostHandsDataOverAsFastAsItScansThem) {
  for (const dtype type : dtypes)
    for (std::size_t o = 0; o < cli::operation_names.size(); ++o)
      for (const unsigned threads : {1u, 2u, 16u, 64u}) {
        const auto op = static_cast<operation>(o);
        if (!is_defined(op, type, type)) continue;
        const cli::scan_estimate time =
            cli::estimate_scan(op, type, type, std::uint64_t{1} << 34, threads);
        EXPECT_GT(time.device_s, time.cpu_s) << cli::name_of(type) << " " << cli::name_of(op);
      }
}

TEST(DeviceGain, DearScansOrFreeCopiesGain) {
  const auto time = [](operation op, std::uint64_t n, const cli::transfer_costs& costs) {
    return cli::estimate_scan(op, dtype::f4, dtype::f4, n, 1, costs);
  };
  const std::uint64_t many = std::uint64_t{1} << 34;
  const cli::transfer_costs fast{.copy_gb_s = 3, .link_gb_s = 400, .start_s = 0};
  EXPECT_NEAR(time(operation::sum, many, {}).cpu_s, 8.0 * double(many) / 20e9, 1e-9);
  EXPECT_NEAR(time(operation::prod, many, {}).cpu_s, 16.0 * double(many) / 20e9, 1e-9);
  EXPECT_NEAR(time(operation::prod, many, {}).device_s, 0.5 + 16.0 * double(many) / 20e9, 1e-9);
  EXPECT_NEAR(time(operation::prod, many, {.link_gb_s = 1}).device_s,
              0.5 + 4.0 * double(many) / 1e9, 1e-6);
  EXPECT_EQ(time(operation::prod, many, fast).device_s, time(operation::prod, many, fast).cpu_s);
  EXPECT_GT(time(operation::sum, many, fast).device_s, time(operation::sum, many, fast).cpu_s);
  case_memory c({.in = dtype::f4, .out = dtype::f4, .op = operation::prod, .extents = {100}});
  EXPECT_FALSE(cli::gains_from_device(c.job));
  c.job.out_type = dtype::f8;  // 12 bytes an element of the file, 16 locked ones
  cli::transfer_costs instant{.link_gb_s = 1e9, .start_s = -1};
  EXPECT_TRUE(cli::gains_from_device(c.job, instant));
}

class ScanOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (cli::find_devices().devices.empty()) GTEST_SKIP() << "no GPU on this machine";
  }
};

TEST_F(ScanOnGpu, SameBitsAsTheCpu) {
  sweep({0, 1, 1024, 1025, 20000},
        [](const cli::scan_job& job) { cli::run_scan_on_device(job, 0, 10); });
}

TEST_F(ScanOnGpu, SameBitsWhateverTheChunk) {
  for (const int chunk_log2 : {1, 5, 11, 12, 13, 16, 20, 0})
    expect_same_bits(
        {.in = dtype::f4,
         .out = dtype::f4,
         .extents = {chunk_log2 == 1 ? 999u : 3000001u},
         .exclusive = true,
         .total = true,
         .init = true},
        [&](const cli::scan_job& job) { cli::run_scan_on_device(job, 0, chunk_log2); });
}

TEST_F(ScanOnGpu, LinesOfArrays) {
  sweep_axes(
      {{1, 4000}, {4000, 1}, {70, 90}, {3, 5, 1100}, {2, 20000}, {600, 2049}, {0, 4}, {4, 0}},
      [](const cli::scan_job& job) { cli::run_scan_on_device(job, 0, 14); });
}

TEST_F(ScanOnGpu, RefusesAGpuThatIsNotThere) {
  case_memory c({.in = dtype::f4, .out = dtype::f4, .extents = {100}});
  EXPECT_THROW(cli::run_scan_on_device(c.job, 1000), cli::failure);
}

TEST(ScanWithoutGpu, IsAFailureAndNoCrash) {
  if (!cli::find_devices().devices.empty()) GTEST_SKIP() << "this machine has a GPU";
  case_memory c({.in = dtype::f4, .out = dtype::f4, .extents = {100}});
  EXPECT_THROW(cli::run_scan_on_device(c.job, 0), cli::failure);
}

}  // namespace
