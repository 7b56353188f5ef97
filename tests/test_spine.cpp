// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of chunks: who sums, who scans, in which order, and what happens when one throws.
// And the sums that a run forms beside its results.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference_cases.hpp"
#include "upsweep/cpu/kernel.hpp"
#include "upsweep/cpu/spine.hpp"

namespace {

using cases::tree_hash;
using upsweep::prefix_stack;
using upsweep::cpu::output;
using upsweep::cpu::store;
using word = std::uint64_t;

// Chunks of one element each. Counts how often each is summed and scanned. If asked, the first scan
// waits until as many sums of others are there, and the next until somebody sums beside a scan. One
// call of a kind may throw.
struct watched_body {
  const std::vector<word>& x;
  std::vector<word> y = std::vector<word>(x.size()), before = std::vector<word>(x.size());
  std::vector<std::atomic<int>> summed = std::vector<std::atomic<int>>(x.size());
  std::vector<std::atomic<int>> scanned = std::vector<std::atomic<int>>(x.size());
  std::atomic<int> sums{0}, fused{0};
  int wait_for_sums = 0;
  bool at_once = true;
  const std::chrono::steady_clock::time_point limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const char* throws = "";

  word sum(std::size_t c) {
    fail("sum");
    summed[c].fetch_add(1);
    sums.fetch_add(1);
    return x[c];
  }
  word scan(std::size_t c, const word* carry) {
    fail("scan");
    if (wait_for_sums != 0)
      while ((c == 0 ? sums.load() < wait_for_sums : at_once && fused.load() == 0) &&
             std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    scanned[c].fetch_add(1);
    if (carry) before[c] = *carry;
    return x[c];
  }
  bool fuses() const { return at_once; }
  word scan_and_sum(std::size_t c, const word* carry, std::size_t next) {
    fused.fetch_add(1);
    fail("both");
    scan(c, carry);
    return sum(next);
  }
  void end(std::size_t c, const word& prefix) { y[c] = prefix; }
  word scan_last(std::size_t c, const word* carry) {
    fail("last");
    scanned[c].fetch_add(1);
    before[c] = *carry;
    return y[c] = tree_hash{}(*carry, x[c]);
  }
  bool writes() const { return true; }

 private:
  void fail(const char* call) const {
    if (std::string(throws) == call) throw std::runtime_error(call);
  }
};

void run_spine(watched_body& body, unsigned workers, bool partial_last) {
  const std::size_t whole = body.x.size() - (partial_last ? 1 : 0);
  upsweep::cpu::spine<word, tree_hash, watched_body> chunks(whole, partial_last, tree_hash{}, {},
                                                            body);
  chunks.run(workers, 0);
}

// While the first chunk is scanned the other worker sums ahead; then it scans what it holds, and
// sums on beside it where that is faster. Nothing is scanned twice or left out.
void expect_sums_ahead(bool at_once) {
  for (const unsigned workers : {2u, 3u, 8u})
    for (const bool partial_last : {false, true}) {
      const auto x = cases::random_values<word>(partial_last ? 201 : 200);
      const auto want = cases::inclusive(x, tree_hash{});
      SCOPED_TRACE(std::to_string(workers) + " workers");
      watched_body body{x};
      body.wait_for_sums = 3;
      body.at_once = at_once;
      run_spine(body, workers, partial_last);
      EXPECT_TRUE(cases::same_bits(want, body.y));
      EXPECT_GE(body.sums.load(), 3);
      EXPECT_EQ(body.fused.load() > 0, at_once);
      for (std::size_t c = 0; c < x.size(); ++c) {
        EXPECT_EQ(body.scanned[c].load(), 1) << c;
        EXPECT_EQ(body.before[c], c != 0 ? want[c - 1] : 0) << c;
        EXPECT_LE(body.summed[c].load(), 1) << c;
      }
    }
}

TEST(Spine, SumsAheadThenScansBeside) { expect_sums_ahead(true); }
TEST(Spine, SumsAheadThenScansWhatItHolds) { expect_sums_ahead(false); }

TEST(Spine, OneWorkerScansAtOnce) {
  for (const bool partial_last : {false, true}) {
    const auto x = cases::random_values<word>(partial_last ? 51 : 50);
    watched_body body{x};
    run_spine(body, 1, partial_last);
    EXPECT_TRUE(cases::same_bits(cases::inclusive(x, tree_hash{}), body.y));
    EXPECT_EQ(body.sums.load(), 0);
  }
}

TEST(Spine, WhateverThrowsReachesTheCaller) {
  const auto x = cases::random_values<word>(201);
  for (const char* call : {"sum", "scan", "both", "last"})
    for (const unsigned workers : {1u, 2u, 3u, 8u}) {
      SCOPED_TRACE(std::string(call) + ", " + std::to_string(workers) + " workers");
      if (workers == 1 && (std::string(call) == "sum" || std::string(call) == "both")) continue;
      watched_body body{x};
      body.wait_for_sums = workers == 1 ? 0 : 3;
      if (std::string(call) == "sum") body.wait_for_sums = 0;
      body.throws = call;
      try {
        run_spine(body, workers, true);
        EXPECT_EQ(body.sums.load(), 0) << "nothing was thrown";  // one worker may have done it all
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), call);
      }
    }
}

// A run with a side sum: the results of the run alone, and the block sum of the other elements.
template <class T, class Op>
void expect_side_sums() {
  SCOPED_TRACE(std::string(upsweep::cpu::simd_target()) + ", " + std::to_string(sizeof(T)) +
               " bytes");
  const Op op;
  for (const std::size_t n : {64u, 128u, 192u, 256u, 512u, 1024u, 2048u, 4096u, 4160u})
    for (const output mode : {output::inclusive, output::exclusive})
      for (const bool in_place : {false, true})
        for (const store how : {store::cached, store::streaming}) {
          const auto x = cases::random_values<T>(2 * n + 1);
          std::vector<T> alone(n + 1), y(x.begin(), x.begin() + static_cast<long>(n) + 1);
          const T carry = x[2 * n];
          prefix_stack<T, Op> want(op, carry), stack(op, carry), sums(op), block(op);
          upsweep::cpu::run(x.data(), alone.data(), n, want, mode, how, {});
          std::vector<T> separate(n + 1);
          T* const out = in_place ? y.data() : separate.data();
          upsweep::cpu::run(in_place ? y.data() : x.data(), out, n, stack, mode, how,
                            {x.data() + n, &sums});
          for (std::size_t i = 0; i < n; ++i) {
            block.push(0, x[n + i]);
            ASSERT_TRUE(cases::same(alone[i], out[i])) << "element " << i << " of " << n;
          }
          ASSERT_TRUE(cases::same(*block.prefix(), *sums.prefix())) << n;
          ASSERT_EQ(sums.count(), n);
          ASSERT_TRUE(cases::same(*want.prefix(), *stack.prefix())) << n;
          // What comes behind continues both.
          ASSERT_EQ(stack.count(), n);
        }
}
TEST(SideSums, EveryTargetAndType) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    expect_side_sums<float, upsweep::plus>();
    expect_side_sums<double, upsweep::plus>();
    expect_side_sums<std::int32_t, upsweep::plus>();
    expect_side_sums<std::uint64_t, upsweep::plus>();
    expect_side_sums<std::uint8_t, upsweep::plus>();
    expect_side_sums<std::int16_t, upsweep::plus>();
    expect_side_sums<float, upsweep::minimum>();
    expect_side_sums<std::int64_t, upsweep::maximum>();
    expect_side_sums<word, tree_hash>();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
