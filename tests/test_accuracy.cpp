// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second, separate check: against wider arithmetic, by the bound of docs/order.md, section 2.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "reference_cases.hpp"

namespace {

// In units of 2^-40 every input here is an integer, so that its sums are exact.
__extension__ typedef __int128 exact;

struct exact_sums {
  std::vector<exact> sum, magnitude;
};
template <class T>
exact_sums exact_prefixes(const std::vector<T>& x) {
  exact_sums all;
  exact sum = 0, magnitude = 0;
  for (const T value : x) {
    const exact units = static_cast<exact>(std::ldexp(value, 40));
    EXPECT_EQ(static_cast<T>(std::ldexp(static_cast<long double>(units), -40)), value);
    all.sum.push_back(sum += units);
    all.magnitude.push_back(magnitude += units < 0 ? -units : units);
  }
  return all;
}

// The number of prefixes whose error exceeds the bound.
template <class T>
std::size_t beyond_bound(const std::vector<T>& x, const std::vector<T>& y) {
  const exact_sums all = exact_prefixes(x);
  const long double u = std::ldexp(1.0L, -std::numeric_limits<T>::digits);
  std::size_t beyond = 0;
  for (std::size_t k = 1; k <= x.size(); ++k) {
    const long double m = 2 * (std::bit_width(k) - 1), gamma = m * u / (1 - m * u);
    exact error =
        static_cast<exact>(std::ldexp(static_cast<long double>(y[k - 1]), 40)) - all.sum[k - 1];
    if (error < 0) error = -error;
    const auto bound = gamma * static_cast<long double>(all.magnitude[k - 1]);
    beyond += static_cast<long double>(error) > bound ? 1 : 0;
  }
  return beyond;
}

template <class T>
std::vector<T> accuracy_input(std::size_t n, int bits, bool positive) {
  auto source = cases::random_source(13);
  std::vector<T> x(n);
  for (T& value : x) {
    value = std::ldexp(static_cast<T>(source() >> (64 - bits)), -bits);
    if (!positive && source() % 2 != 0) value = -value;
  }
  return x;
}

template <class T>
void expect_within_bound(int bits) {
  for (const bool positive : {true, false}) {
    const auto x = accuracy_input<T>(std::size_t{1} << 20, bits, positive);
    std::vector<T> y(x.size());
    upsweep::inclusive_scan(upsweep::par.on(3).with_chunk(10), x, y);
    EXPECT_EQ(beyond_bound(x, y), 0u) << "seed " << cases::seed();
  }
}

TEST(Accuracy, ErrorGrowsWithLog) {
  expect_within_bound<float>(20);
  expect_within_bound<double>(38);
}

// The check would see a running sum, whose error grows with the number of elements.
TEST(Accuracy, LeftFoldExceedsTheBound) {
  const std::vector<float> x(std::size_t{1} << 20, 0.1000003814697265625f);
  std::vector<float> fold, y(x.size());
  float sum = 0;
  for (const float value : x) fold.push_back(sum += value);
  upsweep::inclusive_scan(upsweep::seq, x, y);
  EXPECT_GT(beyond_bound(x, fold), 1000u);
  EXPECT_EQ(beyond_bound(x, y), 0u);
}

TEST(Accuracy, FloatsBeyondTheirIntegers) {
  const std::vector<float> ones(16777220, 1.0f);
  EXPECT_EQ(upsweep::reduce(upsweep::par, ones), 16777220.0f);
}

}  // namespace
