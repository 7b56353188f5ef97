// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_measured.hpp"

#include <algorithm>
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

double most_of(const measured_list& measured, std::string_view prefix) {
  double most = 0;
  for (const auto& [what, value] : measured)
    if (what.starts_with(prefix)) most = std::max(most, value);
  return most;
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
  give(&device_spec::first_launch_s, launch.at_zero + launch.slope);
  give(&device_spec::launch_s, launch.slope);
  give(&device_spec::clear_s, line_through(measured, "memsets_s", {1, 2, 3, 5, 8}).slope);
  give(&device_spec::grid_barrier_s, most_of(measured, "grid_barrier_s@8"));
  give(&device_spec::copy_share, most_of(measured, "copy16_bytes_per_s@28") / d.dram_bytes_per_s);
  give(&device_spec::l2_bytes_per_s, most_of(measured, "update_bytes_per_s"));
  std::erase_if(d.assumed, [&](const std::string& field) {
    return std::find(set.begin(), set.end(), field) != set.end();
  });
  d.sources = {"the CUDA runtime", "upsweep lab model --measure"};
  return d;
}

}  // namespace cli::lab
