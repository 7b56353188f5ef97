// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab check: the faults of a kernel, in one order of threads and in others.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_session.hpp"
#include "lab/catalogue.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

struct check_options {
  request what;
  unsigned schedules = 8;
  bool json = false;
};

struct summary {
  std::vector<simulator::finding> findings;  // each once
  std::set<std::uint64_t> results;
  unsigned wrong = 0, runs = 0;
};

void take(const outcome& o, summary& s) {
  ++s.runs;
  s.results.insert(o.hash);
  s.wrong += o.mismatches != 0;
  for (const simulator::finding& f : o.findings) {
    const auto known = std::find_if(s.findings.begin(), s.findings.end(), [&](auto& k) {
      return k.kind == f.kind && k.kernel == f.kernel && k.key == f.key;
    });
    if (known == s.findings.end())
      s.findings.push_back(f);
    else
      known->times += f.times;
  }
}

void print_text(const check_options& c, const summary& s) {
  for (const simulator::finding& f : s.findings)
    fmt::print("{} ({} times) in {}: {}\n", name_of(f.kind), f.times, f.kernel, f.text);
  fmt::print(
      "{}, n = {}, {}: {} orders of threads, {} faults, {} different results, {} of the "
      "runs are wrong\n",
      c.what.kernel, c.what.n, c.what.op, s.runs, s.findings.size(), s.results.size(), s.wrong);
}

json json_of(const simulator::racer& r) {
  return {{"thread", r.thread}, {"block", r.block}, {"access", r.writes ? "write" : "read"},
          {"place", r.place},   {"phase", r.phase}, {"stride", r.stride}};
}

void print_json(const check_options& c, const summary& s) {
  json list = json::array();
  for (const simulator::finding& f : s.findings) {
    list.push_back(
        {{"fault", name_of(f.kind)}, {"kernel", f.kernel}, {"times", f.times}, {"text", f.text}});
    if (f.race)
      list.back()["race"] = {{"later", json_of(f.race->later)},
                             {"earlier", json_of(f.race->earlier)},
                             {"array", f.race->array},
                             {"element", f.race->element}};
  }
  const json all = {{"program", "upsweep lab check"},
                    {"kernel", c.what.kernel},
                    {"n", c.what.n},
                    {"op", c.what.op},
                    {"runs", s.runs},
                    {"faults", list},
                    {"results", s.results.size()},
                    {"wrong_runs", s.wrong}};
  fmt::print("{}\n", all.dump(1));
}

void run_check(check_options& c) {
  for (const auto& d : upsweep::lab::catalogue)
    if (d.name == c.what.kernel && c.what.n == 0)
      c.what.n = d.reach.starts_with("any") && d.name != "naive" && d.name != "serial" ? 5000 : 500;
  summary s;
  for (unsigned k = 0; k <= c.schedules; ++k) {
    c.what.model.seed = k;
    take(run(c.what), s);
  }
  c.json ? print_json(c, s) : print_text(c, s);
  if (s.findings.empty() && s.wrong == 0) return;
  std::fflush(stdout);
  throw failure(exit_status::faults_found,
                fmt::format("lab: {} has {} faults", c.what.kernel, s.findings.size()));
}

}  // namespace

void add_check(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("check", "Races, deadlocks and other faults of a kernel");
  const auto c = std::make_shared<check_options>();
  c->what.op = "matrix";
  add_run_options(*sub, c->what, false);
  sub->get_option("--op")->description("Operator (default: matrix, which is not commutative)");
  sub->add_option("--n", c->what.n, "Elements (default: 500 or 5000)");
  sub->add_option("--schedules", c->schedules,
                  "Random orders of threads, besides the one that is always the same (default: 8)")
      ->check(CLI::Range(0, 100000));
  sub->add_flag("--json", c->json, "As JSON")->disable_flag_override();
  sub->footer(
      "Races are judged by barriers and published words, whatever the order and the result.");
  sub->callback([c] { run_check(*c); });
}

}  // namespace cli::lab
