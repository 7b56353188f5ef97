// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls at the edges of what the public interface allows: odd policies, iterators that are no
// pointers, types wider than a register, shapes where the engine changes its way.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <ranges>
#include <vector>

#include "upsweep/reference.hpp"
#include "upsweep/scan.hpp"

namespace {

using upsweep::array_view;
using upsweep::par;
using upsweep::seq;

std::vector<float> noise(std::size_t n) {
  std::mt19937 random(42);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(n);
  for (float& v : x) v = uniform(random);
  return x;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

TEST(Edges, AnyChunkIsAllowed) {
  const std::vector<float> x = noise(300'000);
  std::vector<float> y(x.size());
  const std::vector<float> want = upsweep::reference::inclusive_scan<float>(x, upsweep::plus{});
  for (const int chunk : {-3, 0, 1, 6, 40, 61, 62, 63, 64, 65, 128, 200, 2'000'000'000}) {
    std::fill(y.begin(), y.end(), -7.f);
    upsweep::inclusive_scan(par.on(3).with_chunk(chunk), x, y);
    EXPECT_TRUE(same_bits(y, want)) << "chunk " << chunk;
  }
}

TEST(Edges, FarMoreThreadsThanCores) {
  const std::vector<float> x = noise(200'000);
  std::vector<float> y(x.size()), want(x.size());
  upsweep::inclusive_scan(seq, array_view<const float>(x.data(), {10'000, 20}),
                          array_view<float>(want.data(), {10'000, 20}), 0);
  upsweep::inclusive_scan(par.on(100'000).with_chunk(9),
                          array_view<const float>(x.data(), {10'000, 20}),
                          array_view<float>(y.data(), {10'000, 20}), 0);
  EXPECT_TRUE(same_bits(y, want));
}

// Neighbouring bits share a word, which two threads must not write at once.
TEST(Edges, BitsOfAVectorOfBool) {
  std::mt19937 random(1);
  std::vector<bool> x(200'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random() % 2 != 0;
  const auto unequal = [](bool left, bool right) { return left != right; };
  for (int round = 0; round < 20; ++round) {
    std::vector<bool> y(x.size() + 3);
    upsweep::inclusive_scan(par.on(8).with_chunk(6), x.begin(), x.end(), y.begin() + 3, unequal);
    bool parity = false;
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      parity = parity != x[i];
      wrong += y[i + 3] != parity;
    }
    ASSERT_EQ(wrong, 0) << "round " << round;
  }
}

TEST(Edges, RangesWithoutCommonEnd) {
  std::vector<long> offsets(101);
  upsweep::exclusive_scan_with_total(par, std::views::iota(0, 100L), offsets);
  EXPECT_EQ(offsets[0], 0);
  EXPECT_EQ(offsets[100], 4950);
  std::vector<long> too_short(100);
  EXPECT_THROW(upsweep::exclusive_scan_with_total(par, std::views::iota(0, 100L), too_short),
               upsweep::argument_error);
}

TEST(Edges, RangesThatEndBeforeTheyBegin) {
  std::vector<int> x(5), y(5);
  EXPECT_THROW(upsweep::inclusive_scan(seq, x.end(), x.begin(), y.begin()),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::reduce(seq, x.end(), x.begin()), upsweep::argument_error);
}

TEST(Edges, OutputsThatLieOnEachOther) {
  const std::vector<int> x(6, 1);
  int y = 0;
  EXPECT_THROW(upsweep::inclusive_scan(seq, array_view<const int>(x.data(), {6}),
                                       array_view<int>(&y, {6}, {0}), 0),
               upsweep::argument_error);
}

TEST(Edges, EmptyArraysOfAnyShape) {
  for (const std::size_t rows : {0, 3})
    for (const std::size_t columns : {0, 3})
      for (const int axis : {0, 1}) {
        std::vector<int> x(rows * columns, 2), y(x.size());
        upsweep::inclusive_scan(par, array_view<const int>(x.data(), {rows, columns}),
                                array_view<int>(y.data(), {rows, columns}), axis);
        const std::vector<int> want{2, 4, 6};  // every line
        if (axis == 1)
          for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], want[i % 3]);
        else
          for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], want[i / 3]);
      }
}

TEST(Edges, ReversedTakesNegativeAxes) {
  const int x[6] = {1, 2, 3, 4, 5, 6};
  int y[6];
  upsweep::inclusive_scan(seq, array_view<const int>(x, {2, 3}).reversed(-1),
                          array_view<int>(y, {2, 3}).reversed(-1), -1);
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(y[3], 15);
  EXPECT_THROW((void)array_view<const int>(x, {2, 3}).reversed(-3), upsweep::argument_error);
}

#if defined(__SIZEOF_INT128__)
TEST(Edges, IntegersOf128Bits) {
  __extension__ using wide = __int128;
  const std::vector<wide> x(3, wide(1) << 70);
  std::vector<wide> y(3);
  upsweep::inclusive_scan(seq, x, y);
  EXPECT_TRUE(y[2] == 3 * (wide(1) << 70));
}
#endif

// Widths and lengths around those where the engine goes another way: lines, strips, few elements.
TEST(Edges, NarrowColumnsAndShortRows) {
  for (const std::size_t w : {1, 2, 3, 4, 5, 15, 16, 17, 23, 24, 25})
    for (const std::size_t n : {1, 2, 7, 8, 9, 23, 24, 25, 100}) {
      const std::vector<float> x = noise(n * w);
      for (const int axis : {0, 1}) {
        std::vector<float> y(x.size()), want(x.size());
        upsweep::exclusive_scan(par.on(2), array_view<const float>(x.data(), {n, w}),
                                array_view<float>(y.data(), {n, w}), axis);
        const std::size_t length = axis == 0 ? n : w, step = axis == 0 ? w : 1;
        for (std::size_t line = 0; line < x.size() / length; ++line) {
          const std::size_t first = axis == 0 ? line : line * w;
          std::vector<float> one(length);
          for (std::size_t i = 0; i < length; ++i) one[i] = x[first + i * step];
          one = upsweep::reference::exclusive_scan<float>(one, upsweep::plus{});
          for (std::size_t i = 0; i < length; ++i) want[first + i * step] = one[i];
        }
        ASSERT_TRUE(same_bits(y, want)) << n << " x " << w << " axis " << axis;
      }
    }
}
