// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-bit floats: all 65536 values, and every place where rounding decides, against tables built
// with ldexp. The scalar class and the vector conversions of each target.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference_cases.hpp"
#include "upsweep/cpu/convert.hpp"

namespace {

using upsweep::bf16;
using upsweep::f16;

template <class H>
struct format;
template <>
struct format<f16> {
  static constexpr int fraction = 10, bias = 15;
};
template <>
struct format<bf16> {
  static constexpr int fraction = 7, bias = 127;
};

// The magnitudes 0, 1, ..., infinity by the formula of IEEE 754; infinity as the value it would
// have with one exponent more, which is where rounding to it begins from.
template <class H>
std::vector<double> magnitudes() {
  constexpr int fraction = format<H>::fraction, bias = format<H>::bias;
  std::vector<double> values;
  for (int bits = 0; bits <= (2 * bias + 1) << fraction; ++bits) {
    const int exponent = bits >> fraction, mantissa = bits & ((1 << fraction) - 1);
    values.push_back(exponent == 0
                         ? std::ldexp(mantissa, 1 - bias - fraction)
                         : std::ldexp(mantissa + (1 << fraction), exponent - bias - fraction));
  }
  return values;
}

// The bits nearest to a finite v: a tie goes to the even ones.
std::uint16_t nearest(const std::vector<double>& table, float v) {
  const double x = std::fabs(static_cast<double>(v));
  const auto sign = static_cast<std::uint16_t>(std::signbit(v) ? 0x8000 : 0);
  auto low =
      static_cast<std::size_t>(std::upper_bound(table.begin(), table.end(), x) - table.begin()) - 1;
  if (low + 1 < table.size()) {
    const double middle = (table[low] + table[low + 1]) / 2;
    if (x > middle || (x == middle && low % 2 != 0)) ++low;
  }
  return static_cast<std::uint16_t>(sign + low);
}

// Each value, each halfway point, their float neighbours; the ends; random bits.
template <class H>
std::vector<float> rounding_cases() {
  const auto table = magnitudes<H>();
  std::vector<float> all;
  const auto add = [&](double value) {
    const float v = static_cast<float>(value), inf = std::numeric_limits<float>::infinity();
    for (const float x : {v, std::nextafterf(v, 0), std::nextafterf(v, inf)})
      all.push_back(x), all.push_back(-x);
  };
  for (std::size_t i = 0; i + 1 < table.size(); ++i)
    add(table[i]), add((table[i] + table[i + 1]) / 2);
  add(std::numeric_limits<float>::max());
  add(std::numeric_limits<float>::min());
  auto source = cases::random_source(8);
  for (int i = 0; i < 300000; ++i)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(source())));
  return all;
}

template <class H>
void expect_float_exact() {
  const auto table = magnitudes<H>();
  std::vector<H> halves;
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    halves.push_back(H::from_bits(static_cast<std::uint16_t>(bits)));
  const auto check = [&](std::size_t bits, float value) {
    const std::size_t magnitude = bits & 0x7fff;
    EXPECT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if (magnitude < table.size() - 1)
      EXPECT_EQ(std::fabs(value), table[magnitude]) << bits;
    else if (magnitude == table.size() - 1)
      EXPECT_TRUE(std::isinf(value)) << bits;
    else
      EXPECT_TRUE(std::isnan(value)) << bits;
  };
  for (std::size_t i = 0; i < halves.size(); ++i) check(i, float(halves[i]));
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    SCOPED_TRACE(name);
    std::vector<float> wide(halves.size());
    upsweep::cpu::convert(halves.data(), wide.data(), wide.size());
    for (std::size_t i = 0; i < wide.size(); ++i) check(i, wide[i]);
  }
}
TEST(Float16, ConvertsToFloatExactly) {
  expect_float_exact<f16>();
  expect_float_exact<bf16>();
  static_assert(float(f16::from_bits(0x0001)) == 0x1p-24f &&
                float(f16::from_bits(0x7bff)) == 65504);
  static_assert(float(bf16::from_bits(0x0001)) == 0x1p-133f);
}

template <class H>
void expect_nearest_even() {
  const auto table = magnitudes<H>();
  const auto x = rounding_cases<H>();
  const auto infinity = static_cast<std::uint16_t>(table.size() - 1);
  const auto right = [&](float v, H got) {
    if (std::isnan(v)) return (got.bits & 0x7fff) > infinity;
    if (std::isinf(v)) return got.bits == (std::signbit(v) ? infinity | 0x8000 : infinity);
    return got.bits == nearest(table, v);
  };
  for (const float v : x) ASSERT_TRUE(right(v, H(v))) << cases::shown(v) << cases::shown(H(v));
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    std::vector<H> y(x.size());
    upsweep::cpu::convert(x.data(), y.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(right(x[i], y[i])) << name << ": " << cases::shown(x[i]) << cases::shown(y[i]);
  }
  // The oracle sees truncation, and a tie that goes up.
  EXPECT_NE(nearest(table, static_cast<float>((table[1] + 3 * table[2]) / 4)), 1);
  EXPECT_EQ(nearest(table, static_cast<float>((table[2] + table[3]) / 2)), 2);
}
TEST(Float16, RoundsToNearestEven) {
  expect_nearest_even<f16>();
  expect_nearest_even<bf16>();
  EXPECT_EQ(f16(65519.996f).bits, 0x7bff);
  EXPECT_EQ(f16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(f16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(f16(0x1p-25f).bits, 0);
  EXPECT_EQ(f16(0x1.8p-24f).bits, 2);
  EXPECT_EQ(bf16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(bf16(-0.0f).bits, 0x8000);
}

// Lengths 0 ... 70 at every misalignment: right, and nothing beside the output.
template <class From, class To>
void expect_lengths(std::uint64_t salt) {
  const auto x = cases::random_values<From>(90, salt);
  const To guard = To(1234.0f);
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (std::size_t n = 0; n <= 70; ++n)
      for (std::size_t offset = 0; offset < 16; ++offset) {
        std::vector<To> y(110, guard);
        upsweep::cpu::convert(x.data() + offset, y.data() + 8 + (offset * 7) % 16, n);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const std::size_t k = i - (8 + (offset * 7) % 16);
          const To want = k < n ? To(x[offset + k]) : guard;
          ASSERT_TRUE(cases::same(y[i], want))
              << name << ", " << n << " at " << offset << ": " << i;
        }
      }
  }
}
TEST(Float16, AnyLengthAnyAlignment) {
  expect_lengths<f16, float>(9);
  expect_lengths<bf16, float>(10);
  expect_lengths<float, f16>(11);
  expect_lengths<float, bf16>(12);
}

template <class H>
void expect_one_rounding() {
  cases::on_every_engine([](const auto& who) {
    for (const std::size_t n : cases::sizes()) {
      const auto x = cases::random_values<H>(n);
      const std::vector<float> wide(x.begin(), x.end());
      const auto sums = cases::inclusive(wide, upsweep::plus{});
      const auto late = cases::exclusive(wide, upsweep::plus{}, {0.5f}, n + 1);
      std::vector<H> want, y(n), back(n), z(n + 1);
      for (const float s : sums) want.push_back(H(s));
      upsweep::inclusive_scan(who, x, y);
      ASSERT_TRUE(cases::same_bits(want, y)) << n;
      want.clear();
      for (const float s : late) want.push_back(H(s));
      upsweep::exclusive_scan(who, x, z, upsweep::plus{}, H(0.5f));
      ASSERT_TRUE(cases::same_bits(want, z)) << n;
      std::vector<H> same = x;
      upsweep::inclusive_scan(who, same, same);
      ASSERT_TRUE(cases::same_bits(y, same)) << n;
      if (n != 0) {
        EXPECT_TRUE(cases::same(upsweep::reduce(who, x), sums.back()));
      }
    }
  });
}
TEST(Float16, ScanRoundsOnce) {
  expect_one_rounding<f16>();
  expect_one_rounding<bf16>();
  const std::vector<f16> x{f16(2048), f16(1), f16(1), f16(1), f16(1)};
  std::vector<f16> y(5);
  upsweep::inclusive_scan(upsweep::seq, x, y);
  EXPECT_EQ(std::vector<float>(y.begin(), y.end()),
            (std::vector<float>{2048, 2048, 2050, 2052, 2052}));
}

// The kernel that widens on load and rounds on store, at every misalignment, between guards.
template <class H>
void expect_half_kernel() {
  using upsweep::cpu::output;
  using upsweep::cpu::store;
  const H guard = H(1234.0f);
  const float init = 0.75f;
  for (const char* name : cases::targets())
    for (const std::size_t n : {0u, 1u, 7u, 16u, 31u, 33u, 64u, 100u, 129u, 1029u})
      for (std::size_t at = 0; at < 16; ++at)
        for (const store how : {store::cached, store::streaming})
          for (const output mode : {output::none, output::inclusive, output::exclusive}) {
            const cases::forced_target unit(name);
            const auto x = cases::random_values<H>(n + 16, 14);
            const std::size_t from = at * 3 % 16;
            const std::vector<float> wide(x.begin() + from, x.begin() + from + n);
            const auto sums = mode == output::inclusive
                                  ? cases::inclusive(wide, upsweep::plus{}, {init})
                                  : cases::exclusive(wide, upsweep::plus{}, {init}, n);
            alignas(64) H memory[1200];
            std::fill(memory, memory + n + 150, guard);
            std::vector<H> want(n + 150, guard);
            for (std::size_t i = 0; i < n && mode != output::none; ++i)
              want[64 + at + i] = H(sums[i]);
            upsweep::prefix_stack<float, upsweep::plus> stack(upsweep::plus{}, init);
            upsweep::cpu::simd_run_half(x.data() + from,
                                        mode == output::none ? nullptr : memory + 64 + at, n, stack,
                                        mode, how);
            ASSERT_TRUE(cases::same_bits(want, std::vector<H>(memory, memory + n + 150)))
                << name << ", n = " << n << " at " << at;
            const float total = *cases::defined_prefix(wide, n, upsweep::plus{}, {init});
            ASSERT_TRUE(cases::same(*stack.prefix(), total)) << name << ", n = " << n;
          }
}
TEST(Float16, KernelAtAnyAlignment) {
  expect_half_kernel<f16>();
  expect_half_kernel<bf16>();
}

TEST(Float16, OtherTypesGoByWayOfFloat) {
  // 1 + 2^-11 + 2^-40: above the tie in double, on it in float.
  const std::vector<double> x{1 + 0x1p-11 + 0x1p-40, 1.0};
  std::vector<f16> y(2);
  upsweep::inclusive_scan(upsweep::seq, x, y, upsweep::plus{}, 0.0);
  EXPECT_EQ(float(y[0]), 1.0f);
  std::vector<bf16> z(1);
  upsweep::inclusive_scan(upsweep::seq, std::vector<std::int64_t>{16842753 + (1 << 30)}, z,
                          upsweep::plus{}, std::int64_t{0});
  EXPECT_EQ(z[0].bits, bf16(static_cast<float>(16842753 + (1 << 30))).bits);
}

}  // namespace
