// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;
using model::launch_times;
using model::prediction;

double intensity(const prediction& p) {
  const double bytes = p.sum(&launch_times::dram_bytes);
  return bytes == 0 ? 0 : p.sum(&launch_times::operations) / bytes;
}

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

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

constexpr std::pair<const char*, double launch_times::*> columns[] = {
    {"bandwidth", &launch_times::bandwidth}, {"adding", &launch_times::alu},
    {"issue", &launch_times::issue},         {"shared", &launch_times::shared},
    {"barrier", &launch_times::barrier},     {"latency", &launch_times::latency},
    {"carry", &launch_times::carry},         {"grid", &launch_times::alone}};

double us(double seconds) { return seconds * 1e6; }

}  // namespace

json json_of(const model::device_spec& d) {
  json all = {{"name", d.name}, {"about", d.about}, {"sources", d.sources}, {"assumed", d.assumed}};
  for (const model::spec_field& f : model::spec_fields()) all[f.name] = d.*f.at;
  return all;
}

json roofline_of(const model::device_spec& d) {
  return {{"bytes_per_s", d.dram_bytes_per_s},
          {"copy_bytes_per_s", d.dram_bytes_per_s * d.copy_share},
          {"adds_per_s", d.adds_per_s()},
          {"ridge_adds_per_byte", d.ridge()}};
}

json json_of(const prediction& p) {
  const launch_times& most = p.largest();
  json launches = json::array();
  for (const launch_times& l : p.launches) launches.push_back(json_of_launch(l));
  return {{"kernel", p.kernel},
          {"n", p.n},
          {"block", whole(most.threads)},
          {"launches", p.launches.size()},
          {"dram_bytes", whole(p.sum(&launch_times::dram_bytes))},
          {"operations", whole(p.sum(&launch_times::operations))},
          {"intensity_adds_per_byte", intensity(p)},
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

std::string reason_of(const prediction& p) {
  const std::pair<double, const char*> terms[] = {
      {p.sum(&launch_times::bandwidth), "bandwidth"},
      {p.sum(&launch_times::issue), "issue"},
      {p.sum(&launch_times::shared), "shared memory"},
      {p.sum(&launch_times::barrier), "barriers"},
      {p.sum(&launch_times::latency), "latency"},
      {p.sum(&launch_times::carry), "carries"},
      {p.sum(&launch_times::alone), "barriers of the grid"},
      {p.launch, "launches"}};
  std::string text = "bound by " + p.bound + ":";
  for (const auto& [seconds, name] : terms)
    if (seconds > 0.05 * p.total)
      text += fmt::format(" {} {:.1f} us ({:.0f} %),", name, us(seconds), 100 * seconds / p.total);
  const launch_times& most = p.largest();
  return text + fmt::format(" {:.2f} waves, of which the last idles {:.0f} %", most.waves,
                            100 * most.tail);
}

void print_predictions(const model::device_spec& d, const std::vector<prediction>& all) {
  fmt::print(
      "{}: {:.0f} GB/s by the data sheet, {:.0f} of a copy; {:.3g} adds a second, ridge at "
      "{:.2f} adds a byte\n",
      d.about, d.dram_bytes_per_s / 1e9, d.dram_bytes_per_s * d.copy_share / 1e9, d.adds_per_s(),
      d.ridge());
  fmt::print("{:<22} {:>10} {:>8} {:>8} {:>6} |", "kernel", "n", "launches", "MB", "adds/B");
  for (const auto& [name, term] : columns) fmt::print(" {:>9}", name);
  fmt::print(" {:>9} | {:>10} {}\n", "launch", "time, us", "bound");
  for (const prediction& p : all) {
    fmt::print("{:<22} {:>10} {:>8} {:>8.3g} {:>6.3f} |", p.kernel, p.n, p.launches.size(),
               p.sum(&launch_times::dram_bytes) / 1e6, intensity(p));
    for (const auto& [name, term] : columns) fmt::print(" {:>9.2f}", us(p.sum(term)));
    fmt::print(" {:>9.2f} | {:>10.2f} {}\n", us(p.launch), us(p.total), p.bound);
  }
  fmt::print(
      "microseconds. A launch takes the most of bandwidth, adding, issue, shared, and barrier + "
      "latency + carry;\nthen grid. The total is their sum over the launches, and launch\n");
}

void print_terms(const model::device_spec& d, const prediction& p) {
  print_predictions(d, {p});
  for (const launch_times& l : p.launches)
    fmt::print(
        "{:<20} {:>8.0f} blocks of {:>4.0f}, {:>3.0f} a multiprocessor, {:>3.0f} % of its "
        "warps, limited by {}; {:.2f} waves; {:.2f} us\n",
        l.kernel, l.blocks, l.threads, l.held.blocks, 100 * l.held.share, l.held.limit, l.waves,
        us(l.body()));
  fmt::print("{}\n", reason_of(p));
  fmt::print(
      "Little's law: {:.0f} KB in flight are needed for the full rate, {:.0f} KB are possible\n",
      p.in_flight_needed / 1e3, p.in_flight_possible / 1e3);
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

void print_lecture(const std::vector<model::lecture_figure>& figures) {
  fmt::print("\nThe figures of a lecture that derives them from the data sheet, computed again:\n");
  fmt::print("{:<35} {:>10} {:>10} {:<7} {}\n", "figure", "stated", "computed", "unit", "premises");
  for (const model::lecture_figure& f : figures) {
    fmt::print("{:<35} {:>10g} {:>10.5g} {:<7} {}{}\n", f.what, f.stated, f.computed, f.unit,
               f.premises, f.follows() ? "" : "  DOES NOT FOLLOW");
    if (*f.erratum) fmt::print("{:<35} {}: {}\n", "", f.follows() ? "note" : "erratum", f.erratum);
  }
}

}  // namespace cli::lab
