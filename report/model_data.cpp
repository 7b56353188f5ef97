// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model_data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace upsweep::report {

namespace {

constexpr const char* every_model_has[] = {"bandwidth_s", "alu_s",     "shared_s",
                                           "barrier_s",   "latency_s", "launch_s"};
bool is_one_of_them(const std::string& name) {
  return std::find(std::begin(every_model_has), std::end(every_model_has), name) !=
         std::end(every_model_has);
}

// Terms are called as lab model calls them. Models may have more; they are shown by their own
// names.
std::string word_for(const std::string& name) {
  return name == "alu_s" ? "adding" : name.substr(0, name.size() - 2);
}

// The term that decides; the tool calls a barrier of the grid, which is the term grid, in full.
std::string bound_term_of(const field& k, const std::string& bound) {
  constexpr const char* known[] = {"bandwidth", "issue", "shared", "barrier",
                                   "latency",   "carry", "launch", "grid barrier"};
  if (std::find(std::begin(known), std::end(known), bound) == std::end(known))
    k.at("bound").refuse("'" + bound + "' bounds no kernel");
  const std::string term = bound == "grid barrier" ? "grid" : bound;
  (void)k.at((term + "_s").c_str());
  return term;
}

// Figures of a device that are a guess, and how many it has.
void read_assumed(const field& d, modelled_device& device) {
  for (const auto& [name, value] : d.members()) device.figures += value.is_number();
  if (const auto assumed = d.find("assumed"))
    for (const field& name : assumed->list(1000)) {
      const auto figure = d.find(name.text().c_str());
      if (!figure || !figure->is_number()) name.refuse("the device has no such figure");
      ++device.assumed;
    }
}

}  // namespace

model_kernel prediction_of(const field& k) {
  model_kernel all;
  all.kernel = k.at("kernel").name();
  all.n = k.at("n").count();
  all.block = k.at("block").count();
  all.launches = k.at("launches").count();
  all.dram_bytes = k.at("dram_bytes").share();
  all.operations = k.at("operations").share();
  all.intensity = k.at("intensity_adds_per_byte").share();
  for (const char* name : every_model_has)
    all.terms.push_back({word_for(name), k.at(name).share()});
  for (const auto& [name, term] : k.members())
    if (name.ends_with("_s") && name != "time_s" && !is_one_of_them(name))
      all.terms.push_back({word_for(name), term.share()});
  all.time_s = k.at("time_s").positive();
  all.bound = k.at("bound").text();
  all.bound_term = bound_term_of(k, all.bound);
  all.waves = k.at("waves").share();
  all.occupancy = k.at("occupancy").at("share").fraction();
  if (const auto tail = k.find("tail_share")) all.tail = tail->fraction();
  all.limit = k.at("occupancy").at("limit").text();
  if (const auto pad = k.find("pad")) all.pad = pad->count();
  if (const auto needed = k.find("needs_compute_capability"))
    all.needs_capability = needed->share();
  if (const auto rate = k.find("rate")) {
    all.bytes_per_s = rate->at("bytes_per_second").positive();
    all.l2_share = rate->at("l2_share").fraction();
  }
  return all;
}

modelled_device device_of(const field& d) {
  modelled_device all;
  if (d.is_text()) {
    all.name = all.about = d.name();
    return all;
  }
  all.name = d.at("name").name();
  const auto about = d.find("about");
  if (about) all.about = about->text();
  if (all.about.empty()) all.about = all.name;
  if (const auto has = d.find("compute_capability")) all.compute_capability = has->share();
  read_assumed(d, all);
  return all;
}

std::optional<roofline> roof_of(const field& d) {
  if (d.is_text() || !d.find("dram_bytes_per_s") || !d.find("fp32_lanes")) return std::nullopt;
  roofline all;
  all.bytes_per_s = d.at("dram_bytes_per_s").positive();
  all.adds_per_s =
      d.at("processors").positive() * d.at("fp32_lanes").positive() * d.at("clock_hz").positive();
  all.copy_bytes_per_s = all.bytes_per_s * d.at("copy_share").positive();
  if (const auto l2 = d.find("l2_bytes"); l2 && l2->share() > 0)
    all.l2_bytes_per_s = d.at("l2_bytes_per_s").positive();
  return all;
}

lab_model model_of(const field& d) {
  lab_model all;
  all.file = d.file();
  all.device = device_of(d.at("device"));
  if (const auto op = d.find("op")) all.op = op->text();
  if (const auto pad = d.find("pad")) all.pad = pad->count();
  const field roof = d.at("roofline");
  all.roof.bytes_per_s = roof.at("bytes_per_s").positive();
  all.roof.adds_per_s = roof.at("adds_per_s").positive();
  if (const auto copy = roof.find("copy_bytes_per_s")) all.roof.copy_bytes_per_s = copy->positive();
  if (const auto l2 = roof.find("l2_bytes_per_s")) all.roof.l2_bytes_per_s = l2->positive();
  for (const field& k : d.at("kernels").list(100'000)) all.kernels.push_back(prediction_of(k));
  return all;
}

}  // namespace upsweep::report
