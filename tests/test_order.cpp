// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/order.md, sections 1 to 3: the definition, its consequences, the block list of a range.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "reference_cases.hpp"

namespace {

using upsweep::block;
using upsweep::range_summary;

// An expression is its own result: nothing is hidden from a comparison.
struct expression {
  std::string operator()(const std::string& left, const std::string& right) const {
    return "(" + left + "+" + right + ")";
  }
};
std::vector<std::string> letters(std::size_t n) {
  std::vector<std::string> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(std::string("x").append(std::to_string(i)));
  return x;
}
using strings = std::vector<std::string>;

TEST(Order, BlockSumIsBalanced) {
  const strings x = letters(64);
  for (int level = 0; level <= 6; ++level)
    for (std::uint64_t b = 0; (b + 1) << level <= x.size(); ++b)
      EXPECT_EQ(upsweep::reference::block_sum<std::string>(x, {level, b}, expression{}),
                cases::halved_sum(x, b << level, (b + 1) << level, expression{}));
  EXPECT_EQ(upsweep::reference::block_sum<std::string>(x, {2, 1}, expression{}),
            "((x4+x5)+(x6+x7))");
}

TEST(Order, PrefixOfEleven) {
  EXPECT_EQ(upsweep::reference::prefix<std::string>(letters(11), 11, expression{}),
            "(((((x0+x1)+(x2+x3))+((x4+x5)+(x6+x7)))+(x8+x9))+x10)");
  EXPECT_EQ(upsweep::reference::prefix<std::string>(letters(7), 7, expression{}),
            "((((x0+x1)+(x2+x3))+(x4+x5))+x6)");
}

TEST(Order, ReferenceIsTheDefinition) {
  const strings x = letters(150);
  const strings y = upsweep::reference::inclusive_scan<std::string>(x, expression{});
  const strings z =
      upsweep::reference::prefixes<std::string>(x, 0, x.size() + 1, expression{}, std::string("v"));
  ASSERT_EQ(y.size(), x.size());
  ASSERT_EQ(z.size(), x.size() + 1);
  EXPECT_EQ(z[0], "v");
  for (std::size_t k = 1; k <= x.size(); ++k) {
    const std::string p = *cases::defined_prefix(x, k, expression{});
    EXPECT_EQ(y[k - 1], p);
    EXPECT_EQ(upsweep::reference::prefix<std::string>(x, k, expression{}), p);
    EXPECT_EQ(z[k], *cases::defined_prefix(x, k, expression{}, std::optional<std::string>("v")));
  }
}

TEST(Order, InitStartsTheFold) {
  const std::optional<std::string> v("v");
  EXPECT_EQ(upsweep::reference::prefix<std::string>(letters(7), 7, expression{}, v),
            "(((v+((x0+x1)+(x2+x3)))+(x4+x5))+x6)");
  EXPECT_EQ(upsweep::reference::prefix<std::string>(letters(7), 0, expression{}, v), "v");
  strings y(7);
  upsweep::inclusive_scan(upsweep::seq, letters(7), y, expression{}, *v);
  EXPECT_EQ(y[6], "(((v+((x0+x1)+(x2+x3)))+(x4+x5))+x6)");
  EXPECT_EQ(upsweep::reduce(upsweep::seq, letters(7), expression{}, *v), y[6]);
}

struct range {
  std::size_t lo, hi;
};

// An operator on ranges that notes every range it forms but prefixes, which begin at 0. Until
// somebody has formed one beyond `first`, whoever forms one inside it waits: other threads then
// cannot know the prefix of what they take, and sum it first.
class block_log {
 public:
  explicit block_log(std::size_t first) : first_(first), begin_(std::chrono::steady_clock::now()) {}

  range form(const range& l, const range& r) {
    EXPECT_EQ(l.hi, r.lo);
    if (l.lo >= first_) beyond_ = true;
    if (r.hi <= first_)
      while (!beyond_ && std::chrono::steady_clock::now() - begin_ < std::chrono::seconds(2))
        std::this_thread::yield();
    if (l.lo != 0) {
      const std::lock_guard lock(mutex_);
      formed_.insert({l.lo, r.hi});
    }
    return range{l.lo, r.hi};
  }
  void expect_full_blocks(std::size_t n) const {
    for (const auto& [lo, hi] : formed_)
      EXPECT_TRUE(std::has_single_bit(hi - lo) && lo % (hi - lo) == 0 && hi <= n)
          << "[" << lo << ", " << hi << ") of " << n;
  }

 private:
  const std::size_t first_;
  const std::chrono::steady_clock::time_point begin_;
  std::atomic<bool> beyond_{false};
  std::mutex mutex_;
  std::set<std::pair<std::size_t, std::size_t>> formed_;
};

std::vector<range> elements(std::size_t n) {
  std::vector<range> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back({i, i + 1});
  return x;
}

TEST(Order, OnlyFullBlocks) {
  for (const std::size_t n : {1u, 2u, 3u, 7u, 11u, 64u, 100u, 255u}) {
    block_log log(0);
    std::vector<range> x = elements(n), y(n);
    const auto op = [&](const range& l, const range& r) { return log.form(l, r); };
    upsweep::inclusive_scan(upsweep::par.on(2).with_chunk(6), x, y, op);
    log.expect_full_blocks(n);
  }
}

TEST(Order, OnlyFullBlocksOfChunksThatAreSummedFirst) {
  constexpr std::size_t n = 255, chunk = 64, columns = 9;
  block_log log(chunk);
  std::vector<range> x = elements(n), y(n);
  const auto op = [&](const range& l, const range& r) { return log.form(l, r); };
  upsweep::inclusive_scan(upsweep::par.on(2).with_chunk(6), x, y, op);
  log.expect_full_blocks(n);

  // The same along the columns of an array: one strip, whose chunks are shared.
  block_log side(chunk);
  std::vector<range> table, sums(n * columns);
  for (const range& one : x) table.insert(table.end(), columns, one);
  const auto beside = [&](const range& l, const range& r) { return side.form(l, r); };
  const std::vector<std::size_t> extents{n, columns};
  upsweep::inclusive_scan(
      upsweep::par.on(2).with_chunk(6),
      upsweep::array_view<const range>(table.data(), std::span<const std::size_t>(extents)),
      upsweep::array_view<range>(sums.data(), std::span<const std::size_t>(extents)), 0, beside);
  side.expect_full_blocks(n);
}

TEST(Order, BlocksOfPrefixAreSetBits) {
  std::vector<std::uint64_t> ks{(std::uint64_t{1} << 63) + 5, ~std::uint64_t{0}};
  for (std::uint64_t k = 0; k < 1100; ++k) ks.push_back(k);
  for (const std::uint64_t k : ks) {
    const std::vector<block> blocks = upsweep::blocks_of_range(0, k);
    ASSERT_EQ(blocks.size(), static_cast<std::size_t>(std::popcount(k)));
    std::uint64_t at = 0, rest = k;
    for (const block& b : blocks) {
      EXPECT_EQ(b.size(), std::bit_floor(rest));
      EXPECT_EQ(b.begin(), at);
      EXPECT_EQ(b.index, (k >> b.level) - 1);
      at = b.end(), rest -= b.size();
    }
    EXPECT_EQ(at, k);
  }
}

TEST(Order, TopDown) {
  const strings x = letters(64);
  const auto prefix = [&](std::size_t k) { return *cases::defined_prefix(x, k, expression{}); };
  for (int j = 1; j <= 5; ++j)
    for (std::uint64_t b = 1; (b + 1) << j <= x.size(); ++b)
      EXPECT_EQ(prefix((2 * b + 1) << (j - 1)),
                expression{}(prefix(b << j), upsweep::reference::block_sum<std::string>(
                                                 x, {j - 1, 2 * b}, expression{})));
  // Behind a node: P(8) is S(3,0), not P(6) + S(1,3).
  EXPECT_NE(prefix(8), expression{}(prefix(6), "(x6+x7)"));
  EXPECT_EQ(prefix(8), cases::halved_sum(x, 0, 8, expression{}));
}

TEST(Order, AlignedTailContinues) {
  const strings x = letters(100);
  strings whole(x.size());
  upsweep::inclusive_scan(upsweep::seq, x, whole, expression{});
  int same = 0, other = 0;
  for (std::size_t m = 1; m < x.size(); ++m)
    for (std::size_t n = m + 1; n <= x.size(); ++n) {
      const std::size_t larger = std::bit_floor(n - m) * 2;  // the power of two above n - m
      strings tail(n - m);
      upsweep::inclusive_scan(upsweep::seq, x.data() + m, x.data() + n, tail.data(), expression{},
                              whole[m - 1]);
      const bool equal = std::equal(tail.begin(), tail.end(), whole.data() + m);
      if (m % larger == 0) {
        EXPECT_TRUE(equal) << m << " of " << n;
        ++same;
      } else {
        other += equal ? 0 : 1;
      }
    }
  EXPECT_GT(same, 100);
  EXPECT_GT(other, 100);  // in general, not otherwise
}

template <class T, class Op>
void expect_left_fold(const Op& op, std::optional<T> init) {
  for (const std::size_t n : cases::sizes(2049)) {
    const std::vector<T> x = cases::random_values<T>(n);
    std::vector<T> fold;
    std::optional<T> sum = init;
    for (const T& value : x) fold.push_back(*(sum = sum ? op(*sum, value) : value));
    EXPECT_TRUE(
        cases::same_bits(fold, upsweep::reference::inclusive_scan(std::span<const T>(x), op, init)))
        << n;
  }
}
TEST(Order, ExactOperatorsEqualLeftFold) {
  expect_left_fold<cases::matrix>(cases::matrix_modulo{}, std::nullopt);
  expect_left_fold<cases::matrix>(cases::matrix_modulo{}, cases::matrix{2, 3, 5, 7});
  expect_left_fold<std::int8_t>(upsweep::plus{}, std::int8_t{-3});
  expect_left_fold<std::uint64_t>(upsweep::multiplies{}, std::nullopt);
  expect_left_fold<float>(upsweep::minimum{}, std::nullopt);
  expect_left_fold<std::uint32_t>(upsweep::bit_xor{}, std::nullopt);
  expect_left_fold<std::string>(upsweep::concatenate{}, std::nullopt);
}

// The summary of [a, b), element by element.
template <class T, class Op>
range_summary<T> summary_of(const std::vector<T>& x, std::size_t a, std::size_t b, const Op& op) {
  range_summary<T> list(a);
  for (std::size_t i = a; i < b; ++i) list.append({0, i}, x[i], op);
  return list;
}
template <class T>
bool same_lists(const range_summary<T>& a, const range_summary<T>& b) {
  const auto equal = [](const auto& p, const auto& q) {
    return p.where == q.where && p.sum == q.sum;
  };
  return a.begin() == b.begin() && a.end() == b.end() &&
         std::equal(a.blocks().begin(), a.blocks().end(), b.blocks().begin(), b.blocks().end(),
                    equal);
}

TEST(RangeSummary, BlocksOfRange) {
  const strings x = letters(70);
  for (std::size_t a = 0; a <= x.size(); ++a)
    for (std::size_t b = a; b <= x.size(); ++b) {
      const std::vector<block> cut = upsweep::blocks_of_range(a, b);
      const auto list = summary_of(x, a, b, expression{});
      ASSERT_EQ(list.blocks().size(), cut.size());
      std::size_t at = a;
      for (std::size_t i = 0; i < cut.size(); ++i) {
        std::size_t size = 1;  // the largest block that starts here and fits
        while (at % (2 * size) == 0 && at + 2 * size <= b) size *= 2;
        EXPECT_EQ(cut[i].begin(), at);
        EXPECT_EQ(cut[i].size(), size);
        EXPECT_EQ(list.blocks()[i].where, cut[i]);
        EXPECT_EQ(list.blocks()[i].sum, cases::halved_sum(x, at, at + size, expression{}));
        at += size;
      }
      EXPECT_EQ(at, b);
      const auto floor_log2 = static_cast<std::size_t>(std::bit_width(b - a)) - 1;
      EXPECT_LE(cut.size(), b - a < 2 ? b - a : 2 * floor_log2);
    }
}

TEST(RangeSummary, AnyCut) {
  const strings x = letters(40);
  for (std::size_t a = 0; a < x.size(); a += 3)
    for (std::size_t b = a; b <= x.size(); ++b)
      for (std::size_t cut = a; cut <= b; ++cut) {
        auto left = summary_of(x, a, cut, expression{});
        left.append(summary_of(x, cut, b, expression{}), expression{});
        EXPECT_TRUE(same_lists(left, summary_of(x, a, b, expression{}))) << a << cut << b;
      }
  // A merge that forgets to join siblings is seen.
  auto split = range_summary<std::string>(0);
  split.append({0, 0}, "x0", expression{});
  EXPECT_FALSE(same_lists(split, summary_of(x, 0, 2, expression{})));
}

TEST(RangeSummary, MergeIsAssociative) {
  const auto x = cases::random_values<float>(300);
  auto source = cases::random_source(3);
  for (int round = 0; round < 300; ++round) {
    std::array<std::size_t, 4> at{};
    for (auto& a : at) a = source() % (x.size() + 1);
    std::sort(at.begin(), at.end());
    const auto part = [&](int i) { return summary_of(x, at[i], at[i + 1], upsweep::plus{}); };
    auto left = part(0), right = part(1), all = part(0);
    right.append(part(2), upsweep::plus{});
    all.append(part(1), upsweep::plus{});
    all.append(part(2), upsweep::plus{});
    left.append(right, upsweep::plus{});
    EXPECT_TRUE(same_lists(left, all)) << "round " << round << ", seed " << cases::seed();
    EXPECT_TRUE(same_lists(all, summary_of(x, at[0], at[3], upsweep::plus{})));
  }
}

TEST(RangeSummary, RefusesGaps) {
  const strings x = letters(20);
  for (const std::size_t at : {4u, 6u}) {
    auto left = summary_of(x, 0, 5, expression{});
    EXPECT_THROW(left.append(summary_of(x, at, 9, expression{}), expression{}),
                 upsweep::argument_error);
    EXPECT_THROW(left.append({0, at}, "x", expression{}), upsweep::argument_error);
    EXPECT_TRUE(same_lists(left, summary_of(x, 0, 5, expression{})));
  }
}

TEST(RangeSummary, FoldIsPrefix) {
  const strings x = letters(130);
  for (std::size_t b = 0; b <= x.size(); ++b) {
    const auto list = summary_of(x, 0, b, expression{});
    EXPECT_EQ(list.fold(expression{}), cases::defined_prefix(x, b, expression{}));
    const std::optional<std::string> v("v");
    EXPECT_EQ(list.fold(expression{}, v), cases::defined_prefix(x, b, expression{}, v));
  }
}

}  // namespace
