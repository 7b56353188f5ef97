// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/plot.hpp"

namespace upsweep::report {

namespace {

constexpr int most_ticks = 7;

// 1, 2 or 5 times a power of ten, so that there are at most so many ticks.
double nice_step(double range) {
  const double raw = range / (most_ticks - 1), ten = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * ten) return factor * ten;
  return 10 * ten;
}

std::string power(int base, double exponent) {
  const auto whole = static_cast<int>(exponent);
  if (base == 10 && whole >= -2 && whole <= 4) return fmt::format("{:g}", std::pow(10, whole));
  return fmt::format("{}<tspan dy='-5' class='power'>{}</tspan>", base, whole);
}

}  // namespace

double scale::measure(double value) const {
  return how_ == scaling::linear    ? value
         : how_ == scaling::decades ? std::log10(value)
                                    : std::log2(value);
}

scale::scale(scaling how, double low, double high, double from, double to)
    : how_(how), low_(0), high_(1), from_(from), to_(to) {
  double step = 1;
  if (!(low <= high)) low = 1, high = 2;  // of no value at all
  if (how == scaling::linear) {
    if (!(high > low)) high = low + 1;
    step = nice_step(high - low);
  } else {
    low = std::floor(measure(low) + 1e-9), high = std::ceil(measure(high) - 1e-9);
    if (!(high > low)) high = low + 1;
    step = std::ceil((high - low) / most_ticks);
  }
  low_ = std::floor(low / step + 1e-9) * step, high_ = std::ceil(high / step - 1e-9) * step;
  if (how != scaling::linear) low_ = low, high_ = high;  // a tick need not be at the end
  for (double at = std::ceil(low_ / step - 1e-9) * step; at <= high_ + step * 1e-6; at += step) {
    const double place = from_ + (to_ - from_) * (at - low_) / (high_ - low_);
    ticks_.push_back({place, how == scaling::linear ? short_number(std::abs(at) < step / 2 ? 0 : at)
                             : how == scaling::decades ? power(10, std::round(at))
                                                       : power(2, std::round(at))});
  }
}

double scale::operator()(double value) const {
  return from_ + (to_ - from_) * (measure(value) - low_) / (high_ - low_);
}

}  // namespace upsweep::report
