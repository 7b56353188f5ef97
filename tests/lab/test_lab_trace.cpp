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
  EXPECT_EQ(phases, (std::vector<std::string>{"", "registers", "add", "store"}));
  EXPECT_EQ(rows[1].array, (row{3, 4, 11, 11, 4, 5, 11, 14}));
  EXPECT_EQ(rows[2].array, (row{3, 4, 11, 11, 15, 16, 22, 25}));
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

}  // namespace
}  // namespace lab_cases
