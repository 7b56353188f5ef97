// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab model: how long kernels should take on a device, and what bounds them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

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

constexpr std::uint64_t default_n = std::uint64_t{1} << 22;

struct model_options {
  std::vector<std::string> kernels;
  request what;
  std::optional<std::uint64_t> n;
  std::string device, devices, pad = "none";
  bool fields = false, measure = false, json = false;
};

void print_fields() {
  fmt::print("{:<24} {:<7} {:<60} {:>10} {:>10}\n", "field", "unit", "meaning", "least", "most");
  for (const model::spec_field& f : model::spec_fields())
    fmt::print("{:<24} {:<7} {:<60} {:>10g} {:>10g}\n", f.name, f.unit, f.meaning, f.least, f.most);
  fmt::print(
      "name, about: texts. sources, assumed: lists of texts; assumed names the fields that were\n"
      "neither measured on the device nor are in a data sheet of it. Counts and bytes are "
      "whole.\n");
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
  return m.device == "this" ? completed(describe_gpu(), known_devices(m.devices))
                            : device_meant(m.devices, m.device);
}

double registers_for(const model_options& m, const device_spec& device, const request& what) {
  return m.device == "this" ? registers_of(what) : model::default_registers(device);
}

// The most elements of a kernel of one block: as many as it holds on the device; else any number.
std::uint64_t most_of(const model_options& m, const device_spec& device, request what) {
  what.n = 1;  // of no elements a GPU would see no kernel
  const unsigned threads =
      what.threads != 0 ? what.threads : largest_block(device, registers_for(m, device, what));
  const std::uint64_t reach = reach_of(what.kernel, threads);
  return reach == 0 ? most_predicted : reach;
}

model::prediction predicted(const model_options& m, const device_spec& device,
                            const request& what) {
  return model::predict(device, plan_of(what, device, registers_for(m, device, what)));
}

// Of a kernel of one block: how else as many elements can be asked for.
std::string remedy_of(const model_options& m, const device_spec& device, request what) {
  what.n = 1;
  const unsigned largest = largest_block(device, registers_for(m, device, what));
  for (unsigned threads = 32; what.threads != 0 && threads <= largest; threads *= 2)
    if (threads > what.threads && reach_of(what.kernel, threads) >= *m.n)
      return fmt::format("--block {}, or ", threads);
  return "";
}

// One that was named, of what it was asked for.
model::prediction named(const model_options& m, const device_spec& device, request what) {
  check_names(what);
  const std::uint64_t most = most_of(m, device, what);
  if (m.n && *m.n > most)
    throw usage_failure(
        fmt::format("lab: --n {}: {} is one block, which holds at most {} elements here: write "
                    "--n {}, or take {}hierarchical for any number",
                    *m.n, what.kernel, most, most, remedy_of(m, device, what)));
  what.n = std::min(m.n.value_or(default_n), most);
  return predicted(m, device, what);
}

// One of all: no more elements than it holds, and without the options that are not for it. Those
// that it was meant to have but cannot do with are told.
model::prediction one_of_all(const model_options& m, const device_spec& device, request what,
                             std::vector<std::string>& without) {
  if (what.kernel != "blelloch" && what.kernel != "brent-kung") what.pad = 0;
  if (what.kernel != "hierarchical") what.block.clear();
  if (what.kernel == "serial") what.threads = 0;  // it has one
  const auto within = [&](request sized) {
    sized.n = std::min(m.n.value_or(default_n), most_of(m, device, sized));
    return predicted(m, device, sized);
  };
  if (what.threads == 0) return within(what);
  try {
    return within(what);
  } catch (const failure& refused) {
    if (refused.status != exit_status::usage) throw;
  }
  without.push_back(what.kernel);
  what.threads = 0;
  return within(what);
}

std::vector<model::prediction> predictions_of(const model_options& m, const device_spec& device,
                                              std::vector<std::string>& without) {
  std::vector<model::prediction> all;
  request what = m.what;
  for (auto k = m.kernels.begin(); k != m.kernels.end(); ++k) {
    if (std::find(m.kernels.begin(), k, *k) != k) continue;  // named twice, it has one row
    what.kernel = *k;
    all.push_back(named(m, device, what));
  }
  if (!m.kernels.empty()) return all;
  if (what.pad != 0 && what.op != "sum") throw usage_failure("lab: --pad goes with --op sum");
  for (const upsweep::lab::description& k : upsweep::lab::catalogue) {
    what.kernel = k.name;
    all.push_back(one_of_all(m, device, what, without));
  }
  return all;
}

// Whether it is the a100 that is compiled in, by its figures: a file may call another one so.
bool is_of_the_lecture(const device_spec& device) {
  if (device.name != "a100") return false;
  const device_spec own = device_named(known_devices(""), "a100");
  const auto fields = model::spec_fields();
  return std::all_of(fields.begin(), fields.end(),
                     [&](const model::spec_field& f) { return device.*f.at == own.*f.at; });
}

// For the device of the lecture, where nothing else is asked for.
std::vector<model::lecture_figure> lecture_of(const model_options& m, const device_spec& device) {
  if (!m.kernels.empty() || !is_of_the_lecture(device)) return {};
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
  std::vector<std::string> without;
  const std::vector<model::prediction> all = predictions_of(m, device, without);
  const std::vector<model::lecture_figure> lecture = lecture_of(m, device);
  if (m.json) {
    json kernels = json::array();
    for (const model::prediction& p : all) kernels.push_back(json_of(p));
    json result = {{"program", "upsweep lab model"},
                   {"device", json_of(device)},
                   {"n", m.n.value_or(default_n)},
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
    print_predictions(device, all,
                      without.empty()
                          ? ""
                          : fmt::format("Without --block {}, which is not for them: {}.",
                                        m.what.threads, fmt::join(without, ", ")));
    if (!lecture.empty()) print_lecture(lecture);
  }
}

}  // namespace

void add_model(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("model", "How long kernels should take, and what bounds them");
  const auto m = std::make_shared<model_options>();
  sub->add_option("KERNEL", m->kernels, "Some of upsweep lab list (default: all)");
  sub->add_option("--device", m->device,
                  "a100, h100, h200 (default), rtx4090, v100, 8800gtx, one of yours, or this: the "
                  "GPU of this machine");
  sub->add_option(
      "--devices", m->devices,
      "A file with devices of yours, - for standard input; without --device its only one");
  sub->add_option("--n", m->n,
                  "Elements, 1000 or 2^20 (default: 4194304; what one block holds at most)")
      ->transform(size_in(1, most_predicted));
  add_block(*sub, m->what);
  sub->add_option("--op", m->what.op, "sum (default), prod, max, min")
      ->check(one_of_listed({"sum", "prod", "max", "min"}));
  sub->add_option("--pad", m->pad, "Terms of padding of the kernels with a tree")
      ->check(one_of_listed({"none", "1", "2"}));
  CLI::Option* const fields =
      sub->add_flag("--fields", m->fields, "Lists the fields of a device")->disable_flag_override();
  CLI::Option* const measure =
      sub->add_flag("--measure", m->measure,
                    "Measures the GPU of this machine and prints it as a device")
          ->disable_flag_override();
  CLI::Option* const as_json =
      sub->add_flag("--json", m->json, "As JSON, with every launch")->disable_flag_override();
  fields->excludes(measure)->excludes(as_json);
  sub->callback([m] { run_model(*m); });
}

}  // namespace cli::lab
