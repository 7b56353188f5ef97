// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/lab_command.hpp"
#include "cli/lab_session.hpp"
#include "lab/catalogue.hpp"

namespace cli::lab {

namespace {

void print_table() {
  fmt::print("{:<22} {:<14} {:<10} {:<10} {:<10} {:<9} {}\n", "kernel", "work", "steps", "barriers",
             "writes", "canonical", "elements");
  for (const auto& d : upsweep::lab::catalogue)
    fmt::print("{:<22} {:<14} {:<10} {:<10} {:<10} {:<9} {}{}\n", d.name, d.work, d.steps,
               d.barriers, d.writes, d.canonical ? "yes" : "no", d.reach,
               d.correct ? "" : "; wrong on purpose");
  fmt::print(
      "n = 2^k elements; work counts applications of the operator. Canonical: gives the bits of\n"
      "docs/order.md. Every kernel scans inclusively and exclusively; \"writes\" is what its\n"
      "steps leave. One block holds at most the elements named, with 1024 threads. The simulator\n"
      "takes at most {} elements of serial and naive, and {} of kernels of any n.\n",
      most_simulated("naive"), most_simulated("lookback"));
}

void print_json() {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& d : upsweep::lab::catalogue)
    all.push_back({{"kernel", d.name},
                   {"work", d.work},
                   {"steps", d.steps},
                   {"barriers", d.barriers},
                   {"writes", d.writes},
                   {"elements", d.reach},
                   {"most_simulated", most_simulated(d.name)},
                   {"canonical", d.canonical},
                   {"correct", d.correct}});
  fmt::print("{}\n", all.dump(1));
}

}  // namespace

void add_list(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("list", "The kernels: work, steps, barriers, limits");
  const auto json = std::make_shared<bool>(false);
  sub->add_flag("--json", *json, "As JSON")->disable_flag_override();
  sub->callback([json] { *json ? print_json() : print_table(); });
}

}  // namespace cli::lab
