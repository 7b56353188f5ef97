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

// Whether a sum with an element's own value goes on from an earlier change of the same step: of the
// element itself, by another block, or by the same thread. Other threads of a block work at once,
// from what was there before.
inline bool goes_on_from(const shown& c, const shown& e) {
  if (c.element == e.element) return true;
  const bool sum = e.left == e.element || e.right == e.element;
  return sum && (c.element == e.left || c.element == e.right) &&
         (c.block != e.block || c.thread == e.thread);
}

inline std::uint64_t threads_of(const std::vector<shown>& row) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const shown& e : row) all.emplace_back(e.block, e.thread);
  std::sort(all.begin(), all.end());
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

// The changes of one step, in as many rows as go on from each other.
inline std::vector<std::vector<shown>> levels_of(const trace& t, std::uint32_t step) {
  std::vector<std::vector<shown>> rows;
  for (const shown& e : t.events) {
    if (e.step != step) continue;
    std::size_t level = rows.size();
    while (level > 0 && std::none_of(rows[level - 1].begin(), rows[level - 1].end(),
                                     [&](const shown& c) { return goes_on_from(c, e); }))
      --level;
    if (level == rows.size()) rows.emplace_back();
    rows[level].push_back(e);
  }
  return rows;
}

template <class T>
void add_rows(std::vector<trace_row<T>>& rows, const trace& t, std::uint32_t step,
              const step_counts& s) {
  const auto levels = levels_of(t, step);
  for (const std::vector<shown>& changes : levels) {
    trace_row<T> row{s.phase, s.stride, levels.size() == 1 ? s.active_threads : threads_of(changes),
                     rows.back().array, changes};
    for (const shown& e : changes)
      std::memcpy(static_cast<void*>(&row.array[e.element]), &t.values[e.value], sizeof(T));
    rows.push_back(std::move(row));
  }
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
