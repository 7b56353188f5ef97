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
#include "cli/lab_words.hpp"
#include "cli/option_checks.hpp"
#include "cli/standard_streams.hpp"
#include "lab/catalogue.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

struct check_options {
  request what;
  std::string pad = "none";
  unsigned schedules = 8;
  bool json = false;
};

struct summary {
  std::vector<simulator::finding> findings;  // each once
  std::set<std::uint64_t> results;
  unsigned wrong = 0, unfinished = 0, runs = 0;
  std::string note;
};

void take(const outcome& o, summary& s) {
  ++s.runs;
  s.unfinished += !o.ended;
  if (o.ended) s.results.insert(o.hash);
  s.wrong += o.mismatches != 0;
  if (!o.note.empty()) s.note = o.note;
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
    fmt::print("{} ({}) in {}: {}\n", name_of(f.kind), counted(f.times, "time"), f.kernel, f.text);
  fmt::print(
      "{}, n = {}, {}: {} of threads, {}, {}, {}{}\n", c.what.kernel, c.what.n, c.what.op,
      counted(s.runs, "order"), counted(s.findings.size(), "fault"),
      counted(s.results.size(), s.results.size() == 1 ? "result" : "different result"),
      counted(s.wrong, "wrong run"),
      s.unfinished == 0 ? "" : fmt::format(", {} not to the end", counted(s.unfinished, "run")));
  if (!s.note.empty()) fmt::print("{}\n", s.note);
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
                    {"wrong_runs", s.wrong},
                    {"unfinished_runs", s.unfinished}};
  fmt::print("{}\n", all.dump(1));
}

// Enough for several blocks, where a kernel takes as many.
std::uint64_t default_size(const std::string& kernel) {
  for (const auto& d : upsweep::lab::catalogue)
    if (d.name == kernel && d.reach.starts_with("any") && most_simulated(kernel) > 10000)
      return 5000;
  return 500;
}

void run_check(check_options& c, const CLI::App& given) {
  c.what.pad = padding_terms(c.pad);
  if (c.what.pad != 0 && given.count("--op") == 0) c.what.op = "sum";
  split_input(c.what);
  if (given.count("--banks") != 0 && c.what.pad == 0)
    throw usage_failure("lab: --banks of a check goes with --pad: no fault depends on banks alone");
  if (c.what.n == 0) c.what.n = default_size(c.what.kernel);
  summary s;
  for (unsigned k = 0; k <= c.schedules; ++k) {
    c.what.model.seed = k;
    take(run(c.what), s);
  }
  c.json ? print_json(c, s) : print_text(c, s);
  if (s.findings.empty() && s.wrong == 0) return;
  flush_output();
  if (s.findings.empty())
    throw failure(exit_status::verification_failed,
                  fmt::format("lab: {}: {}", c.what.kernel, counted(s.wrong, "wrong run")));
  throw failure(exit_status::faults_found,
                fmt::format("lab: {}: faults found: {}", c.what.kernel, s.findings.size()));
}

}  // namespace

void add_check(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("check", "Races, deadlocks and other faults of a kernel");
  const auto c = std::make_shared<check_options>();
  c->what.op = "matrix";
  add_run_options(*sub, c->what);
  sub->get_option("--op")->description(
      "Operator (default: matrix, which is not commutative; with --pad: sum)");
  add_size(*sub, c->what, 1, "Elements, pseudo-random (default: 500, of many blocks 5000)")
      ->excludes(sub->get_option("--input"));
  sub->add_option("--pad", c->pad, "Terms of padding of the kernels with a tree: sums only")
      ->check(one_of_listed({"none", "1", "2"}));
  sub->add_option("--banks", c->what.model.banks, "Banks that --pad is for: 32 (default), or 16")
      ->transform(number_of({16, 32}));
  sub->add_option("--schedules", c->schedules,
                  "Random orders of threads, besides the fixed one (default: 8)")
      ->transform(whole_number_in(0, 100000));
  sub->add_flag("--json", c->json, "As JSON")->disable_flag_override();
  sub->footer(std::string("Races are judged by barriers and published words, whatever the order "
                          "and the result.\n") +
              help_on_operators);
  sub->callback([c, sub] { run_check(*c, *sub); });
}

}  // namespace cli::lab
