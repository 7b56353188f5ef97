// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How rivals are timed. A sample is a run of calls long enough for the clock; samples are taken in
// turn (the first of every contender, then the second of every contender, ...), so that a change in
// the machine's clock or load falls on all of them and their ratios stand.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cli::bench {

// Something that can be timed.
struct contender {
  std::string engine;
  std::function<void(std::size_t)> run;  // does the same work that many times in a row
  std::function<void()> verify;          // throws when the last run's result is wrong
  // The same as run on a clock of its own, such as a device's: returns seconds. May be empty.
  std::function<double(std::size_t)> timed_run{};
};

// How much is measured. Either a number of samples or a time decides when to stop.
struct sampling {
  int repeat = 0;            // samples of each contender; 0 leaves it to min_time_s
  double min_time_s = 0.2;   // time spent on a contender, all its samples together, on average
  double sample_s = 200e-6;  // the least length of a sample; shorter calls are repeated within it
};
inline constexpr double device_sample_s = 5e-3;  // on a GPU, where launches queue up
inline constexpr int least_samples = 7;          // of each contender, when the time decides
inline constexpr int most_samples = 2000;        // enough for any median; keeps the JSON readable

// Seconds on a clock that never goes back. Tests pass one of their own.
using clock_function = std::function<double()>;
double steady_seconds();

// Seconds a call, for each contender its samples in the order they were taken.
std::vector<std::vector<double>> measure(std::span<const contender> contenders, const sampling& how,
                                         const clock_function& now = steady_seconds);

// The middle value (the mean of the two middle ones of an even number). Needs at least one value.
double median(std::vector<double> values);

// Half the distance between the quartiles, as a share of the median: a spread that one interrupted
// sample does not change.
double relative_spread(std::vector<double> values);

}  // namespace cli::bench
