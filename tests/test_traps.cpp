// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults that other scan implementations had, by kind; inputs and answers are our own.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "reference_cases.hpp"

namespace {

using upsweep::array_view;
using upsweep::par;
using upsweep::plus;
using upsweep::seq;
template <class T>
using list = std::vector<T>;

template <class T, class Op = plus>
list<T> scanned(const list<T>& x, const Op& op = {}) {
  list<T> y(x.size());
  upsweep::inclusive_scan(par.on(2).with_chunk(6), x, y, op);
  return y;
}
template <class T, class Op = plus>
list<T> shifted(const list<T>& x, const Op& op = {}) {
  list<T> y(x.size());
  upsweep::exclusive_scan(par.on(2).with_chunk(6), x, y, op);
  return y;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool huge = false;  // terabytes of shadow, minutes of checks
#else
constexpr bool huge = true;
#endif

// Zero pages that cost nothing until they are written.
struct sparse_bytes {
  explicit sparse_bytes(std::size_t n) : size(n) {
    void* const p = ::mmap(nullptr, n, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data = p == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(p);
  }
  sparse_bytes(const sparse_bytes&) = delete;
  ~sparse_bytes() {
    if (data) ::munmap(data, size);
  }
  std::size_t size;
  std::uint8_t* data;
};

TEST(Traps, SizeOverflow32Bit) {
  if (!huge) GTEST_SKIP() << "more than 4 GiB of address space, not under sanitizers";
  const std::size_t rows = 65600, n = 65536;
  const sparse_bytes x(rows * n);
  ASSERT_NE(x.data, nullptr);
  for (const std::size_t r : {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, rows - 1})
    x.data[r * n + (r * 31) % n] = 5;
  list<std::uint8_t> totals(rows, 9), want(rows, 0);
  for (const std::size_t r : {std::size_t{0}, std::size_t{65535}, std::size_t{65536}, rows - 1})
    want[r] = 5;
  upsweep::reduce(par, array_view<const std::uint8_t>(x.data, {rows, n}),
                  array_view(totals.data(), {rows, std::size_t{1}}), 1);
  EXPECT_TRUE(cases::same_bits(want, totals));
  EXPECT_EQ(upsweep::reduce(par, x.data, x.data + rows * n, plus{}, std::int64_t{1} << 40),
            (std::int64_t{1} << 40) + 20);
}

TEST(Traps, SizeOverflow32BitInOneLine) {
  if (!huge) GTEST_SKIP() << "2^31 elements, not under sanitizers";
  const std::size_t n = (std::size_t{1} << 31) + 64;
  const sparse_bytes x(n);
  ASSERT_NE(x.data, nullptr);
  x.data[3] = 1, x.data[n - 2] = 2;
  // All results go to one place, one after the other: what stays is the last. Public calls refuse
  // such an output; the engine below them does not look.
  std::int64_t last = 0;
  upsweep::geometry line;
  line.rank = 1, line.extents[0] = n, line.in_strides[0] = 1, line.out_strides[0] = 0;
  upsweep::cpu::scan_array<std::int64_t>(par.on(1), upsweep::cpu::make_source<std::int64_t>(x.data),
                                         upsweep::cpu::make_sink<std::int64_t>(&last), line,
                                         upsweep::cpu::output::inclusive, upsweep::plus{},
                                         std::nullopt, std::optional<std::int64_t>(0));
  EXPECT_EQ(last, 3);
  EXPECT_EQ(upsweep::reduce(par, x.data, x.data + n), 3);
}

TEST(Traps, EmptyInput) {
  const list<double> none;
  EXPECT_TRUE(scanned(none, upsweep::multiplies{}).empty());
  EXPECT_TRUE(scanned(none, upsweep::minimum{}).empty());
  EXPECT_TRUE(scanned(none, upsweep::maximum{}).empty());
  EXPECT_TRUE(shifted(none).empty());
}

TEST(Traps, Segmented) {
  // Values 1 2 3 4 in segments of lengths 0 2 0 0 2 0: a segment starts at elements 0 and 2.
  const list<cases::segment> x{{1, 1}, {2, 0}, {3, 1}, {4, 0}};
  list<float> sums;
  for (const auto& s : scanned(x, cases::segmented_plus{})) sums.push_back(s.sum);
  EXPECT_EQ(sums, (list<float>{1, 3, 3, 7}));
  EXPECT_TRUE(scanned(list<cases::segment>{}, cases::segmented_plus{}).empty());
}

TEST(Traps, SizeOne) {
  list<float> base{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y(7, 12345.0f);
  upsweep::inclusive_scan(par, array_view<const float>(base.data() + 3, {1, 7}, {10, 1}),
                          array_view(y.data(), {1, 7}), 0);
  EXPECT_EQ(y, (list<float>{4, 5, 6, 7, 8, 9, 10}));
}

TEST(Traps, BlockBoundary) {
  cases::on_every_engine([](const auto& who) {
    list<int> x(1024), y(1024);
    for (std::size_t at = 0; at < x.size(); ++at) {  // a single 1 at every position
      x[at] = 1;
      upsweep::exclusive_scan(who, x, y);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], i > at) << at;
      x[at] = 0;
      if (who.threads > 2) at += 36;
    }
    for (const std::size_t n : {3u, 5u, 6u, 7u, 8u, 16u, 32u, 1000u}) {
      list<int> ramp(n), sums(n);
      for (std::size_t i = 0; i < n; ++i) ramp[i] = static_cast<int>(i % 5) - 1;
      upsweep::inclusive_scan(who, ramp, sums);
      int sum = 0;
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sums[i], sum += ramp[i]) << n;
    }
  });
  const auto zeros_and = [](std::size_t a, std::size_t b) {
    list<int> x(1024);
    x[a] = x[b] = 1;
    return shifted(x);
  };
  const auto y = zeros_and(511, 599);
  EXPECT_EQ((list<int>{y[511], y[512], y[599], y[600], y[1023]}), (list<int>{0, 1, 1, 2, 2}));
}

TEST(Traps, IdempotentMaximum) {
  list<int> x;
  for (int i = 0; i < 64; ++i) x.push_back(7 * i % 64);
  const auto y = scanned(x, upsweep::maximum{});
  EXPECT_EQ((list<int>(y.begin(), y.begin() + 10)),
            (list<int>{0, 7, 14, 21, 28, 35, 42, 49, 56, 63}));
  EXPECT_EQ(y[63], 63);
}

TEST(Traps, NotAMultipleOfTheVector) {
  cases::on_every_engine([](const auto& who) {
    for (const std::size_t n : {1u, 17u, 31u, 33u, 45u, 48u, 63u, 65u}) {
      list<int> x(n), y(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i) + 1;
      upsweep::inclusive_scan(who, x, y);
      EXPECT_EQ(y.back(), static_cast<int>(n * (n + 1) / 2));
    }
  });
}

TEST(Traps, InvalidOperands) {
  cases::on_every_engine([](const auto& who) {
    std::atomic<int> strangers{0};
    const auto least = [&](int a, int b) {
      if (a != 8 || b != 8) strangers.fetch_add(1);
      return std::min(a, b);
    };
    for (const std::size_t n : {1536u, 1537u}) {
      list<int> x(n, 8), y(n);
      upsweep::inclusive_scan(who, x, y, least);
      EXPECT_EQ(y, x);
      EXPECT_EQ(strangers.load(), 0);
    }
  });
}

TEST(Traps, StridedView) {
  const list<int> x{1, 2, 3, 4, 5, 6};
  list<int> y(6);
  const array_view<const int> transposed(x.data(), {3, 2}, {1, 3});
  upsweep::inclusive_scan(par, transposed, array_view(y.data(), {3, 2}), 1);
  EXPECT_EQ(y, (list<int>{1, 5, 2, 7, 3, 9}));
  upsweep::inclusive_scan(par, transposed, array_view(y.data(), {3, 2}), 0);
  EXPECT_EQ(y, (list<int>{1, 4, 3, 9, 6, 15}));
}

TEST(Traps, Aliasing) {
  list<int> x{1, 2, 3, 4, 5, 6, 7, 8};
  upsweep::exclusive_scan(par, x, x, plus{}, 10);
  EXPECT_EQ(x, (list<int>{10, 11, 13, 16, 20, 25, 31, 38}));
  cases::on_every_engine([](const auto& who) {
    list<int> sparse(1636);
    for (std::size_t i = 0; i < sparse.size(); i += 21) sparse[i] = 1;
    upsweep::exclusive_scan(who, sparse, sparse);
    for (std::size_t i = 0; i < sparse.size(); ++i)
      ASSERT_EQ(sparse[i], static_cast<int>((i + 20) / 21));
  });
}

TEST(Traps, NonCommutative) {
  const list<int> x{1, 10, 100, 1000};
  EXPECT_EQ(scanned(x, [](int, int b) { return b; }), x);
  EXPECT_EQ(scanned(x, [](int a, int) { return a; }), (list<int>{1, 1, 1, 1}));
}

TEST(Traps, LinearRecurrence) {
  list<upsweep::affine<std::uint32_t>> x;
  for (std::uint32_t i = 0; i < 300; ++i) x.push_back({3, i});
  const auto y = scanned(x, upsweep::compose{});
  list<std::uint32_t> got;
  for (const int i : {0, 1, 2, 63, 64, 127, 128, 299})
    got.push_back(y[static_cast<std::size_t>(i)].offset);
  EXPECT_EQ(got, (list<std::uint32_t>{0, 1, 5, 509587232, 1528761760, 1654758976, 669309760,
                                      4145481990}));
}

TEST(Traps, NonAssociative) {
  const auto minus = [](int a, int b) { return a - b; };
  const list<int> x{10, 1, 2, 3};  // the tree, on one thread and on many: not 10 9 7 4
  list<int> y(4);
  upsweep::inclusive_scan(seq, x, y, minus);
  EXPECT_EQ(y, (list<int>{10, 9, 7, 10}));
  EXPECT_EQ(scanned(x, minus), y);
}

TEST(Traps, IdentityInit) {
  const list<int> x{6, 3};
  EXPECT_EQ(shifted(x), (list<int>{0, 6}));
  EXPECT_EQ(shifted(x, upsweep::multiplies{}), (list<int>{1, 6}));
  EXPECT_EQ(shifted(x, upsweep::minimum{}), (list<int>{2147483647, 6}));
  EXPECT_EQ(shifted(x, upsweep::maximum{}), (list<int>{-2147483647 - 1, 6}));
  EXPECT_EQ(shifted(x, upsweep::bit_and{}), (list<int>{-1, 6}));
  EXPECT_EQ(shifted(x, upsweep::bit_or{}), (list<int>{0, 6}));
  EXPECT_EQ(shifted(x, upsweep::bit_xor{}), (list<int>{0, 6}));
  cases::on_every_engine([](const auto& who) {  // the init once, not once a part
    list<int> ones(1000), y(1000);
    for (std::size_t i = 0; i < ones.size(); ++i) ones[i] = static_cast<int>(i % 3);
    upsweep::exclusive_scan(who, ones, y, plus{}, 5);
    int sum = 5;
    for (std::size_t i = 0; i < ones.size(); ++i) {
      ASSERT_EQ(y[i], sum);
      sum += ones[i];
    }
  });
}

TEST(Traps, AccumulatorType) {
  const list<std::int8_t> hundreds{100, 100, 100};
  list<std::int32_t> wide(3);
  upsweep::exclusive_scan(par, hundreds, wide);
  EXPECT_EQ(wide, (list<std::int32_t>{0, 100, 200}));
  list<std::int8_t> first(100000);
  first[0] = 1;
  EXPECT_EQ(scanned(first), list<std::int8_t>(100000, 1));
  const auto y = scanned(list<std::int16_t>(100000, 1));
  EXPECT_EQ(y[32767], -32768);
  EXPECT_EQ(y[99999], -31072);
  const list<std::uint8_t> x{16, 16, 2};
  EXPECT_EQ(scanned(x, upsweep::multiplies{}), (list<std::uint8_t>{16, 0, 0}));
  list<std::int64_t> products(3);
  upsweep::inclusive_scan(par, x, products, upsweep::multiplies{});
  EXPECT_EQ(products, (list<std::int64_t>{16, 256, 512}));
  list<int> counts(4);
  upsweep::inclusive_scan(par, list<bool>{false, true, false, true}, counts);
  EXPECT_EQ(counts, (list<int>{0, 1, 1, 2}));
}

TEST(Traps, GroupingMakesInfinity) {
  EXPECT_EQ(scanned(list<float>{0, 1e30f, 1e30f, 2}, upsweep::multiplies{}), (list<float>(4)));
  const auto y = scanned(list<float>{1, 0, 1e30f, 1e30f}, upsweep::multiplies{});
  EXPECT_EQ(y[2], 0.0f);
  EXPECT_TRUE(std::isnan(y[3]));  // (1 * 0) * (1e30 * 1e30): the canonical answer
}

TEST(Traps, FloatAccuracy) {
  const std::size_t n = 16777220;
  const list<float> ones(n, 1.0f);
  list<float> y(n);
  upsweep::inclusive_scan(par, ones, y);
  EXPECT_EQ(y[n - 1], 16777220.0f);
  EXPECT_EQ(y[n - 2], 16777218.0f + 2.0f);  // 16777216 + 2 + 1, a tie to even
  list<double> x(800), across(800), down(800);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / (1 + static_cast<double>(i));
  const array_view<const double> in(x.data(), {40, 20});
  upsweep::inclusive_scan(par, in, array_view(across.data(), {40, 20}), 1);
  upsweep::inclusive_scan(par, in, array_view(down.data(), {40, 20}), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    long double row = 0, column = 0;
    for (std::size_t k = i / 20 * 20; k <= i; ++k) row += x[k];
    for (std::size_t k = i % 20; k <= i; k += 20) column += x[k];
    EXPECT_LE(std::fabs(across[i] - row), 1e-13L * row);
    EXPECT_LE(std::fabs(down[i] - column), 1e-13L * column);
  }
}

TEST(Traps, RunToRun) {
  const list<double> x(250000, 0.1);
  const auto first = scanned(x);
  for (int run = 0; run < 5; ++run) ASSERT_TRUE(cases::same_bits(first, scanned(x)));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(std::fabs(first[i] - static_cast<double>(i + 1) * 0.1), 1e-8);
}

TEST(Traps, StaleState) {
  for (const std::size_t n : {100000u, 1000000u, 100000u, 64u, 100000u}) {
    list<int> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i % 2);
    EXPECT_EQ(scanned(x).back(), static_cast<int>(n / 2));
  }
}

TEST(Traps, NoMemory) {
  if (!huge) GTEST_SKIP() << "sanitizers end the process where memory cannot be had";
  // Scratch for the prefixes of 2^54 chunks cannot be had: an exception, and nothing is written.
  struct nothing {
    int operator()(int a, int b) const { return a | b; }
  };
  using it = std::reverse_iterator<const int*>;
  const int x = 0;
  int y = 7;
  EXPECT_ANY_THROW(upsweep::cpu::scan_line<int>(
      par.on(2).with_chunk(6), std::size_t{1} << 60, nothing{}, std::optional<int>(),
      upsweep::cpu::output::inclusive,
      upsweep::cpu::iterator_line<int, nothing, it, int*>{it(&x), &y, std::nullopt}));
  EXPECT_EQ(y, 7);
}

TEST(Traps, Reverse) {
  const list<int> x{1, 2, 3};
  list<int> y(3);
  upsweep::inclusive_scan(par, x, y);
  EXPECT_EQ(y, (list<int>{1, 3, 6}));
  upsweep::inclusive_scan(par, x.rbegin(), x.rend(), y.rbegin());
  EXPECT_EQ(y, (list<int>{6, 5, 3}));
  upsweep::exclusive_scan(par, x, y);
  EXPECT_EQ(y, (list<int>{0, 1, 3}));
  upsweep::exclusive_scan(par, x.rbegin(), x.rend(), y.rbegin());
  EXPECT_EQ(y, (list<int>{5, 3, 0}));
}

}  // namespace
