// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trace as rows: the array after each step in which something was shown.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
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
  for (const std::uint32_t step : order) {
    const step_counts& s = c.steps[step];
    trace_row<T> row{s.phase, s.stride, s.active_threads, rows.back().array, {}};
    for (const shown& e : t.events) {
      if (e.step != step) continue;
      std::memcpy(static_cast<void*>(&row.array[e.element]), &t.values[e.value], sizeof(T));
      row.changes.push_back(e);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace upsweep::lab::simulator
