// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "cli/lab_model_text.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;
using model::launch_times;
using model::prediction;

// An integer as far as a double holds each of them, such as all that readers of JSON take for one.
json whole(double value) {
  if (value >= 0x1p53) return value;
  return static_cast<std::uint64_t>(std::llround(value));
}

json json_of_held(const launch_times& l) {
  return {{"blocks", whole(l.held.blocks)},
          {"warps", whole(l.held.warps)},
          {"share", l.held.share},
          {"limit", l.held.limit}};
}

json json_of_launch(const launch_times& l) {
  return {{"kernel", l.kernel},
          {"blocks", whole(l.blocks)},
          {"threads", whole(l.threads)},
          {"waves", l.waves},
          {"tail_share", l.tail},
          {"occupancy", json_of_held(l)},
          {"dram_bytes", whole(l.dram_bytes)},
          {"operations", whole(l.operations)},
          {"bandwidth_s", l.bandwidth},
          {"alu_s", l.alu},
          {"issue_s", l.issue},
          {"shared_s", l.shared},
          {"barrier_s", l.barrier},
          {"latency_s", l.latency},
          {"carry_s", l.carry},
          {"grid_s", l.alone},
          {"time_s", l.body()}};
}

}  // namespace

json json_of(const model::device_spec& d) {
  json all = {{"name", d.name}, {"about", d.about}, {"sources", d.sources}, {"assumed", d.assumed}};
  for (const model::spec_field& f : model::spec_fields()) all[f.name] = d.*f.at;
  return all;
}

json roofline_of(const model::device_spec& d) {
  json roof = {{"bytes_per_s", d.dram_bytes_per_s},
               {"copy_bytes_per_s", d.dram_bytes_per_s * d.copy_share},
               {"adds_per_s", d.adds_per_s()},
               {"ridge_adds_per_byte", d.ridge()}};
  if (d.l2_bytes > 0) roof["l2_bytes_per_s"] = d.l2_bytes_per_s;
  return roof;
}

json json_of(const prediction& p) {
  const launch_times& most = p.largest();
  json launches = json::array();
  for (const launch_times& l : p.launches) launches.push_back(json_of_launch(l));
  return {{"kernel", p.kernel},
          {"n", p.n},
          {"pad", p.pad},
          {"needs_compute_capability", p.needs_capability},
          {"block", whole(most.threads)},
          {"launches", p.launches.size()},
          {"dram_bytes", whole(p.sum(&launch_times::dram_bytes))},
          {"operations", whole(p.sum(&launch_times::operations))},
          {"intensity_adds_per_byte", p.intensity()},
          {"rate", {{"bytes_per_second", p.rate}, {"l2_share", p.l2_share}}},
          {"bandwidth_s", p.sum(&launch_times::bandwidth)},
          {"alu_s", p.sum(&launch_times::alu)},
          {"issue_s", p.sum(&launch_times::issue)},
          {"shared_s", p.sum(&launch_times::shared)},
          {"barrier_s", p.sum(&launch_times::barrier)},
          {"latency_s", p.sum(&launch_times::latency)},
          {"carry_s", p.sum(&launch_times::carry)},
          {"grid_s", p.sum(&launch_times::alone)},
          {"launch_s", p.launch},
          {"time_s", p.total},
          {"bound", p.bound},
          {"waves", most.waves},
          {"tail_share", most.tail},
          {"occupancy", json_of_held(most)},
          {"bytes_in_flight_needed", whole(p.in_flight_needed)},
          {"bytes_in_flight_possible", whole(p.in_flight_possible)},
          {"each_launch", launches}};
}

json json_of(const std::vector<model::lecture_figure>& figures) {
  json all = json::array();
  for (const model::lecture_figure& f : figures)
    all.push_back({{"figure", f.what},
                   {"unit", f.unit},
                   {"stated", f.stated},
                   {"computed", f.computed},
                   {"follows", f.follows()},
                   {"premises", f.premises},
                   {"erratum", f.erratum}});
  return all;
}

}  // namespace cli::lab
