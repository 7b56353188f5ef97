// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

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
      "n = 2^k elements, in tiles of 2^j where n may be any, r tiles a block; hierarchical: l "
      "levels\n"
      "of tiles, until there is one. Behind \"or\": of more than one tile a block. Work counts\n"
      "applications of the operator, steps those that wait for each other, of one block; barriers\n"
      "are a block's, of grid-sync 3 more of the first block. Canonical: gives the bits of\n"
      "docs/order.md. Every kernel scans inclusively and exclusively; \"writes\" is what its\n"
      "steps leave. One block holds at most the elements named, with 1024 threads. The simulator\n"
      "takes at most {} elements of serial and naive, and {} of kernels of any n.\n",
      most_simulated("naive"), most_simulated("lookback"));
}

// That the simulator takes: of kernels of one block, what a block holds.
std::uint64_t most_elements(const upsweep::lab::description& d) {
  const auto most = std::strtoull(std::string(d.reach).c_str(), nullptr, 10);
  return most != 0 ? most : most_simulated(d.name);
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
                   {"most_simulated", most_elements(d)},
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
