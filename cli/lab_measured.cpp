// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_measured.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace cli::lab {

namespace {

using upsweep::lab::model::device_spec;
using upsweep::lab::model::spec_field;
using measured_list = std::vector<std::pair<std::string, double>>;

// A straight line: least squares through what was measured at each x.
struct line {
  double at_zero = 0, slope = 0;
};
line line_through(const measured_list& measured, const std::string& name,
                  std::initializer_list<int> at) {
  double count = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const auto& [what, y] : measured)
    for (const int x : at) {
      if (what != name + '@' + std::to_string(x)) continue;
      count += 1, x_sum += x, y_sum += y, xx += 1.0 * x * x, xy += x * y;
    }
  const double spread = count * xx - x_sum * x_sum;
  if (spread == 0) return {};
  const double slope = (count * xy - x_sum * y_sum) / spread;
  return {(y_sum - slope * x_sum) / count, slope};
}

double value_of(const measured_list& measured, const std::string& name) {
  for (const auto& [what, value] : measured)
    if (what == name) return value;
  return 0;
}

// Cycles that a block of a copy, a word a thread, has its place: all threads of the device move 8
// bytes in that time. The line by its warps.
line block_life(const measured_list& measured, const device_spec& d) {
  measured_list lives;
  for (const auto& [name, warps] : {std::pair{"copy4x256_bytes_per_s@28", 8},
                                    {"copy4x512_bytes_per_s@28", 16},
                                    {"copy4_bytes_per_s@28", 32}})
    if (const double rate = value_of(measured, name); rate > 0)
      lives.emplace_back("life@" + std::to_string(warps),
                         8 * d.clock_hz * d.processors * d.threads / rate);
  return line_through(lives, "life", {8, 16, 32});
}

// A copy of the largest arrays that fit L2, without the gap between kernels.
double l2_rate(const measured_list& measured, const device_spec& d) {
  double rate = 0;
  for (int log = 16; log <= 28; log += 2) {
    const double bytes = std::ldexp(8.0, log),
                 seen = value_of(measured, "copy16_bytes_per_s@" + std::to_string(log));
    if (seen > 0 && bytes <= d.l2_bytes) rate = bytes / (bytes / seen - d.gap_s);
  }
  return rate;
}

}  // namespace

device_spec with_measured(device_spec d, const measured_list& measured) {
  std::vector<std::string> set;
  const auto give = [&](double device_spec::*field, double value) {
    if (value <= 0) return;
    d.*field = value;
    for (const spec_field& f : upsweep::lab::model::spec_fields())
      if (f.at == field) set.push_back(f.name);
  };
  for (const auto& [what, value] : measured)
    for (const spec_field& f : upsweep::lab::model::spec_fields())
      if (what == f.name) give(f.at, value);
  const line barrier = line_through(measured, "barrier_cycles", {1, 2, 4, 8, 16, 32});
  give(&device_spec::barrier_cycles, barrier.at_zero);
  give(&device_spec::barrier_warp_cycles, barrier.slope);
  const line launch = line_through(measured, "launches_s", {1, 2, 3, 5, 8});
  // The first takes no less than one more does, whatever the line through them all says.
  give(&device_spec::first_launch_s, std::max(0.0, launch.at_zero) + launch.slope);
  give(&device_spec::launch_s, launch.slope);
  give(&device_spec::clear_s, line_through(measured, "memsets_s", {1, 2, 3, 5, 8}).slope);
  give(&device_spec::grid_barrier_s, value_of(measured, "grid_barrier_s@8"));
  give(&device_spec::copy_share, value_of(measured, "copy16_bytes_per_s@28") / d.dram_bytes_per_s);
  give(&device_spec::l2_bytes_per_s, l2_rate(measured, d));
  const line life = block_life(measured, d);
  give(&device_spec::turn_cycles, life.at_zero - d.dram_cycles);
  give(&device_spec::turn_warp_cycles, life.slope);
  std::erase_if(d.assumed, [&](const std::string& field) {
    return std::find(set.begin(), set.end(), field) != set.end();
  });
  d.name = "measured";
  d.sources = {"the CUDA runtime", "upsweep lab model --measure"};
  return d;
}

}  // namespace cli::lab
