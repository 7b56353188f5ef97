// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace as rows: the array after each step in which something was shown.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "lab/simulator/counts.hpp"
#include "lab/simulator/trace.hpp"

namespace upsweep::lab::simulator {

template <class T>
struct trace_row {
  std::string phase;
  std::uint64_t stride = 0;
  std::uint64_t active = 0;  // threads
  std::vector<T> array;
  std::vector<shown> changes;
};

// Whether an event needs what another block has done in the same row, or changes an element again.
// Within a block, threads of one step work at once, from what was there before.
inline bool goes_on_from(const std::vector<shown>& row, const shown& e) {
  return std::any_of(row.begin(), row.end(), [&](const shown& c) {
    return c.element == e.element ||
           (c.block != e.block && (c.element == e.left || c.element == e.right));
  });
}

inline std::uint64_t threads_of(const std::vector<shown>& row) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const shown& e : row) all.emplace_back(e.block, e.thread);
  std::sort(all.begin(), all.end());
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

// The rows of one step behind the last one of rows: one, or as many as go on from each other.
template <class T>
void add_rows(std::vector<trace_row<T>>& rows, const trace& t, std::uint32_t step,
              const step_counts& s) {
  const std::size_t first = rows.size();
  for (const shown& e : t.events) {
    if (e.step != step) continue;
    if (rows.size() == first || goes_on_from(rows.back().changes, e))
      rows.push_back({s.phase, s.stride, s.active_threads, rows.back().array, {}});
    std::memcpy(static_cast<void*>(&rows.back().array[e.element]), &t.values[e.value], sizeof(T));
    rows.back().changes.push_back(e);
  }
  for (std::size_t k = first; k < rows.size() && rows.size() > first + 1; ++k)
    rows[k].active = threads_of(rows[k].changes);
}

// The first row is the array before the first step: x, and fill behind it as far as the kernel
// shows elements. Steps stand in the order in which the first
// thread entered them, whether or not it had anything to show: by their numbers.
template <class T>
std::vector<trace_row<T>> rows_of(const trace& t, const counts& c, const std::vector<T>& x,
                                  const T& fill) {
  std::vector<trace_row<T>> rows(1);
  rows[0].array = x;
  std::size_t length = x.size();
  for (const shown& e : t.events)
    length = std::max(length, static_cast<std::size_t>(e.element) + 1);
  rows[0].array.resize(length, fill);
  std::vector<std::uint32_t> order;
  for (const shown& e : t.events)
    if (std::find(order.begin(), order.end(), e.step) == order.end()) order.push_back(e.step);
  std::sort(order.begin(), order.end());
  for (const std::uint32_t step : order) add_rows(rows, t, step, c.steps[step]);
  return rows;
}

}  // namespace upsweep::lab::simulator
