// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/order.md, section 4, pins about the shipped operators, each against an oracle that
// does not share its code; and the vector kernels against the scalar operators.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::same;
using cases::shown;
using upsweep::affine;
using upsweep::matrix2x2;

template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const T inf = limits::infinity(), nan = limits::quiet_NaN(), tiny = limits::denorm_min();
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(1.5),
            T(3),
            tiny,
            -tiny,
            limits::min(),
            -limits::min(),
            limits::max(),
            limits::lowest(),
            inf,
            -inf,
            nan,
            -nan,
            limits::min() - tiny};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(7),
            limits::min(),
            limits::max(),
            T(limits::max() - 1),
            T(limits::max() / 2 + 1),
            T(~T(0))};
  }
}

template <class Op, class T>
void expect_neutral() {
  for (const T& x : special_values<T>())
    EXPECT_TRUE(same(Op{}(Op::template identity<T>(), x), x)) << shown(x);
}
template <class T>
void expect_identities() {
  expect_neutral<upsweep::plus, T>();
  expect_neutral<upsweep::multiplies, T>();
  expect_neutral<upsweep::minimum, T>();
  expect_neutral<upsweep::maximum, T>();
  if constexpr (std::is_integral_v<T>) {
    expect_neutral<upsweep::bit_and, T>();
    expect_neutral<upsweep::bit_or, T>();
    expect_neutral<upsweep::bit_xor, T>();
  }
}
TEST(Operators, IdentityIsNeutral) {
  expect_identities<float>();
  expect_identities<double>();
  expect_identities<std::int8_t>();
  expect_identities<std::uint16_t>();
  expect_identities<std::int32_t>();
  expect_identities<std::uint64_t>();
  EXPECT_TRUE(std::signbit(upsweep::plus::identity<float>()));
  EXPECT_FALSE(same(0.0f + -0.0f, -0.0f));  // why 0.0 is none
  for (const bool x : {false, true}) {
    EXPECT_EQ(upsweep::plus{}(upsweep::plus::identity<bool>(), x), x);
    EXPECT_EQ(upsweep::multiplies{}(upsweep::multiplies::identity<bool>(), x), x);
    EXPECT_EQ(upsweep::logical_and{}(upsweep::logical_and::identity<bool>(), x), x);
    EXPECT_EQ(upsweep::logical_or{}(upsweep::logical_or::identity<bool>(), x), x);
  }
  for (const float x : special_values<float>()) {
    const upsweep::max_count<float>
        e = upsweep::maximum_count::identity<upsweep::max_count<float>>(),
        m{x, 3}, y = upsweep::maximum_count{}(e, m);
    EXPECT_TRUE(same(y.value, x) && y.count == 3) << shown(x);
  }
  EXPECT_EQ(
      upsweep::concatenate{}(upsweep::concatenate::identity<std::string>(), std::string("ab")),
      "ab");
}

// All pairs of specials through every engine: as rows of two, and as the first rows of columns.
template <class T, class Op, class Oracle>
void expect_pairs(const Op& op, const Oracle& oracle, bool other_values = true) {
  std::vector<T> v = special_values<T>(), x, want;
  auto source = cases::random_source(5);
  for (int i = 0; i < 15 && other_values; ++i) v.push_back(cases::random_value<T>(source));
  for (const T& a : v)
    for (const T& b : v) {
      x.push_back(a), x.push_back(b), want.push_back(oracle(a, b));
      EXPECT_TRUE(same(T(op(a, b)), want.back())) << shown(a) << ", " << shown(b);
    }
  const std::size_t n = want.size();
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    SCOPED_TRACE(name);
    std::vector<T> y(2 * n), totals(n), columns(2 * n);
    const upsweep::array_view<const T> pairs(x.data(), {n, 2}), across(x.data(), {2, n}, {1, 2});
    upsweep::inclusive_scan(upsweep::seq, pairs, upsweep::array_view<T>(y.data(), {n, 2}), 1, op);
    upsweep::inclusive_scan(upsweep::seq, across, upsweep::array_view<T>(columns.data(), {2, n}), 0,
                            op);
    upsweep::reduce(upsweep::seq, pairs, upsweep::array_view<T>(totals.data(), {n, 1}), 1, op);
    for (std::size_t i = 0; i < n; ++i) {
      const auto pair = shown(x[2 * i]) + ", " + shown(x[2 * i + 1]);
      ASSERT_TRUE(same(y[2 * i + 1], want[i])) << pair << " gives " << shown(y[2 * i + 1]);
      ASSERT_TRUE(same(totals[i], want[i])) << pair << " gives " << shown(totals[i]);
      ASSERT_TRUE(same(columns[n + i], want[i])) << pair << " gives " << shown(columns[n + i]);
    }
  }
}

// float: the sum and the product in double, rounded once more, are the correctly rounded ones.
// double: fma rounds once by definition.
TEST(Operators, FloatsRoundOnce) {
  expect_pairs<float>(upsweep::plus{}, [](float a, float b) {
    return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
  });
  expect_pairs<float>(upsweep::multiplies{}, [](float a, float b) {
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
  });
  expect_pairs<double>(upsweep::plus{}, [](double a, double b) { return std::fma(1.0, a, b); });
  expect_pairs<double>(upsweep::multiplies{}, [](double a, double b) {
    return std::fma(a, b, a * b == 0 ? a * b : -0.0);
  });
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(upsweep::reduce(upsweep::seq, std::vector<float>(100, tiny)), 100 * tiny);
}

TEST(Operators, ComposeUsesFma) {
  const affine<float> l{1, 1.000244140625f}, r{1.000244140625f, -1};
  EXPECT_EQ(upsweep::compose{}(l, r).offset, 0.0004883408546447754f);
  EXPECT_NE(r.scale * l.offset + r.offset, upsweep::compose{}(l, r).offset);
  const auto x = cases::random_values<affine<float>>(501, 6);
  for (std::size_t i = 1; i < x.size(); ++i) {
    const affine<float> y = upsweep::compose{}(x[i - 1], x[i]);
    EXPECT_TRUE(same(y.scale, x[i].scale * x[i - 1].scale));
    EXPECT_TRUE(same(y.offset, std::fma(x[i].scale, x[i - 1].offset, x[i].offset)));
  }
  const affine<double> ld{1, 1 + 0x1p-30}, rd{1 + 0x1p-30, -1};
  EXPECT_EQ(upsweep::compose{}(ld, rd).offset, 0x1p-29 + 0x1p-60);
  const affine<std::uint32_t> a{3, 5}, b{0x80000001u, 7};
  EXPECT_EQ(upsweep::compose{}(a, b), (affine<std::uint32_t>{0x80000003u, 0x8000000cu}));
}

TEST(Operators, MatrixUsesFma) {
  const auto v = cases::random_values<float>(800, 7);
  for (std::size_t i = 0; i + 8 <= v.size(); i += 8) {
    const matrix2x2<float> l{v[i], v[i + 1], v[i + 2], v[i + 3]};
    const matrix2x2<float> r{v[i + 4], v[i + 5], v[i + 6], v[i + 7]};
    const matrix2x2<float> y = upsweep::matrix_product{}(l, r);
    EXPECT_TRUE(same(y.a, std::fma(l.a, r.a, l.b * r.c)));
    EXPECT_TRUE(same(y.b, std::fma(l.a, r.b, l.b * r.d)));
    EXPECT_TRUE(same(y.c, std::fma(l.c, r.a, l.d * r.c)));
    EXPECT_TRUE(same(y.d, std::fma(l.c, r.b, l.d * r.d)));
  }
  // The second product is rounded, the first is not: 1 + 2^-29 + 2^-60 minus its rounding.
  const matrix2x2<double> l{1 + 0x1p-30, -(1 + 0x1p-29), 0, 0}, r{1 + 0x1p-30, 0, 1, 0};
  EXPECT_EQ(upsweep::matrix_product{}(l, r).a, 0x1p-60);
  const matrix2x2<std::uint8_t> f{1, 1, 1, 0};
  std::vector<matrix2x2<std::uint8_t>> x(20, f);
  EXPECT_EQ(upsweep::reduce(upsweep::seq, x, upsweep::matrix_product{}).b, 6765 % 256);
}

template <class T>
T ieee_minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T ieee_maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
TEST(Operators, MinimumMaximum2019) {
  expect_pairs<float>(upsweep::minimum{}, ieee_minimum<float>);
  expect_pairs<float>(upsweep::maximum{}, ieee_maximum<float>);
  expect_pairs<double>(upsweep::minimum{}, ieee_minimum<double>);
  expect_pairs<double>(upsweep::maximum{}, ieee_maximum<double>);
}
TEST(Operators, IntegerMinimumMaximumOnEveryTarget) {
  const auto least = [](auto a, auto b) { return b < a ? b : a; };
  const auto most = [](auto a, auto b) { return a < b ? b : a; };
  expect_pairs<std::int32_t>(upsweep::minimum{}, least);
  expect_pairs<std::int32_t>(upsweep::maximum{}, most);
  expect_pairs<std::uint32_t>(upsweep::minimum{}, least);
  expect_pairs<std::uint32_t>(upsweep::maximum{}, most);
  expect_pairs<std::int64_t>(upsweep::minimum{}, least);
  expect_pairs<std::int64_t>(upsweep::maximum{}, most);
  expect_pairs<std::uint64_t>(upsweep::minimum{}, least);
  expect_pairs<std::uint64_t>(upsweep::maximum{}, most);
}

// A NaN anywhere makes all later prefixes NaN and no earlier one, on every engine.
template <class T, class Op>
void expect_nan_propagates(const Op& op) {
  cases::on_every_engine([&](const auto& who) {
    for (const std::size_t n : {1u, 5u, 40u, 129u, 300u})
      for (std::size_t at = 0; at < n; at += 1 + n / 7) {
        auto x = cases::random_values<T>(n);
        x[at] = at % 2 != 0 ? -std::numeric_limits<T>::quiet_NaN()
                            : std::numeric_limits<T>::signaling_NaN();
        std::vector<T> y(n);
        upsweep::inclusive_scan(who, x, y, op);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(std::isnan(y[i]), i >= at) << i << " of " << n << ", NaN at " << at;
        EXPECT_TRUE(std::isnan(upsweep::reduce(who, x, op)));
      }
  });
}
TEST(Operators, NanPropagates) {
  expect_nan_propagates<float>(upsweep::plus{});
  expect_nan_propagates<double>(upsweep::plus{});
  expect_nan_propagates<float>(upsweep::minimum{});
  expect_nan_propagates<double>(upsweep::maximum{});
  expect_nan_propagates<float>(upsweep::multiplies{});
}

TEST(Operators, MaximumCountIsExact) {
  using counted = upsweep::max_count<float>;
  const upsweep::maximum_count op;
  const auto rank = [](float v) {  // NaN above everything, -0.0 below 0.0
    return std::isnan(v) ? std::pair(2, 0.0f)
                         : std::pair(v == 0 ? (std::signbit(v) ? 0 : 1) : 0, v);
  };
  const auto below = [&](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    return a != b ? a < b : rank(a).first < rank(b).first;
  };
  const auto equal = [](const counted& a, const counted& b) {
    return same(a.value, b.value) && a.count == b.count;
  };
  const auto v = special_values<float>();
  for (const float a : v)
    for (const float b : v) {
      const counted l{a, 2}, r{b, 5}, y = op(l, r);
      const counted want = same(a, b) ? counted{a, 7} : below(a, b) ? r : l;
      EXPECT_TRUE(equal(y, want)) << shown(a) << ", " << shown(b);
      for (const float c : v)
        EXPECT_TRUE(equal(op(op(l, r), counted{c, 1}), op(l, op(r, counted{c, 1}))))
            << shown(a) << ", " << shown(b) << ", " << shown(c);
    }
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

template <class T>
void expect_wraps() {
  const auto wrapped = [](wide value) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(value));
  };
  expect_pairs<T>(upsweep::plus{}, [&](T a, T b) { return wrapped(wide(a) + wide(b)); });
  const auto product = [&](T a, T b) {
    const auto p = static_cast<unsigned_wide>(wide(a)) * static_cast<unsigned_wide>(wide(b));
    return wrapped(static_cast<wide>(p));
  };
  expect_pairs<T>(upsweep::multiplies{}, product);
  EXPECT_TRUE((same(upsweep::compose{}(affine<T>{2, 100}, affine<T>{100, 100}).offset,
                    wrapped(wide(100) * 100 + 100))));
}
TEST(Operators, IntegersWrap) {
  expect_wraps<std::int8_t>();
  expect_wraps<std::uint8_t>();
  expect_wraps<std::int16_t>();
  expect_wraps<std::uint16_t>();
  expect_wraps<std::int32_t>();
  expect_wraps<std::uint32_t>();
  expect_wraps<std::int64_t>();
  expect_wraps<std::uint64_t>();
}

TEST(Operators, BoolPlusIsOr) {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      EXPECT_EQ(upsweep::plus{}(a, b), a || b);
      EXPECT_EQ(upsweep::multiplies{}(a, b), a && b);
    }
  const std::vector<bool> x{false, true, false, true};
  std::vector<bool> y(4);
  std::vector<int> counts(4);
  upsweep::inclusive_scan(upsweep::seq, x, y);
  EXPECT_EQ(y, (std::vector<bool>{false, true, true, true}));
  upsweep::inclusive_scan(upsweep::seq, x, counts);
  EXPECT_EQ(counts, (std::vector<int>{0, 1, 1, 2}));
}

}  // namespace
