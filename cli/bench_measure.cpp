// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cli::bench {

namespace {

// Calls longer than this are not made once untimed before each sample: what they find in the
// caches does not matter to them, and it would double the time of the whole measurement.
constexpr double warm_up_below_s = 0.02;

double timed(const contender& c, std::size_t calls, const clock_function& now) {
  if (c.timed_run) return c.timed_run(calls);
  const double start = now();
  c.run(calls);
  return now() - start;
}

// The number of calls that make a sample. The best of three decides, since an interruption would
// make the calls look long and the samples short.
std::size_t calls_a_sample(const contender& c, double sample_s, const clock_function& now) {
  std::size_t calls = 1;
  for (;;) {
    double taken = timed(c, calls, now);
    for (int again = 0; again < 2 && taken < 10 * sample_s; ++again)
      taken = std::min(taken, timed(c, calls, now));
    if (taken >= sample_s) return calls;
    const double wanted = 1.2 * sample_s / std::max(taken, 1e-9) * static_cast<double>(calls);
    calls = std::clamp(static_cast<std::size_t>(std::ceil(wanted)), calls + 1, 10 * calls);
  }
}

}  // namespace

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::vector<std::vector<double>> measure(std::span<const contender> contenders, const sampling& how,
                                         const clock_function& now) {
  std::vector<std::size_t> calls;
  for (const contender& c : contenders) calls.push_back(calls_a_sample(c, how.sample_s, now));

  std::vector<std::vector<double>> samples(contenders.size());
  const double enough = how.min_time_s * static_cast<double>(contenders.size());
  double spent = 0;
  const auto done = [&](int rounds) {
    if (how.repeat > 0) return rounds >= how.repeat;
    return rounds >= most_samples || (rounds >= least_samples && spent >= enough);
  };
  for (int round = 0; !done(round); ++round) {
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      // The contender before has left its own traces in the caches (a streaming copy has emptied
      // them) and threads may have gone to sleep: one untimed call puts all in the same state.
      if (samples[k].empty() || samples[k].back() < warm_up_below_s) contenders[k].run(1);
      const double taken = timed(contenders[k], calls[k], now);
      samples[k].push_back(taken / static_cast<double>(calls[k]));
      spent += taken;
    }
  }
  return samples;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double relative_spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  const double between = values[last - last / 4] - values[last / 4];
  return between / 2 / median(values);
}

}  // namespace cli::bench
