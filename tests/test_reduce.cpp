// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::tree_hash;
using upsweep::seq;

template <class T, class Op>
void expect_prefix_of_all(const Op& op, T init) {
  cases::on_every_engine([&](const auto& who) {
    for (const std::size_t n : cases::sizes()) {
      if (n == 0) continue;
      const auto x = cases::random_values<T>(n);
      const std::span<const T> all(x);
      const T without = upsweep::reduce(who, x, op), with = upsweep::reduce(who, x, op, init);
      EXPECT_TRUE(cases::same(*upsweep::reference::prefix(all, n, op), without))
          << n << ", seed " << cases::seed();
      EXPECT_TRUE(
          cases::same(*upsweep::reference::prefix(all, n, op, std::optional<T>(init)), with))
          << n << ", seed " << cases::seed();
    }
  });
}

TEST(Reduce, IsPrefixOfAll) {
  expect_prefix_of_all<cases::matrix>(cases::matrix_modulo{}, {2, 3, 5, 7});
  expect_prefix_of_all<std::uint64_t>(tree_hash{}, 3);
  expect_prefix_of_all<float>(upsweep::plus{}, 0.1f);
  expect_prefix_of_all<double>(upsweep::plus{}, 0.1);
  expect_prefix_of_all<std::uint8_t>(upsweep::plus{}, std::uint8_t{200});
}
TEST(Reduce, OtherOperators) {
  expect_prefix_of_all<std::int16_t>(upsweep::plus{}, std::int16_t{-5});
  expect_prefix_of_all<float>(upsweep::maximum{}, -100.0f);
  expect_prefix_of_all<cases::segment>(cases::segmented_plus{}, {1.0f, 0});
  expect_prefix_of_all<std::string>(upsweep::concatenate{}, std::string("<"));
}

TEST(Reduce, EqualsTheLastInclusiveResult) {
  const auto x = cases::random_values<float>(5000);
  std::vector<float> y(x.size());
  upsweep::inclusive_scan(upsweep::par.on(3).with_chunk(6), x, y);
  EXPECT_TRUE(cases::same(y.back(), upsweep::reduce(seq, x)));
  EXPECT_TRUE(cases::same(y.back(), upsweep::reduce(upsweep::par, x.begin(), x.end())));
  const std::vector<float> back(x.rbegin(), x.rend());
  EXPECT_TRUE(cases::same(upsweep::reduce(seq, back), upsweep::reduce(seq, x.rbegin(), x.rend())));
}

TEST(Reduce, Empty) {
  cases::on_every_engine([](const auto& who) {
    const std::vector<float> none;
    EXPECT_TRUE(cases::same(upsweep::reduce(who, none), 0.0f));
    EXPECT_EQ(upsweep::reduce(who, none, upsweep::multiplies{}), 1.0f);
    EXPECT_EQ(upsweep::reduce(who, none, upsweep::minimum{}),
              std::numeric_limits<float>::infinity());
    EXPECT_EQ(upsweep::reduce(who, none, upsweep::plus{}, 2.5f), 2.5f);
    const std::vector<std::uint64_t> nothing;
    EXPECT_THROW(upsweep::reduce(who, nothing, tree_hash{}), upsweep::argument_error);
    EXPECT_EQ(upsweep::reduce(who, nothing, tree_hash{}, std::uint64_t{7}), 7u);
    EXPECT_EQ(upsweep::reduce(who, std::vector<std::string>{}, upsweep::concatenate{}), "");
    // The same along an axis: an error where there is neither init nor empty value.
    std::vector<std::uint64_t> out(3, 9);
    const upsweep::array_view<const std::uint64_t> in(nothing.data(), {3, 0});
    const upsweep::array_view<std::uint64_t> to(out.data(), {3, 1});
    EXPECT_THROW(upsweep::reduce(who, in, to, 1, tree_hash{}), upsweep::argument_error);
    EXPECT_EQ(out, std::vector<std::uint64_t>(3, 9));
    upsweep::reduce(who, in, to, 1, tree_hash{}, std::uint64_t{5});
    EXPECT_EQ(out, std::vector<std::uint64_t>(3, 5));
  });
}

TEST(Reduce, AccumulatorType) {
  const std::vector<std::uint8_t> x{200, 100};
  static_assert(std::is_same_v<decltype(upsweep::reduce(seq, x)), std::uint8_t>);
  EXPECT_EQ(upsweep::reduce(seq, x), 44);
  static_assert(std::is_same_v<decltype(upsweep::reduce(seq, x, upsweep::plus{}, 0)), int>);
  EXPECT_EQ(upsweep::reduce(seq, x, upsweep::plus{}, 0), 300);
  const std::vector<upsweep::f16> h{upsweep::f16(2048.0f), upsweep::f16(1.0f)};
  static_assert(std::is_same_v<decltype(upsweep::reduce(seq, h)), float>);
  EXPECT_EQ(upsweep::reduce(seq, h), 2049.0f);
  static_assert(
      std::is_same_v<decltype(upsweep::reduce(seq, h, upsweep::plus{}, upsweep::f16(0.0f))),
                     float>);
  static_assert(std::is_same_v<decltype(upsweep::reduce(seq, x, upsweep::logical_or{})), bool>);
  EXPECT_TRUE(upsweep::reduce(seq, x, upsweep::logical_or{}));
}

}  // namespace
