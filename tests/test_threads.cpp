// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that throw, that use oneTBB themselves; callers that run at once, or inside oneTBB.
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::tree_hash;
using upsweep::array_view;
using upsweep::par;
constexpr std::size_t chunk = cases::chunk;

#if defined(__SANITIZE_THREAD__)
constexpr bool tbb_is_seen =
    false;  // the packaged oneTBB is not instrumented: all it does is a race
#else
constexpr bool tbb_is_seen = true;
#endif
constexpr char unseen[] = "the thread sanitizer cannot see how oneTBB synchronises";

struct refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws when it meets the marker; counts calls that are under way, and calls after the end.
struct watched_maximum {
  struct state {
    std::atomic<int> inside{0}, late{0}, thrown{0};
    std::atomic<bool> over{false};
  };
  state* watch;
  static constexpr int marker = 2000000000;
  int operator()(int left, int right) const {
    if (watch->over.load()) watch->late.fetch_add(1);
    watch->inside.fetch_add(1);
    const bool refuse = left == marker || right == marker;
    if (refuse) watch->thrown.fetch_add(1);
    watch->inside.fetch_sub(1);
    if (refuse) throw refusal("marker");
    return std::max(left, right);
  }
};
template <class Call>
void expect_refusal(const Call& call) {
  watched_maximum::state watch;
  EXPECT_THROW(call(watched_maximum{&watch}), refusal);
  watch.over.store(true);
  EXPECT_EQ(watch.inside.load(), 0);
  EXPECT_GT(watch.thrown.load(), 0);
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  EXPECT_EQ(watch.late.load(), 0) << "a thread was left behind";
}

TEST(Threads, ExceptionOfAnOperatorReachesTheCaller) {
  const std::size_t n = 40 * chunk + 17;
  for (const unsigned threads : {1u, 2u, 3u, 8u})
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, 5 * chunk + 3,
                                 20 * chunk, 40 * chunk - 1, 40 * chunk, n - 1}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, element " + std::to_string(at));
      const auto who = par.on(threads).with_chunk(cases::chunk_log2);
      std::vector<int> x(n, 1), y(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * 7919 % 10007);
      x[at] = watched_maximum::marker;
      expect_refusal([&](auto op) { upsweep::inclusive_scan(who, x, y, op); });
      expect_refusal([&](auto op) { upsweep::exclusive_scan(who, x, y, op, -1); });
      expect_refusal([&](auto op) { upsweep::reduce(who, x, op); });
      // What comes after is not harmed.
      x[at] = 0;
      watched_maximum::state watch;
      upsweep::inclusive_scan(who, x, y, watched_maximum{&watch});
      EXPECT_EQ(y.back(), 10006);
    }
}

TEST(Threads, ExceptionInAnArrayReachesTheCaller) {
  for (const unsigned threads : {1u, 2u, 3u, 8u})
    for (const auto& shape : {std::vector<std::size_t>{300, 40}, {40, 300}, {2, 6000}, {6000, 20}})
      for (const int axis : {0, 1})
        for (const std::size_t at : {1u, 3000u, 11999u}) {
          SCOPED_TRACE(std::to_string(threads) + " threads, axis " + std::to_string(axis));
          const auto who = par.on(threads).with_chunk(cases::chunk_log2);
          const std::size_t size = shape[0] * shape[1];
          std::vector<int> x(size, 1), y(size), totals(shape[axis == 0 ? 1 : 0]);
          x[at % size] = watched_maximum::marker;
          std::vector<std::size_t> one = shape;
          one[static_cast<std::size_t>(axis)] = 1;
          const array_view<const int> in(x.data(), shape);
          expect_refusal([&](auto op) {
            upsweep::inclusive_scan(who, in, array_view<int>(y.data(), shape), axis, op);
          });
          expect_refusal([&](auto op) {
            upsweep::reduce(who, in, array_view<int>(totals.data(), one), axis, op);
          });
        }
}

// Values that own memory: a copy that throws is an exception like any other.
TEST(Threads, ExceptionOfACopyReachesTheCaller) {
  struct fragile {
    explicit fragile(int v = 0) : value(v) {}
    fragile(const fragile& other) : value(other.value) {
      if (value == 777) throw refusal("copy");
    }
    fragile& operator=(const fragile& other) {
      if (other.value == 777) throw refusal("copy");
      value = other.value;
      return *this;
    }
    int value;
  };
  const auto most = [](const fragile& a, const fragile& b) {
    return fragile(std::max(a.value, b.value));
  };
  for (const unsigned threads : {1u, 2u, 8u}) {
    std::vector<fragile> x(3000), y(3000);
    x[1234].value = 777;
    EXPECT_THROW(upsweep::inclusive_scan(par.on(threads).with_chunk(6), x, y, most), refusal);
  }
}

// Each of several callers gets its own result.
TEST(Threads, ConcurrentCallers) {
  const auto x = cases::random_values<float>(30000);
  const auto want = cases::inclusive(x, upsweep::plus{});
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (unsigned c = 0; c < 6; ++c)
    callers.emplace_back([&, c] {
      for (int round = 0; round < 20; ++round) {
        std::vector<float> y(x.size());
        upsweep::inclusive_scan(par.on(1 + c % 3).with_chunk(6 + static_cast<int>(c)), x, y);
        if (!cases::same_bits(want, y)) wrong.fetch_add(1);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

// Neighbouring lines, chunks and callers share cache lines and vectors of the output.
TEST(Threads, NeighbouringOutputsAreKept) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    const std::size_t rows = 40000, n = 7;
    const auto x = cases::random_values<float>(rows * n);
    std::vector<float> want(rows * n + 1), y(rows * n + 1);
    const array_view<const float> in(x.data(), {rows, n});
    upsweep::inclusive_scan(upsweep::seq, in, array_view(want.data() + 1, {rows, n}), 1);
    for (int round = 0; round < 10; ++round) {
      std::fill(y.begin(), y.end(), 0.0f);
      upsweep::inclusive_scan(par.on(4).with_chunk(6), in, array_view(y.data() + 1, {rows, n}), 1);
      ASSERT_TRUE(cases::same_bits(want, y)) << name;
    }
  }
}

TEST(Threads, InsideATaskOfTbb) {
  if (!tbb_is_seen) GTEST_SKIP() << unseen;
  const auto x = cases::random_values<std::uint64_t>(5000);
  const auto want = cases::inclusive(x, tree_hash{});
  std::atomic<int> wrong{0};
  for (const unsigned threads : {0u, 1u, 2u, 3u, 8u})
    oneapi::tbb::parallel_for(0, 24, [&](int) {
      std::vector<std::uint64_t> y(x.size());
      upsweep::inclusive_scan(par.on(threads).with_chunk(cases::chunk_log2), x, y, tree_hash{});
      if (!cases::same_bits(want, y)) wrong.fetch_add(1);
    });
  oneapi::tbb::task_arena small(1);  // an arena of one thread
  small.execute([&] {
    std::vector<std::uint64_t> y(x.size());
    upsweep::inclusive_scan(par.on(8).with_chunk(cases::chunk_log2), x, y, tree_hash{});
    if (!cases::same_bits(want, y)) wrong.fetch_add(1);
  });
  EXPECT_EQ(wrong.load(), 0);
}

// The operator waits for tasks of its own: a thread that waits there must not pick up work that
// waits for the chunk it holds.
TEST(Threads, OperatorsThatUseTbb) {
  if (!tbb_is_seen) GTEST_SKIP() << unseen;
  const auto nested = [](std::uint64_t left, std::uint64_t right) {
    std::atomic<std::uint64_t> sum{0};
    oneapi::tbb::parallel_for(0, 8, [&](int i) {
      if (i == 7) std::this_thread::yield();
      sum.fetch_add(left * static_cast<std::uint64_t>(i));
    });
    return tree_hash{}(sum.load(), right);
  };
  const auto plain = [](std::uint64_t left, std::uint64_t right) {
    return tree_hash{}(left * 28, right);
  };
  const auto x = cases::random_values<std::uint64_t>(12 * chunk + 5);
  const auto want = cases::inclusive(x, plain);
  for (const unsigned threads : {1u, 2u, 3u, 8u})
    for (int round = 0; round < 10; ++round) {
      std::vector<std::uint64_t> y(x.size());
      upsweep::inclusive_scan(par.on(threads).with_chunk(cases::chunk_log2), x, y, nested);
      ASSERT_TRUE(cases::same_bits(want, y)) << threads << " threads";
    }
}

// An operator that scans: calls inside calls.
TEST(Threads, OperatorsThatScan) {
  const std::vector<std::uint64_t> inner = cases::random_values<std::uint64_t>(300);
  const auto total = upsweep::reduce(upsweep::seq, inner, tree_hash{});
  const auto scanning = [&](std::uint64_t left, std::uint64_t right) {
    const auto who = par.on(2).with_chunk(cases::chunk_log2);
    return tree_hash{}(left, right) ^ upsweep::reduce(who, inner, tree_hash{});
  };
  const auto plain = [&](std::uint64_t left, std::uint64_t right) {
    return tree_hash{}(left, right) ^ total;
  };
  const auto x = cases::random_values<std::uint64_t>(5 * chunk);
  std::vector<std::uint64_t> y(x.size());
  for (const unsigned threads : {2u, 3u}) {
    upsweep::inclusive_scan(par.on(threads).with_chunk(cases::chunk_log2), x, y, scanning);
    ASSERT_TRUE(cases::same_bits(cases::inclusive(x, plain), y));
  }
}

TEST(Threads, ConstantsAndStateOfOperators) {
  // An operator without default constructor, with state that it only reads.
  struct modulo {
    explicit modulo(std::uint64_t m) : m_(m) {}
    std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return (a + b) % m_; }
    std::uint64_t m_;
  };
  const auto x = cases::random_values<std::uint64_t>(3000);
  std::vector<std::uint64_t> y(x.size());
  upsweep::inclusive_scan(par.on(3).with_chunk(6), x, y, modulo(1000003));
  EXPECT_TRUE(cases::same_bits(cases::inclusive(x, modulo(1000003)), y));
}

}  // namespace
