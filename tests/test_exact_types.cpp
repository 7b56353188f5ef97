// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every arithmetic type with every shipped operator: where the operator is exact an engine may take
// any order, and gives the bits of the canonical one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::same_bits;

template <class T, class Op>
void expect_canonical(const char* name, const Op& op) {
  SCOPED_TRACE(name);
  for (const std::size_t n : {0u, 1u, 2u, 3u, 15u, 17u, 31u, 33u, 64u, 129u, 1023u, 2049u, 8193u}) {
    const auto x = cases::random_values<T>(n);
    const T init = T(3);
    const auto want = cases::inclusive(x, op);
    const auto late = cases::exclusive(x, op, std::optional<T>(init), n + 1);
    std::vector<T> y(n), z(n + 1);
    for (const char* target : cases::targets()) {
      if (!upsweep::cpu::has_simd_kernel<Op, T> && target != std::string("scalar")) continue;
      const cases::forced_target unit(target);
      for (const unsigned threads : {1u, 2u}) {
        const auto who = upsweep::par.on(threads).with_chunk(cases::chunk_log2);
        upsweep::inclusive_scan(who, x.data(), x.data() + n, y.data(), op);
        ASSERT_TRUE(same_bits(want, y)) << target << ", n = " << n;
        upsweep::exclusive_scan_with_total(who, x.data(), x.data() + n, z.data(), op, init);
        ASSERT_TRUE(same_bits(late, z)) << target << ", n = " << n;
      }
    }
  }
}
template <class T>
void expect_arithmetic() {
  expect_canonical<T>("plus", upsweep::plus{});
  expect_canonical<T>("multiplies", upsweep::multiplies{});
  expect_canonical<T>("minimum", upsweep::minimum{});
  expect_canonical<T>("maximum", upsweep::maximum{});
}
template <class T>
void expect_integer() {
  expect_arithmetic<T>();
  expect_canonical<T>("bit_and", upsweep::bit_and{});
  expect_canonical<T>("bit_or", upsweep::bit_or{});
  expect_canonical<T>("bit_xor", upsweep::bit_xor{});
}

TEST(ExactTypes, Bytes) {
  expect_integer<std::int8_t>();
  expect_integer<std::uint8_t>();
}
TEST(ExactTypes, TwoBytes) {
  expect_integer<std::int16_t>();
  expect_integer<std::uint16_t>();
}
TEST(ExactTypes, FourBytes) {
  expect_integer<std::int32_t>();
  expect_integer<std::uint32_t>();
}
TEST(ExactTypes, EightBytes) {
  expect_integer<std::int64_t>();
  expect_integer<std::uint64_t>();
  expect_canonical<long long>("plus", upsweep::plus{});
}
TEST(ExactTypes, Floats) {
  expect_arithmetic<float>();
  expect_arithmetic<double>();
}

// Any order: the engine's own, a left fold, and one from the right give the same.
template <class T, class Op>
void expect_any_order(const Op& op, const std::vector<T>& x) {
  static_assert(upsweep::exactly_associative<Op, T>);
  std::vector<T> y(x.size()), fold;
  for (const T& value : x) fold.push_back(fold.empty() ? value : op(fold.back(), value));
  T right = x.back();
  for (std::size_t i = x.size() - 1; i-- > 0;) right = op(x[i], right);
  upsweep::inclusive_scan(upsweep::par.on(3).with_chunk(cases::chunk_log2), x, y, op);
  EXPECT_TRUE(same_bits(cases::inclusive(x, op), y));
  EXPECT_TRUE(same_bits(fold, y));
  EXPECT_EQ(right, y.back());
}
template <class T, class Op>
void expect_any_order(const Op& op) {
  expect_any_order<T>(op, cases::random_values<T>(1500));
}
TEST(Engines, ExactOperatorsAnyOrder) {
  expect_any_order<std::int16_t>(upsweep::plus{});
  expect_any_order<std::uint64_t>(upsweep::multiplies{});
  expect_any_order<float>(upsweep::minimum{});
  expect_any_order<double>(upsweep::maximum{});
  expect_any_order<std::int32_t>(upsweep::bit_and{});
  expect_any_order<std::uint8_t>(upsweep::bit_or{});
  expect_any_order<std::int64_t>(upsweep::bit_xor{});
  expect_any_order<std::string>(upsweep::concatenate{});
  std::vector<upsweep::affine<std::uint32_t>> maps;
  std::vector<upsweep::matrix2x2<std::uint64_t>> matrices;
  std::vector<upsweep::max_count<float>> counts;
  const auto v = cases::random_values<std::uint32_t>(6000);
  for (std::size_t i = 0; i + 4 <= v.size(); i += 4) {
    maps.push_back({v[i], v[i + 1]});
    matrices.push_back({v[i], v[i + 1], v[i + 2], v[i + 3]});
    counts.push_back({static_cast<float>(v[i] % 40), 1 + v[i + 1] % 3});
  }
  expect_any_order(upsweep::compose{}, maps);
  expect_any_order(upsweep::matrix_product{}, matrices);
  expect_any_order(upsweep::maximum_count{}, counts);
  static_assert(!upsweep::exactly_associative<upsweep::plus, float>);
  static_assert(!upsweep::exactly_associative<upsweep::multiplies, double>);
  static_assert(!upsweep::exactly_associative<upsweep::compose, upsweep::affine<float>>);
}

TEST(ExactTypes, LogicalOperators) {
  for (const std::size_t n : cases::sizes(2049)) {
    auto source = cases::random_source(40 + n);
    std::vector<int> x(n), both(n), either(n);
    for (int& value : x) value = source() % 400 == 0 ? 0 : 2;
    upsweep::inclusive_scan(upsweep::par.on(3).with_chunk(6), x, both, upsweep::logical_and{});
    for (int& value : x) value = source() % 400 == 0 ? 4 : 0;
    const std::vector<int> ones = x;
    upsweep::inclusive_scan(upsweep::par.on(3).with_chunk(6), x, either, upsweep::logical_or{});
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(either[i], any = any || ones[i] != 0);
    for (std::size_t i = 1; i < n; ++i) ASSERT_LE(both[i], both[i - 1]);
  }
}

}  // namespace
