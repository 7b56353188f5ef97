// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab model: how long kernels should take on a device, and what bounds them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_measured.hpp"
#include "cli/lab_model_gpu.hpp"
#include "cli/lab_model_text.hpp"
#include "cli/lab_plan.hpp"
#include "cli/model_devices.hpp"
#include "cli/option_checks.hpp"
#include "lab/catalogue.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t most_predicted = std::uint64_t{1} << 40;  // more than any device holds

struct model_options {
  std::vector<std::string> kernels;
  request what;
  std::string device = "h200", devices, pad = "none";
  bool fields = false, measure = false, json = false;
};

void print_fields() {
  fmt::print("{:<24} {:<7} {:<60} {:>10} {:>10}\n", "field", "unit", "meaning", "least", "most");
  for (const model::spec_field& f : model::spec_fields())
    fmt::print("{:<24} {:<7} {:<60} {:>10g} {:>10g}\n", f.name, f.unit, f.meaning, f.least, f.most);
  fmt::print(
      "name, about: texts. sources, assumed: lists of texts; assumed names the fields that\n"
      "were not measured on the device.\n");
}

void print_measured(const model_options& m) {
  const device_spec described = completed(describe_gpu(), known_devices(m.devices));
  const auto measured = measurements();
  json figures;
  for (const auto& [name, value] : measured) figures[name] = value;
  const json all = {{"devices", json::array({json_of(with_measured(described, measured))})},
                    {"measurements", figures}};
  fmt::print("{}\n", all.dump(1));
}

device_spec chosen_device(const model_options& m) {
  const std::vector<device_spec> all = known_devices(m.devices);
  return m.device == "this" ? completed(describe_gpu(), all) : device_named(all, m.device);
}

// Without a kernel, all of them: those of one block with no more than it holds.
std::vector<model::prediction> predictions_of(const model_options& m, const device_spec& device) {
  std::vector<model::prediction> all;
  const auto add = [&](const request& what) {
    const double registers = m.device == "this" ? registers_of(what) : default_registers(device);
    all.push_back(model::predict(device, plan_of(what, device, registers)));
  };
  request what = m.what;
  for (const std::string& kernel : m.kernels) what.kernel = kernel, add(what);
  if (!m.kernels.empty()) return all;
  for (const upsweep::lab::description& k : upsweep::lab::catalogue) {
    what = m.what, what.kernel = k.name;
    if (k.name == "serial") what.threads = 0;  // it has one
    const auto most = static_cast<unsigned>(std::min(device.block_threads, 1024.0));
    const std::uint64_t reach = reach_of(what.kernel, what.threads != 0 ? what.threads : most);
    if (reach != 0) what.n = std::min(what.n, reach);
    add(what);
  }
  return all;
}

// For the device of the lecture, where nothing else is asked for.
std::vector<model::lecture_figure> lecture_of(const model_options& m, const device_spec& device) {
  if (m.device != "a100" || !m.kernels.empty()) return {};
  const auto counted = [](const char* kernel, std::uint64_t n) {
    request what;
    what.kernel = kernel, what.n = n;
    return run(what).launches.at(0);
  };
  const simulator::counts tile = counted("hillis-steele", 1024), tree = counted("blelloch", 2048);
  return model::lecture_figures(
      device, {static_cast<double>(tile.operations()), 1.0 * tile.working_steps(),
               static_cast<double>(tree.operations()), 1.0 * tree.working_steps()});
}

void run_model(model_options& m) {
  if (m.fields) return print_fields();
  if (m.measure) return print_measured(m);
  m.what.pad = padding_terms(m.pad);
  const device_spec device = chosen_device(m);
  const std::vector<model::prediction> all = predictions_of(m, device);
  const std::vector<model::lecture_figure> lecture = lecture_of(m, device);
  if (m.json) {
    json kernels = json::array();
    for (const model::prediction& p : all) kernels.push_back(json_of(p));
    json result = {{"program", "upsweep lab model"},
                   {"device", json_of(device)},
                   {"n", m.what.n},
                   {"op", m.what.op},
                   {"pad", m.what.pad},
                   {"type", "f32"},
                   {"roofline", roofline_of(device)},
                   {"kernels", kernels}};
    if (!lecture.empty()) result["lecture"] = json_of(lecture);
    fmt::print("{}\n", result.dump(1));
  } else if (all.size() == 1) {
    print_terms(device, all[0]);
  } else {
    print_predictions(device, all);
    if (!lecture.empty()) print_lecture(lecture);
  }
}

}  // namespace

void add_model(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("model", "How long kernels should take, and what bounds them");
  const auto m = std::make_shared<model_options>();
  m->what.n = std::uint64_t{1} << 22;
  sub->add_option("KERNEL", m->kernels, "Some of upsweep lab list (default: all)");
  sub->add_option("--device", m->device,
                  "a100, h100, h200 (default), rtx4090, v100, 8800gtx, one of yours, or this: the "
                  "GPU of this machine");
  sub->add_option("--devices", m->devices, "A file with devices of yours");
  sub->add_option("--n", m->what.n, "Elements (default: 4194304; what one block holds at most)")
      ->transform(whole_number_in(1, most_predicted));
  add_block(*sub, m->what);
  sub->add_option("--op", m->what.op, "sum (default), prod, max, min")
      ->check(one_of_listed({"sum", "prod", "max", "min"}));
  sub->add_option("--pad", m->pad, "Terms of padding of the kernels with a tree")
      ->check(one_of_listed({"none", "1", "2"}));
  sub->add_flag("--fields", m->fields, "Lists the fields of a device")->disable_flag_override();
  sub->add_flag("--measure", m->measure,
                "Measures the GPU of this machine and prints it as a device")
      ->disable_flag_override();
  sub->add_flag("--json", m->json, "As JSON, with every launch")->disable_flag_override();
  sub->callback([m] { run_model(*m); });
}

}  // namespace cli::lab
