// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model_data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace upsweep::report {

namespace {

constexpr std::pair<const char*, const char*> every_model_has[] = {
    {"bandwidth_s", "bandwidth"}, {"alu_s", "adds"},        {"shared_s", "shared memory"},
    {"barrier_s", "barriers"},    {"latency_s", "latency"}, {"launch_s", "launches"}};
bool is_one_of_them(const std::string& name) {
  return std::any_of(std::begin(every_model_has), std::end(every_model_has),
                     [&](const auto& term) { return term.first == name; });
}

// Models may have more terms; they are shown by their own names.
std::string word_for(const std::string& name) {
  if (name == "carry_s") return "carries between blocks";
  if (name == "grid_s") return "barriers of the grid";
  return name.substr(0, name.size() - 2);
}

}  // namespace

model_kernel prediction_of(const field& k) {
  model_kernel all;
  all.kernel = k.at("kernel").text();
  all.n = k.at("n").count();
  all.block = k.at("block").count();
  all.launches = k.at("launches").count();
  all.dram_bytes = k.at("dram_bytes").share();
  all.operations = k.at("operations").share();
  all.intensity = k.at("intensity_adds_per_byte").share();
  for (const auto& [name, word] : every_model_has) all.terms.push_back({word, k.at(name).share()});
  for (const auto& [name, term] : k.members())
    if (name.ends_with("_s") && name != "time_s" && !is_one_of_them(name))
      all.terms.push_back({word_for(name), term.share()});
  all.time_s = k.at("time_s").positive();
  all.bound = k.at("bound").text();
  all.waves = k.at("waves").share();
  all.occupancy = k.at("occupancy").at("share").share();
  if (const auto tail = k.find("tail_share")) all.tail = tail->share();
  all.limit = k.at("occupancy").at("limit").text();
  if (const auto pad = k.find("pad")) all.pad = pad->count();
  if (const auto rate = k.find("rate")) {
    all.bytes_per_s = rate->at("bytes_per_second").positive();
    all.l2_share = rate->at("l2_share").share();
  }
  return all;
}

modelled_device device_of(const field& d) {
  if (d.is_text()) return {d.text(), d.text()};
  const std::string name = d.at("name").text();
  const auto about = d.find("about");
  return {name, about ? about->text() : name};
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
