// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one-pass state: every prefix, from elements, from whole blocks, and from other ranks' lists.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::tree_hash;
using upsweep::prefix_stack;
using values = std::vector<std::uint64_t>;

template <class T, class Op>
void expect_every_prefix(const Op& op, std::optional<T> init) {
  const std::vector<T> x = cases::random_values<T>(1100);
  prefix_stack<T, Op> stack(op, init);
  ASSERT_EQ(stack.prefix() != nullptr, init.has_value());
  EXPECT_TRUE(!init || cases::same(*stack.prefix(), *init));
  for (std::size_t i = 0; i < x.size(); ++i) {
    stack.push(0, x[i]);
    ASSERT_EQ(stack.count(), i + 1);
    const T want = *cases::defined_prefix(x, i + 1, op, init);
    ASSERT_TRUE(cases::same(*stack.prefix(), want)) << i << ", seed " << cases::seed();
  }
}

TEST(PrefixStack, EveryPrefix) {
  expect_every_prefix<std::uint64_t>(tree_hash{}, std::nullopt);
  expect_every_prefix<std::uint64_t>(tree_hash{}, std::uint64_t{99});
  expect_every_prefix<cases::matrix>(cases::matrix_modulo{}, std::nullopt);
  expect_every_prefix<float>(upsweep::plus{}, 0.1f);
  expect_every_prefix<cases::segment>(cases::segmented_plus{}, std::nullopt);
  // Exactly associative: the stack keeps one running sum.
  static_assert(prefix_stack<std::uint32_t, upsweep::plus>::exact);
  expect_every_prefix<std::uint32_t>(upsweep::plus{}, 7u);
  expect_every_prefix<std::string>(upsweep::concatenate{}, std::string("<"));
}

// A random level that fits at position `at`, at most `most`.
int random_level(std::mt19937_64& source, std::uint64_t at, int most) {
  const int aligned = at == 0 ? most : std::countr_zero(at);
  return static_cast<int>(source() % static_cast<unsigned>(std::min(aligned, most) + 1));
}

TEST(PrefixStack, PushesWholeBlocks) {
  const values x = cases::random_values<std::uint64_t>(4096);
  auto source = cases::random_source(4);
  for (int round = 0; round < 60; ++round) {
    const std::optional<std::uint64_t> init =
        round % 2 != 0 ? std::optional<std::uint64_t>(5) : std::nullopt;
    prefix_stack<std::uint64_t, tree_hash> stack(tree_hash{}, init);
    std::size_t at = 0;
    while (at < 3000) {
      const int level = random_level(source, at, 9);
      const std::size_t end = at + (std::size_t{1} << level);
      stack.push(level, cases::halved_sum(x, at, end, tree_hash{}));
      at = end;
      ASSERT_EQ(stack.count(), at);
      ASSERT_EQ(*stack.prefix(), *cases::defined_prefix(x, at, tree_hash{}, init))
          << "at " << at << ", round " << round << ", seed " << cases::seed();
    }
  }
}

// Four ranks: each makes the list of its range; the merged lists before a rank, pushed, put its
// stack in the state of a scan that came from the left.
TEST(PrefixStack, ContinuesAfterTheListsOfOtherRanks) {
  const values x = cases::random_values<std::uint64_t>(1000);
  const values whole =
      upsweep::reference::inclusive_scan(std::span<const std::uint64_t>(x), tree_hash{});
  for (const std::size_t quarter : {250u, 256u, 333u, 1u}) {
    upsweep::range_summary<std::uint64_t> before(0);
    for (std::size_t begin = 0; begin < x.size(); begin += quarter) {
      const std::size_t end = std::min(x.size(), begin + quarter);
      prefix_stack<std::uint64_t, tree_hash> stack(tree_hash{});
      for (const auto& e : before.blocks()) stack.push(e.where.level, e.sum);
      upsweep::range_summary<std::uint64_t> mine(begin);
      for (std::size_t i = begin; i < end; ++i) {
        stack.push(0, x[i]);
        ASSERT_EQ(*stack.prefix(), whole[i]) << i;
        mine.append({0, i}, x[i], tree_hash{});
      }
      before.append(mine, tree_hash{});
    }
  }
}

TEST(PrefixStack, SumOfOneWholeBlock) {
  const values x = cases::random_values<std::uint64_t>(256);
  for (int level = 0; level <= 8; ++level) {
    const std::size_t n = std::size_t{1} << level;
    prefix_stack<std::uint64_t, tree_hash> stack(tree_hash{}, std::uint64_t{1});
    for (std::size_t i = 0; i < n; ++i) stack.push(0, x[i]);
    EXPECT_EQ(stack.sum(), cases::halved_sum(x, 0, n, tree_hash{}));
  }
}

TEST(PrefixStack, ExactOperatorsTakeAnyNumber) {
  const auto x = cases::random_values<std::int32_t>(500);
  const auto total = upsweep::reference::prefix<std::int32_t>(x, 500, upsweep::plus{}, 3);
  prefix_stack<std::int32_t, upsweep::plus> stack(upsweep::plus{}, 3);
  std::int32_t part = 0;
  for (std::size_t i = 0; i < 123; ++i) part = upsweep::plus{}(part, x[i]);
  stack.push_many(123, part);
  for (std::size_t i = 123; i < 500; ++i) stack.push(0, x[i]);
  EXPECT_EQ(stack.count(), 500u);
  EXPECT_EQ(*stack.prefix(), *total);
}

TEST(PrefixStack, CloseEndsTheScan) {
  prefix_stack<float, upsweep::plus> stack(upsweep::plus{});
  for (int i = 0; i < 64; ++i) stack.push(0, 1.5f);
  stack.close(5, 42.0f);
  EXPECT_EQ(stack.count(), 69u);
  EXPECT_EQ(*stack.prefix(), 42.0f);
}

TEST(PrefixStack, CountsBeyond32Bits) {
  prefix_stack<std::uint64_t, tree_hash> stack(tree_hash{});
  stack.push(40, 10);
  stack.push(33, 20);
  stack.push(0, 30);
  EXPECT_EQ(stack.count(), (std::uint64_t{1} << 40) + (std::uint64_t{1} << 33) + 1);
  EXPECT_EQ(*stack.prefix(), tree_hash{}(tree_hash{}(10, 20), 30));
}

// Values that own memory, and have no default constructor: none is lost, none is destroyed twice.
TEST(PrefixStack, HoldsValuesThatOwnMemory) {
  struct number {
    number(std::shared_ptr<int> o, int v) : owner(std::move(o)), value(v) {}
    std::shared_ptr<int> owner;
    int value;
  };
  const auto watch = std::make_shared<int>(0);
  const auto add = [](const number& l, const number& r) {
    return number(l.owner, l.value + r.value);
  };
  {
    prefix_stack<number, std::remove_const_t<decltype(add)>> stack(add);
    for (int i = 0; i < 100; ++i) stack.push(0, number(watch, i));
    EXPECT_EQ(stack.prefix()->value, 4950);
    EXPECT_GT(watch.use_count(), 1);
  }
  EXPECT_EQ(watch.use_count(), 1);
}

}  // namespace
