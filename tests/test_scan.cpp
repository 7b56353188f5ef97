// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls: what they write, in which accumulator, through which iterators.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::matrix;
using cases::matrix_modulo;
using cases::same_bits;
using cases::tree_hash;
using upsweep::par;
using upsweep::seq;
constexpr auto shared = upsweep::par.on(3).with_chunk(cases::chunk_log2);

TEST(Scan, KnownAnswers) {
  const std::vector<int> x{3, 1, 7, 0, 4, 1, 6, 3}, loaf{3, 5, 2, 7, 28, 4, 3, 0, 8, 1};
  std::vector<int> y(8), cuts(10), starts(10);
  upsweep::inclusive_scan(par, x, y);
  EXPECT_EQ(y, (std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25}));
  upsweep::exclusive_scan(par, x, y);
  EXPECT_EQ(y, (std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22}));
  upsweep::inclusive_scan(seq, loaf, cuts);
  upsweep::exclusive_scan(seq, loaf, starts);
  EXPECT_EQ(cuts, (std::vector<int>{3, 8, 10, 17, 45, 49, 52, 52, 60, 61}));
  EXPECT_EQ(starts, (std::vector<int>{0, 3, 8, 10, 17, 45, 49, 52, 52, 60}));
  EXPECT_EQ(100 - upsweep::reduce(seq, loaf), 39);
}

// Every mode, with and without init, against the reference, at every size.
template <class T, class Op>
void expect_all_modes(const Op& op, T init) {
  for (const std::size_t n : cases::sizes()) {
    const std::vector<T> x = cases::random_values<T>(n);
    std::vector<T> y(n, init), z(n + 1, init);
    upsweep::inclusive_scan(shared, x, y, op);
    ASSERT_TRUE(same_bits(cases::inclusive(x, op), y)) << n;
    upsweep::inclusive_scan(shared, x, y, op, init);
    ASSERT_TRUE(same_bits(cases::inclusive(x, op, std::optional<T>(init)), y)) << n;
    upsweep::exclusive_scan(shared, x, y, op, init);
    ASSERT_TRUE(same_bits(cases::exclusive(x, op, std::optional<T>(init), n), y)) << n;
    const auto end =
        upsweep::exclusive_scan_with_total(shared, x.data(), x.data() + n, z.data(), op, init);
    EXPECT_EQ(end, z.data() + n + 1);
    ASSERT_TRUE(same_bits(cases::exclusive(x, op, std::optional<T>(init), n + 1), z)) << n;
  }
}
TEST(Scan, InclusiveIsPrefix) {
  expect_all_modes<matrix>(matrix_modulo{}, matrix{2, 3, 5, 7});
  expect_all_modes<float>(upsweep::plus{}, 0.3f);
}
TEST(Scan, ExclusiveIsPrefix) { expect_all_modes<std::uint64_t>(tree_hash{}, 17); }
TEST(Scan, TotalIsLastPrefix) {
  expect_all_modes<std::string>(upsweep::concatenate{}, std::string("<"));
  expect_all_modes<upsweep::affine<float>>(upsweep::compose{}, {0.5f, -1});
  std::vector<int> offsets(4);
  upsweep::exclusive_scan(seq, std::vector<int>{2, 0, 5}, offsets);
  EXPECT_EQ(offsets, (std::vector<int>{0, 2, 2, 7}));
}

TEST(Scan, InPlace) {
  cases::on_every_engine([](const auto& who) {
    for (const std::size_t n : {1u, 7u, 33u, 64u, 191u, 2048u, 2085u}) {
      const auto x = cases::random_values<float>(n);
      std::vector<float> y = x, z = x, r = x;
      upsweep::inclusive_scan(who, y, y);
      ASSERT_TRUE(same_bits(cases::inclusive(x, upsweep::plus{}), y)) << n;
      upsweep::exclusive_scan(who, z.begin(), z.end(), z.begin());
      ASSERT_TRUE(same_bits(cases::exclusive(x, upsweep::plus{}, {}, n), z)) << n;
      upsweep::inclusive_scan(who, r.rbegin(), r.rend(), r.rbegin());
      const std::vector<float> reversed(x.rbegin(), x.rend());
      ASSERT_TRUE(same_bits(cases::inclusive(reversed, upsweep::plus{}),
                            std::vector<float>(r.rbegin(), r.rend())));
    }
  });
}

TEST(Scan, RefusesOtherOverlap) {
  std::vector<int> x(100, 1);
  const std::vector<int> before = x;
  EXPECT_THROW(upsweep::inclusive_scan(seq, x.data(), x.data() + 50, x.data() + 1),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::exclusive_scan(par, x.data() + 49, x.data() + 99, x.data()),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::inclusive_scan(seq, x.begin(), x.end(), x.rbegin()),
               upsweep::argument_error);
  EXPECT_EQ(x, before);
  // Neighbours that only touch are no overlap.
  upsweep::inclusive_scan(seq, x.data(), x.data() + 50, x.data() + 50);
  EXPECT_EQ(x[99], 50);
  std::vector<int> y(3);
  EXPECT_THROW(upsweep::inclusive_scan(seq, x, y), upsweep::argument_error);
  EXPECT_THROW(upsweep::exclusive_scan(seq, x, y), upsweep::argument_error);
}

template <class T, class Op>
T first_exclusive(const Op& op) {
  std::vector<T> y(2);
  upsweep::exclusive_scan(seq, std::vector<T>(2), y, op);
  return y[0];
}
template <class T>
void expect_empty_values() {
  using limits = std::numeric_limits<T>;
  const bool real = std::is_floating_point_v<T>;
  EXPECT_TRUE(cases::same(first_exclusive<T>(upsweep::plus{}), T(0)));
  EXPECT_EQ(first_exclusive<T>(upsweep::multiplies{}), T(1));
  EXPECT_EQ(first_exclusive<T>(upsweep::minimum{}), real ? limits::infinity() : limits::max());
  EXPECT_EQ(first_exclusive<T>(upsweep::maximum{}), real ? -limits::infinity() : limits::lowest());
}
TEST(Scan, EmptyPrefixValue) {
  cases::on_every_engine([](const auto&) {
    expect_empty_values<std::int8_t>();
    expect_empty_values<std::uint32_t>();
    expect_empty_values<std::int64_t>();
    expect_empty_values<float>();
    expect_empty_values<double>();
  });
  EXPECT_EQ(first_exclusive<std::uint16_t>(upsweep::bit_and{}), 0xffff);
  EXPECT_EQ(first_exclusive<std::int32_t>(upsweep::bit_or{}), 0);
  EXPECT_EQ(first_exclusive<std::int32_t>(upsweep::bit_xor{}), 0);
  EXPECT_EQ(first_exclusive<std::int32_t>(upsweep::logical_and{}), 1);
  EXPECT_EQ(first_exclusive<std::int32_t>(upsweep::logical_or{}), 0);
  EXPECT_EQ(first_exclusive<upsweep::affine<float>>(upsweep::compose{}),
            (upsweep::affine<float>{1, 0}));
  EXPECT_EQ(first_exclusive<upsweep::matrix2x2<double>>(upsweep::matrix_product{}),
            (upsweep::matrix2x2<double>{1, 0, 0, 1}));
  EXPECT_EQ(first_exclusive<upsweep::max_count<int>>(upsweep::maximum_count{}),
            (upsweep::max_count<int>{std::numeric_limits<int>::lowest(), 0}));
  EXPECT_EQ(first_exclusive<upsweep::max_count<float>>(upsweep::maximum_count{}),
            (upsweep::max_count<float>{-std::numeric_limits<float>::infinity(), 0}));
  EXPECT_EQ(first_exclusive<std::string>(upsweep::concatenate{}), "");
}

TEST(Scan, EmptyInput) {
  cases::on_every_engine([](const auto& who) {
    const std::vector<double> none;
    std::vector<double> y, total{7};
    upsweep::inclusive_scan(who, none, y);
    upsweep::exclusive_scan(who, none, y);
    double guard = 7;
    EXPECT_EQ(upsweep::inclusive_scan(who, &guard, &guard, &guard), &guard);
    EXPECT_EQ(upsweep::exclusive_scan(who, none.begin(), none.end(), &guard, upsweep::plus{}, 3.0),
              &guard);
    EXPECT_EQ(guard, 7);
    upsweep::exclusive_scan(who, none, total);
    EXPECT_TRUE(cases::same(total[0], 0.0));
    upsweep::exclusive_scan(who, none, total, upsweep::plus{}, 2.5);
    EXPECT_EQ(total[0], 2.5);
    upsweep::exclusive_scan(who, none, total, upsweep::minimum{});
    EXPECT_EQ(total[0], std::numeric_limits<double>::infinity());
    upsweep::exclusive_scan_with_total(who, none.rbegin(), none.rend(), total.rbegin());
    EXPECT_EQ(total[0], 0.0);
  });
}

TEST(Scan, ExclusiveIsInclusiveShifted) {
  for (const std::size_t n : cases::sizes()) {
    const auto x = cases::random_values<float>(n);
    std::vector<float> y(n), z(n + 1);
    upsweep::inclusive_scan(shared, x, y, upsweep::plus{}, 0.7f);
    upsweep::exclusive_scan(shared, x, z, upsweep::plus{}, 0.7f);
    ASSERT_TRUE(same_bits(y, std::vector<float>(z.begin() + 1, z.end()))) << n;
  }
}

TEST(Scan, PrefixIgnoresWhatFollows) {
  const auto x = cases::random_values<float>(3000);
  std::vector<float> whole(x.size());
  upsweep::inclusive_scan(shared, x, whole);
  for (const std::size_t n : cases::sizes(3000)) {
    std::vector<float> y(n);
    upsweep::inclusive_scan(shared, x.data(), x.data() + n, y.data());
    ASSERT_TRUE(same_bits(std::vector<float>(whole.begin(), whole.begin() + n), y)) << n;
  }
}

TEST(Scan, OverflowFollowsTheTree) {
  cases::on_every_engine([](const auto& who) {
    const std::vector<float> x{-3e38f, 0, 3e38f, 3e38f};
    std::vector<float> y(4);
    upsweep::inclusive_scan(who, x, y);
    EXPECT_EQ(y, (std::vector<float>{-3e38f, -3e38f, 0, std::numeric_limits<float>::infinity()}));
  });
}

TEST(Scan, NegativeZero) {
  cases::on_every_engine([](const auto& who) {
    for (const std::size_t n : {1u, 3u, 8u, 31u, 64u, 129u, 2049u}) {
      const std::vector<float> x(n, -0.0f);
      std::vector<float> y(n), z(n + 1);
      upsweep::inclusive_scan(who, x, y);
      EXPECT_TRUE(same_bits(x, y)) << n;
      EXPECT_TRUE(cases::same(upsweep::reduce(who, x), -0.0f)) << n;
      upsweep::exclusive_scan(who, x, z);
      EXPECT_TRUE(cases::same(z[0], 0.0f) && cases::same(z[1], -0.0f)) << n;
      EXPECT_TRUE(cases::same(z[n], -0.0f)) << n;
      upsweep::inclusive_scan(who, x, y, upsweep::plus{}, 0.0f);
      EXPECT_TRUE(same_bits(std::vector<float>(n, 0.0f), y)) << n;
    }
  });
}

TEST(Scan, ReverseOfReversed) {
  for (const std::size_t n : cases::sizes()) {
    const auto x = cases::random_values<double>(n);
    const std::vector<double> back(x.rbegin(), x.rend());
    std::vector<double> y(n), z(n + 1);
    upsweep::inclusive_scan(shared, x.rbegin(), x.rend(), y.rbegin());
    ASSERT_TRUE(same_bits(cases::inclusive(back, upsweep::plus{}),
                          std::vector<double>(y.rbegin(), y.rend())))
        << n;
    upsweep::exclusive_scan_with_total(shared, x.rbegin(), x.rend(), z.rbegin(), upsweep::plus{},
                                       0.1);
    const std::vector<double> visited(z.rbegin(), z.rend());
    ASSERT_TRUE(same_bits(cases::exclusive(back, upsweep::plus{}, {0.1}, n + 1), visited)) << n;
    // Only one of the two reversed.
    upsweep::inclusive_scan(shared, x.rbegin(), x.rend(), y.begin());
    ASSERT_TRUE(same_bits(cases::inclusive(back, upsweep::plus{}), y)) << n;
    upsweep::inclusive_scan(shared, x.begin(), x.end(), y.rbegin());
    ASSERT_TRUE(
        same_bits(cases::inclusive(x, upsweep::plus{}), std::vector<double>(y.rbegin(), y.rend())))
        << n;
  }
}

TEST(Scan, AnyRandomAccessIterator) {
  for (const std::size_t n : cases::sizes(2100)) {
    const auto x = cases::random_values<float>(n);
    const std::deque<float> in(x.begin(), x.end());
    std::deque<float> out(n);
    upsweep::inclusive_scan(shared, in, out);
    ASSERT_TRUE(
        same_bits(cases::inclusive(x, upsweep::plus{}), std::vector<float>(out.begin(), out.end())))
        << n;
    upsweep::exclusive_scan(shared, in.rbegin(), in.rend(), out.begin());
    const std::vector<float> back(x.rbegin(), x.rend());
    ASSERT_TRUE(same_bits(cases::exclusive(back, upsweep::plus{}, {}, n),
                          std::vector<float>(out.begin(), out.end())));
    ASSERT_EQ(upsweep::reduce(shared, in, tree_hash{}, std::uint64_t{3}),
              *cases::defined_prefix(std::vector<std::uint64_t>(x.begin(), x.end()), n, tree_hash{},
                                     std::optional<std::uint64_t>(3)));
  }
}

TEST(Scan, AccumulatorIsInitType) {
  // Each element is converted first: 100 + 100 + 100 of int8 in int32, and 0.6 + 0.6 in int is 0.
  const std::vector<std::int8_t> narrow{100, 100, 100};
  std::vector<std::int8_t> wrapped(3);
  upsweep::inclusive_scan(seq, narrow, wrapped, upsweep::maximum{}, 300);
  EXPECT_EQ(wrapped, (std::vector<std::int8_t>(3, 44)));  // 300 mod 256, rounded on store only
  std::vector<double> y(2);
  upsweep::inclusive_scan(seq, std::vector<double>{0.6, 0.6}, y, upsweep::plus{}, 0);
  EXPECT_EQ(y, (std::vector<double>{0, 0}));
  std::vector<float> z(2);  // 2^24 + 1 + 1 in double
  upsweep::inclusive_scan(seq, std::vector<float>{1, 1}, z, upsweep::plus{}, 16777216.0);
  EXPECT_EQ(z, (std::vector<float>{16777216.0f, 16777218.0f}));
  const std::vector<float> x = cases::random_values<float>(2085);
  const std::vector<double> wide(x.begin(), x.end());
  std::vector<float> rounded(x.size());
  upsweep::inclusive_scan(shared, x, rounded, upsweep::plus{}, 0.1);
  const auto expected = cases::inclusive(wide, upsweep::plus{}, {0.1});
  EXPECT_TRUE(same_bits(std::vector<float>(expected.begin(), expected.end()), rounded));
}

TEST(Scan, AccumulatorIsOutputType) {
  const std::vector<std::int8_t> narrow{100, 100, 100};
  std::vector<std::int32_t> wide(3);
  std::vector<std::int8_t> same(3);
  upsweep::inclusive_scan(seq, narrow, wide);
  EXPECT_EQ(wide, (std::vector<std::int32_t>{100, 200, 300}));
  upsweep::inclusive_scan(seq, narrow, same);
  EXPECT_EQ(same, (std::vector<std::int8_t>{100, -56, 44}));
  const auto x = cases::random_values<double>(2085);
  std::vector<float> y(x.size());
  upsweep::inclusive_scan(shared, x, y);
  EXPECT_TRUE(
      same_bits(cases::inclusive(std::vector<float>(x.begin(), x.end()), upsweep::plus{}), y));
}

TEST(Scan, LogicalAccumulatesInBool) {
  std::vector<int> y(4);
  upsweep::inclusive_scan(seq, std::vector<int>{5, 2, 0, 4}, y, upsweep::logical_and{});
  EXPECT_EQ(y, (std::vector<int>{1, 1, 0, 0}));
  upsweep::inclusive_scan(seq, std::vector<int>{0, 2, 0, 4}, y, upsweep::logical_or{}, 0);
  EXPECT_EQ(y, (std::vector<int>{0, 1, 1, 1}));
  upsweep::exclusive_scan(seq, std::vector<double>{0.5, 0, 1, 1}, y, std::logical_and<>{}, 8);
  EXPECT_EQ(y, (std::vector<int>{1, 1, 0, 0}));
  EXPECT_EQ(upsweep::reduce(seq, std::vector<int>{2, 4}, upsweep::logical_and{}), true);
}

TEST(Scan, StandardFunctionObjectsWrap) {
  std::vector<int> y(2);
  upsweep::inclusive_scan(seq, std::vector<int>{2147483647, 1}, y, std::plus<>{});
  EXPECT_EQ(y[1], std::numeric_limits<int>::min());
}

}  // namespace
