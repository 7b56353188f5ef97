// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The traces that a reader can check by hand.
#include "lab/simulator/trace_rows.hpp"
#include "lab_cases.hpp"

namespace lab_cases {
namespace {

using row = std::vector<int>;

const row sample{3, 1, 7, 0, 4, 1, 6, 3};

template <class Algorithm>
std::vector<sim::trace_row<int>> traced(const row& x, const lab::options& how = {}) {
  sim::model model;
  model.trace = true;
  const auto o = scan<Algorithm>(x, upsweep::plus{}, how, model);
  EXPECT_EQ(o.faults(), "");
  return sim::rows_of(o.device->traces()[0], o.device->launches()[0], x, 0);
}

std::vector<row> arrays(const std::vector<sim::trace_row<int>>& rows) {
  std::vector<row> all;
  for (const auto& r : rows) all.push_back(r.array);
  return all;
}

// Thread 0 has nothing to add and stores before others have added.
TEST(LabTrace, StepsStandInTheOrderOfTheText) {
  std::vector<std::string> phases;
  const auto rows = traced<lab::vectorized>(sample);
  for (const auto& r : rows) phases.push_back(r.phase);
  EXPECT_EQ(phases,
            (std::vector<std::string>{"", "registers", "registers", "registers", "step", "add"}));
  EXPECT_EQ(rows[3].array, (row{3, 4, 11, 11, 4, 5, 11, 14}));
  EXPECT_EQ(rows[4].array, (row{3, 4, 11, 11, 4, 5, 11, 25}));  // the sums of threads are scanned
  EXPECT_EQ(rows[5].array, (row{3, 4, 11, 11, 15, 16, 22, 25}));
}

TEST(LabTrace, HillisSteele) {
  const auto rows = traced<lab::hillis_steele>(sample);
  EXPECT_EQ(arrays(rows), (std::vector<row>{sample,
                                            {3, 4, 8, 7, 4, 5, 7, 9},
                                            {3, 4, 11, 11, 12, 12, 11, 14},
                                            {3, 4, 11, 11, 15, 16, 22, 25}}));
  EXPECT_EQ(rows[1].active, 7u);
  EXPECT_EQ(rows[2].active, 6u);
  EXPECT_EQ(rows[3].active, 4u);
  EXPECT_EQ(rows[3].changes[0].element, 4u);
  EXPECT_EQ(rows[3].changes[0].left, 0u);
  EXPECT_EQ(arrays(traced<lab::hillis_steele_inplace>(sample)), arrays(rows));
}

TEST(LabTrace, Blelloch) {
  const auto rows = traced<lab::blelloch<>>(sample);
  EXPECT_EQ(arrays(rows), (std::vector<row>{sample,
                                            {3, 4, 7, 7, 4, 5, 6, 9},
                                            {3, 4, 7, 11, 4, 5, 6, 14},
                                            {3, 4, 7, 11, 4, 5, 6, 25},
                                            {3, 4, 7, 11, 4, 5, 6, 0},
                                            {3, 4, 7, 0, 4, 5, 6, 11},
                                            {3, 0, 7, 4, 4, 11, 6, 16},
                                            {0, 3, 4, 11, 11, 15, 16, 22}}));
  EXPECT_EQ(rows[4].phase, "root");
  EXPECT_EQ(rows[1].active, 4u);
}

TEST(LabTrace, BrentKung) {
  EXPECT_EQ(arrays(traced<lab::brent_kung<>>(sample)),
            (std::vector<row>{sample,
                              {3, 4, 7, 7, 4, 5, 6, 9},
                              {3, 4, 7, 11, 4, 5, 6, 14},
                              {3, 4, 7, 11, 4, 5, 6, 25},
                              {3, 4, 7, 11, 4, 16, 6, 25},
                              {3, 4, 11, 11, 15, 16, 22, 25}}));
}

TEST(LabTrace, OthersEndWithThePrefixes) {
  const row want{3, 4, 11, 11, 15, 16, 22, 25};
  EXPECT_EQ(traced<lab::serial>(sample).back().array, want);
  EXPECT_EQ(traced<lab::naive>(sample).back().array, want);
  EXPECT_EQ(traced<lab::warp_shuffle>(sample).back().array, want);
  EXPECT_EQ(traced<lab::vectorized>(sample).back().array, want);
}

TEST(LabTrace, ATileBehindAnotherShowsItsOwnElements) {
  const auto rows = traced<lab::hierarchical<>>(sample, {false, 4});
  EXPECT_EQ(rows.back().array, (row{3, 4, 11, 11, 4, 5, 11, 14}));
}

// Changes that are not what they say that they were made of, in the row above.
// naive adds what stands in the first row.
std::size_t wrong_changes(const std::vector<sim::trace_row<int>>& rows, bool of_the_first = false) {
  std::size_t wrong = 0;
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (const sim::shown& c : rows[r].changes) {
      if (c.right == lab::nobody) continue;  // from elsewhere
      const row& above = rows[r - 1].array;
      const int left = c.left == lab::nobody ? 0 : above[c.left];
      const int right = (of_the_first ? rows[0].array : above)[c.right];
      wrong += rows[r].array[c.element] != left + right;
    }
  return wrong;
}

TEST(LabTrace, EveryChangeIsWhatItIsSaidToBeMadeOf) {
  row x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(1 + i * i % 17);
  const auto one = traced<lab::blelloch<>>(x);
  EXPECT_EQ(wrong_changes(one), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::serial>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::naive>(x), true), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::hillis_steele>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::hillis_steele_inplace>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::brent_kung<>>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::warp_shuffle>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::vectorized>(x)), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::hierarchical<>>(x, {false, 8})), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::grid_sync>(x, {false, 2})), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::lookback>(x, {false, 2})), 0u);
  EXPECT_EQ(wrong_changes(traced<lab::tree_lookback>(x, {false, 4})), 0u);
  // A planted one: the left child of the way down from itself.
  auto planted = one;
  planted.back().changes[1].right = planted.back().changes[1].element;
  EXPECT_EQ(wrong_changes(planted), 1u);
}

TEST(LabTrace, LookBackIsDrawnFromTileToTile) {
  const row x{3, 1, 7, 0, 4, 1, 6, 3, 3, 1, 7, 0, 4, 1, 6, 3, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto rows = traced<lab::lookback>(x, {false, 2});
  std::vector<std::uint64_t> from;
  for (const auto& r : rows)
    if (r.phase == "look-back")
      for (const sim::shown& c : r.changes) from.push_back(c.left);
  EXPECT_EQ(from, (std::vector<std::uint64_t>{7, 15}));
  EXPECT_EQ(rows.back().array[23], 86);
  EXPECT_EQ(rows.back().active, 4u);
  const auto tree = traced<lab::tree_lookback>(x, {false, 4});
  from.clear();
  for (const auto& r : tree)
    if (r.phase == "carry")
      for (const sim::shown& c : r.changes) from.push_back(c.right);
  EXPECT_EQ(from, (std::vector<std::uint64_t>{lab::nobody, 7, 15}));
  EXPECT_EQ(tree.back().array[23], 78);  // exclusive
  // With few threads there are few lanes that look back.
  EXPECT_THROW(traced<lab::tree_lookback>(row(17, 1), {false, 1}), upsweep::argument_error);
  EXPECT_EQ(traced<lab::lookback>(row(64, 1), {false, 1}).back().array[63], 64);
}

// Threads are counted once, however often they come by a step.
TEST(LabTrace, NoMoreThreadsAreActiveThanThereAre) {
  sim::model few;
  few.cooperative = 2;
  const auto o = scan<lab::grid_sync>(values<int>(64), upsweep::plus{}, {false, 2}, few);
  const sim::counts& c = o.counts();
  EXPECT_EQ(c.blocks, 2u);
  for (const sim::step_counts& s : c.steps) EXPECT_LE(s.active_threads, 4u) << s.phase;
  EXPECT_EQ(active_threads(c, "registers"), (std::vector<std::uint64_t>{4}));
}

}  // namespace
}  // namespace lab_cases
