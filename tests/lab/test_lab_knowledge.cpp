// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks know of each other: unions against a list of all points, and how much a chain of
// publications takes, as a look-back makes it.
#include <map>
#include <random>
#include <set>
#include <utility>

#include "lab/simulator/shadow.hpp"
#include "lab_cases.hpp"

namespace lab_cases {
namespace {

using sim::release_point;
using sim::shared_knowledge;
using plain = std::map<std::pair<std::uint32_t, std::uint32_t>, release_point>;

void add(plain& to, const release_point& p) {
  const auto [at, fresh] = to.emplace(std::pair(p.block, p.thread), p);
  if (!fresh && at->second.time < p.time) at->second = p;
}

// Whether an access is before the present of somebody, of another block, who knows this.
bool is_known(const sim::stamp& access, const shared_knowledge& known) {
  const std::uint32_t elsewhere = 0xffffffff;
  sim::view present{0, 0, 0, elsewhere, 0, 0, known.get(), nullptr};
  return sim::ordered(access, present);
}
bool is_known(const sim::stamp& access, const plain& known) {
  return std::any_of(known.begin(), known.end(), [&](const auto& entry) {
    const release_point& p = entry.second;
    return access.block == p.block &&
           (access.time < p.barrier || (access.thread == p.thread && access.time <= p.time));
  });
}

// Of a few blocks and threads, some of them far from each other.
release_point drawn(std::mt19937& source, std::uint32_t time) {
  static constexpr std::uint32_t blocks[] = {0, 1, 15, 16, 17, 255, 256, 4095, 70000, 0xfffffffe};
  const std::uint32_t barrier = time - static_cast<std::uint32_t>(source() % 5);
  return {blocks[source() % std::size(blocks)], static_cast<std::uint32_t>(source() % 3), barrier,
          time};
}

TEST(LabKnowledge, UnionsAreThoseOfTheirPoints) {
  std::mt19937 source(5);
  std::vector<std::pair<shared_knowledge, plain>> all(1);  // of nothing
  for (std::uint32_t time = 10; time < 1500; ++time) {
    const release_point p = drawn(source, time);
    const auto& [a, in_a] = all[source() % all.size()];
    const auto& [b, in_b] = all[source() % all.size()];
    shared_knowledge both = sim::united(sim::united(sim::known_of(p), a), b);
    plain in_both = in_a;
    for (const auto& entry : in_b) add(in_both, entry.second);
    add(in_both, p);
    for (int k = 0; k < 40; ++k) {
      const release_point q = drawn(source, 10 + static_cast<std::uint32_t>(source() % time));
      const auto thread = static_cast<std::uint16_t>(q.thread);
      const sim::stamp access{q.time, q.block, thread, thread, 0, 0, 0, 0};
      ASSERT_EQ(is_known(access, both), is_known(access, in_both)) << q.block << ' ' << q.time;
    }
    all.emplace_back(std::move(both), std::move(in_both));
  }
}

TEST(LabKnowledge, WhatAddsNothingIsNotCopied) {
  const shared_knowledge a = sim::known_of({3, 0, 5, 6}), b = sim::known_of({400, 1, 7, 8});
  const shared_knowledge both = sim::united(a, b);
  EXPECT_EQ(sim::united(both, a), both);
  EXPECT_EQ(sim::united(b, both), both);
  EXPECT_EQ(sim::united(both, nullptr), both);
  EXPECT_EQ(sim::united(nullptr, both), both);
  EXPECT_NE(sim::united(both, sim::known_of({3, 0, 5, 9})), both);
}

void count(const shared_knowledge& tree, std::set<const sim::knowledge*>& parts) {
  if (!tree || !parts.insert(tree.get()).second) return;
  for (const shared_knowledge& part : tree->parts) count(part, parts);
}

// Block k has looked at the words of the 32 before it: it knows all of them, and shares most.
TEST(LabKnowledge, AChainOfPublicationsGrowsByAPathEach) {
  constexpr std::uint32_t blocks = 3000, window = 32;
  std::vector<shared_knowledge> words;
  std::uint32_t time = 1;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    shared_knowledge known;
    for (std::uint32_t back = 1; back <= std::min(block, window); ++back)
      known = sim::united(known, words[block - back]);
    time += 2;
    words.push_back(sim::united(sim::known_of({block, 0, time, time + 1}), known));
  }
  for (const std::uint32_t block : {0u, 17u, 1234u, blocks - 1})
    EXPECT_TRUE(is_known(sim::stamp{1, block, 9, 9, 0, 0, 0, 0}, words.back())) << block;
  std::set<const sim::knowledge*> parts;
  for (const shared_knowledge& word : words) count(word, parts);
  EXPECT_LE(parts.size(), 3 * blocks);  // three levels of 16 reach 4096 blocks
}

}  // namespace
}  // namespace lab_cases
