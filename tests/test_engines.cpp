// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same bits whatever runs the scan: vector unit, threads, chunks. And the comparison sees it
// when an engine takes another order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::same_bits;
using upsweep::par;
using upsweep::plus;

// Inclusive, exclusive with total, with init and without, by one policy.
template <class T, class Op, class P>
void expect_canonical(const P& who, const std::vector<T>& x, const Op& op, T init) {
  const std::size_t n = x.size();
  std::vector<T> y(n, init), z(n + 1, init);
  upsweep::inclusive_scan(who, x, y, op);
  ASSERT_TRUE(same_bits(cases::inclusive(x, op), y)) << "inclusive, n = " << n;
  upsweep::inclusive_scan(who, x, y, op, init);
  ASSERT_TRUE(same_bits(cases::inclusive(x, op, std::optional<T>(init)), y)) << "init, n = " << n;
  upsweep::exclusive_scan(who, x, z, op, init);
  ASSERT_TRUE(same_bits(cases::exclusive(x, op, std::optional<T>(init), n + 1), z))
      << "exclusive, init, n = " << n;
  if constexpr (upsweep::has_empty<Op, T>) {
    upsweep::exclusive_scan(who, x, z, op);
    ASSERT_TRUE(same_bits(cases::exclusive(x, op, {}, n + 1), z)) << "exclusive, n = " << n;
  }
}
template <class T, class Op>
void sweep(const Op& op, T init, std::size_t most = 128 * cases::chunk + 1) {
  cases::on_every_engine([&](const auto& who) {
    for (const std::size_t n : cases::sizes(most))
      expect_canonical(who, cases::random_values<T>(n), op, init);
  });
}

TEST(Engines, EveryTargetIsForced) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    EXPECT_STREQ(upsweep::cpu::simd_target(), name);
  }
  ASSERT_FALSE(cases::targets().empty());
  EXPECT_STREQ(cases::targets().front(), "scalar");
}

TEST(Engines, UnknownTargetChangesNothing) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    EXPECT_FALSE(upsweep::cpu::force_simd_target("mmx"));
    EXPECT_STREQ(upsweep::cpu::simd_target(), name);
  }
}

TEST(Engines, SameBitsEverySimdTarget) {
  sweep<float>(plus{}, 0.1f);
  sweep<double>(plus{}, 0.1);
}
TEST(Engines, SameBitsEveryThreadCount) {
  sweep<cases::matrix>(cases::matrix_modulo{}, {2, 3, 5, 7});
  sweep<std::uint64_t>(cases::tree_hash{}, 5, 2100);
  sweep<cases::segment>(cases::segmented_plus{}, {1.5f, 0}, 2100);
  sweep<upsweep::affine<float>>(upsweep::compose{}, {0.5f, 2}, 2100);
}
TEST(Engines, SameBitsEveryChunk) {
  const auto x = cases::random_values<float>(20000);
  const auto h = cases::random_values<std::uint64_t>(20000);
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (const int log2 : {1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 20, 0}) {
      SCOPED_TRACE(std::string(name) + ", chunk 2^" + std::to_string(log2));
      expect_canonical(par.on(2).with_chunk(log2), x, plus{}, 0.25f);
      expect_canonical(par.on(3).with_chunk(log2), h, cases::tree_hash{}, std::uint64_t{9});
    }
    expect_canonical(par, x, plus{}, 0.25f);
    expect_canonical(upsweep::seq, x, plus{}, 0.25f);
    expect_canonical(upsweep::seq, h, cases::tree_hash{}, std::uint64_t{9});
  }
}

// The default chunks, with real threads, many times: a schedule must not show.
TEST(Engines, SameBitsEveryRun) {
  const std::size_t n = (std::size_t{1} << 21) + 12345;
  const auto x = cases::random_values<float>(n);
  std::vector<float> first(n), y(n);
  upsweep::inclusive_scan(upsweep::seq, x, first);
  for (int round = 0; round < 5; ++round) {
    for (const unsigned threads : {2u, 3u, 8u}) {
      upsweep::inclusive_scan(par.on(threads), x, y);
      ASSERT_TRUE(same_bits(first, y)) << threads << " threads, round " << round;
    }
  }
}

TEST(Engines, NonAssociativeOperator) {
  const auto minus = [](double a, double b) { return a - b; };
  sweep<double>(minus, 3.0, 2100);
  const std::vector<int> x{10, 1, 2, 3};
  std::vector<int> y(4);
  upsweep::inclusive_scan(par, x, y, [](int a, int b) { return a - b; });
  EXPECT_EQ(y, (std::vector<int>{10, 9, 7, (10 - 1) - (2 - 3)}));
}

// Each operand is an element, the init, or a combination of neighbours, in order; and no result is
// anything else.
TEST(Engines, OperatorMeetsOnlyElements) {
  std::atomic<std::uint64_t> faults{0};
  const cases::join op{&faults};
  cases::on_every_engine([&](const auto& who) {
    for (const std::size_t n : cases::sizes()) {
      std::vector<cases::interval> x, y(n), z(n + 1);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(n); ++i) x.push_back({i, i + 1, 4});
      upsweep::inclusive_scan(who, x, y, op);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(y[i], (cases::interval{0, static_cast<std::int64_t>(i) + 1, 4}));
      upsweep::exclusive_scan(who, x, z, op, cases::interval{-9, 0, 4});
      for (std::size_t i = 0; i <= n; ++i)
        ASSERT_EQ(z[i], (cases::interval{-9, static_cast<std::int64_t>(i), 4}));
      if (n != 0) {
        EXPECT_EQ(upsweep::reduce(who, x, op), y.back());
      }
      ASSERT_EQ(faults.load(), 0u) << n;
    }
  });
  op({0, 1, 4}, {2, 3, 4});  // a gap is seen
  op({1, 2, 4}, {0, 1, 4});  // and an exchange
  op({0, 1, 4}, {1, 2, 5});  // and another line
  EXPECT_EQ(faults.load(), 3u);
}

TEST(Engines, OperandOrder) {
  const auto right = [](int, int b) { return b; };
  const auto left = [](int a, int) { return a; };
  cases::on_every_engine([&](const auto& who) {
    for (const std::size_t n : cases::sizes()) {
      const auto x = cases::random_values<int>(n);
      std::vector<int> y(n);
      upsweep::inclusive_scan(who, x, y, right);
      ASSERT_TRUE(same_bits(x, y)) << n;
      upsweep::inclusive_scan(who, x, y, left);
      ASSERT_TRUE(same_bits(std::vector<int>(n, n != 0 ? x[0] : 0), y)) << n;
      std::vector<std::string> words =
                                   cases::random_values<std::string>(std::min<std::size_t>(n, 700)),
                               s(words.size());
      upsweep::inclusive_scan(who, words, s, upsweep::concatenate{});
      std::string whole;
      for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(s[i], whole += words[i]);
    }
  });
}

// The planted faults: each is what a plausible engine returns, and each differs.
template <class T, class Op>
std::vector<T> left_fold(const std::vector<T>& x, const Op& op) {
  std::vector<T> y;
  for (const T& value : x) y.push_back(y.empty() ? value : op(y.back(), value));
  return y;
}
template <class T, class Op>
void expect_faults_are_seen(const Op& op) {
  const std::size_t n = 5000, chunk = cases::chunk;
  const auto x = cases::random_values<T>(n);
  const auto want = cases::inclusive(x, op);
  const auto exchanged = [&](const T& a, const T& b) { return op(b, a); };
  EXPECT_TRUE(same_bits(want, want));
  EXPECT_FALSE(same_bits(want, cases::inclusive(x, exchanged)));
  // Each chunk as an array of its own, after the carry; then with carry (+) sum as its last prefix.
  std::vector<T> own(n), carried = want;
  for (std::size_t c = 0; c < n; c += chunk) {
    const std::vector<T> part(x.data() + c, x.data() + std::min(n, c + chunk));
    const auto carry = c != 0 ? std::optional<T>(own[c - 1]) : std::nullopt;
    const auto y = cases::inclusive(part, op, carry);
    std::copy(y.begin(), y.end(), own.begin() + c);
    if (c != 0) {
      const T sum = *cases::defined_prefix(part, part.size(), op);
      carried[c + part.size() - 1] = op(want[c - 1], sum);
    }
  }
  if (!upsweep::exactly_associative<Op, T>) {
    EXPECT_FALSE(same_bits(want, own));
    EXPECT_FALSE(same_bits(want, carried));
    EXPECT_FALSE(same_bits(want, left_fold(x, op)));
  }
  std::vector<T> late = want;  // one value late, by one element
  late[150] = late[149];
  EXPECT_FALSE(same_bits(want, late));
}
TEST(Engines, WrongOrdersAreSeen) {
  expect_faults_are_seen<std::uint64_t>(cases::tree_hash{});
  expect_faults_are_seen<upsweep::affine<float>>(upsweep::compose{});
  // Float sums commute: exchanged operands are for the others to see.
  const auto x = cases::random_values<float>(300);
  EXPECT_FALSE(same_bits(cases::inclusive(x, plus{}), left_fold(x, plus{})));
  // Matrices do not see the tree, but the order of operands.
  const auto m = cases::random_values<cases::matrix>(50);
  const cases::matrix_modulo op;
  const auto exchanged = [&](const auto& a, const auto& b) { return op(b, a); };
  EXPECT_FALSE(same_bits(cases::inclusive(m, op), cases::inclusive(m, exchanged)));
  // 0.0 as padding, or as a start, turns -0.0 into 0.0.
  EXPECT_FALSE(same_bits(std::vector<float>{-0.0f}, std::vector<float>{-0.0f + 0.0f}));
  EXPECT_FALSE(same_bits(std::vector<float>(3), std::vector<float>(2)));
}

}  // namespace
