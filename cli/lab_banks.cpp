// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab banks: shared-memory accesses of a kernel by place and step, or of an index.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_index.hpp"
#include "cli/lab_session.hpp"
#include "cli/lab_words.hpp"
#include "cli/option_checks.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

struct bank_options {
  request what;
  index_question index;
  std::string pad = "none";
  bool json = false;
};

// Before its first step a kernel is in none.
const char* phase_name(const simulator::step_counts& step) {
  return step.phase[0] == 0 ? "begin" : step.phase;
}

const char* kind_name(simulator::access kind) {
  return kind == simulator::access::shared_load ? "read" : "write";
}

// Rows in the order of the steps.
template <class Body>
void for_each_access(const outcome& o, const Body& body) {
  for (const simulator::counts& c : o.launches)
    for (std::uint32_t step = 0; step < c.steps.size(); ++step)
      for (const simulator::site_counts& s : c.sites)
        if (s.step == step && simulator::is_shared(s.kind)) body(c, c.steps[step], s);
}

// Transactions over all strides: of a place, or of a phase.
struct total {
  std::string phase, place;
  const char* kind = "";
  std::uint64_t all = 0, active = 0;
};

// Adds to the total of the same phase, place and kind, wherever it stands.
void add_to(std::vector<total>& totals, const total& more) {
  auto at = std::find_if(totals.begin(), totals.end(), [&](const total& t) {
    return t.phase == more.phase && t.place == more.place && std::string_view(t.kind) == more.kind;
  });
  if (at == totals.end()) at = totals.insert(at, {more.phase, more.place, more.kind, 0, 0});
  at->all += more.all, at->active += more.active;
}

std::vector<total> totals_of_places(const outcome& o) {
  std::vector<total> totals;
  for_each_access(o, [&](auto&, const simulator::step_counts& step, const auto& s) {
    add_to(totals, {phase_name(step), simulator::site_name(s.site), kind_name(s.kind),
                    s.transactions, s.active_transactions});
  });
  return totals;
}

std::vector<total> totals_of_phases(const outcome& o) {
  std::vector<total> totals;
  for (const total& t : totals_of_places(o)) add_to(totals, {t.phase, "all", "", t.all, t.active});
  return totals;
}

// Of the phases in which the operator was applied.
total total_of_work(const outcome& o) {
  total sum{"work", "all", "", 0, 0};
  for (const total& t : totals_of_phases(o)) {
    const auto works = [&](const simulator::counts& c) {
      return std::any_of(c.steps.begin(), c.steps.end(), [&](const simulator::step_counts& s) {
        return phase_name(s) == t.phase && s.operations != 0;
      });
    };
    if (std::any_of(o.launches.begin(), o.launches.end(), works))
      sum.all += t.all, sum.active += t.active;
  }
  return sum;
}

std::uint32_t shared_words(const outcome& o) {
  std::uint32_t most = 0;
  for (const simulator::counts& c : o.launches) most = std::max(most, c.shared_bytes / 4);
  return most;
}

// Those of the banks that the model has.
template <class Counts>
json of_banks(const Counts& counts, const bank_options& b) {
  return std::vector(counts.begin(), counts.begin() + b.what.model.banks);
}

void print_json(const bank_options& b, const outcome& o) {
  json accesses = json::array(), totals = json::object(), active = json::object(),
       places = json::array();
  std::uint64_t read = 0, written = 0;  // what a profiler tells apart
  for_each_access(o, [&](const auto& launch, const auto& step, const auto& s) {
    (s.kind == simulator::access::shared_load ? read : written) += s.transactions;
    accesses.push_back({{"phase", phase_name(step)},
                        {"stride", step.stride},
                        {"place", simulator::site_name(s.site)},
                        {"kind", kind_name(s.kind)},
                        {"active_threads", s.active_threads},
                        {"warps", s.warps},
                        {"banks_touched", s.banks_touched},
                        {"degree", s.degree},
                        {"transactions", s.transactions},
                        {"threads", s.threads},
                        {"active_transactions", s.active_transactions},
                        {"broadcasts", s.broadcasts},
                        {"launch", launch.kernel},
                        {"bank_words", of_banks(s.load.words, b)},
                        {"bank_degrees", of_banks(s.load.degree, b)}});
  });
  for (const total& t : totals_of_phases(o)) totals[t.phase] = t.all, active[t.phase] = t.active;
  for (const total& t : totals_of_places(o))
    places.push_back({{"phase", t.phase},
                      {"place", t.place},
                      {"kind", t.kind},
                      {"transactions", t.all},
                      {"active_transactions", t.active}});
  const json all = {{"program", "upsweep lab banks"},
                    {"kernel", b.what.kernel},
                    {"n", o.n},
                    {"block", o.launches.empty() ? 0 : o.launches[0].threads},
                    {"banks", b.what.model.banks},
                    {"pad", b.what.pad},
                    {"accesses", accesses},
                    {"totals", totals},
                    {"active_totals", active},
                    {"place_totals", places},
                    {"kind_totals", {{"read", read}, {"write", written}}},
                    {"shared_words", shared_words(o)}};
  fmt::print("{}\n", all.dump(1));
}

// Behind the accesses: sums over the strides, by place, by phase, and of all that adds.
void print_totals(const outcome& o) {
  const std::vector<total> places = totals_of_places(o);
  if (places.empty()) return fmt::print("no accesses to shared memory\n");
  const auto an_element = [&](std::uint64_t transactions) {
    return static_cast<double>(transactions) / static_cast<double>(o.n);
  };
  const auto print = [&](const total& t) {
    fmt::print("{:<12} {:<14} {:<6} {:>13} {:>11.2f} {:>7} {:>11.2f}\n", t.phase, t.place, t.kind,
               t.all, an_element(t.all), t.active, an_element(t.active));
  };
  fmt::print("\n{:<12} {:<14} {:<6} {:>13} {:>11} {:>7} {:>11}\n", "sum over", "place", "kind",
             "transactions", "an element", "active", "an element");
  for (const total& phase : totals_of_phases(o)) {
    for (const total& t : places)
      if (t.phase == phase.phase) print(t);
    print(phase);
  }
  print(total_of_work(o));
}

void print_text(const bank_options& b, const outcome& o) {
  fmt::print("{}, n = {}, {} banks, padding {}, {} words of shared memory a block\n", b.what.kernel,
             o.n, b.what.model.banks, b.pad, shared_words(o));
  fmt::print("{:<12} {:>6} {:<14} {:<6} {:>8} {:>8} {:>6} {:>6} {:>7} {:>13} {:>7}\n", "phase",
             "stride", "place", "kind", "threads", "active", "warps", "banks", "degree",
             "transactions", "active");
  const simulator::counts* last = nullptr;
  for_each_access(o, [&](const simulator::counts& launch, const auto& step, const auto& s) {
    if (&launch != last && o.launches.size() > 1)
      fmt::print("{}: {}\n", launch.kernel, headline(launch));
    last = &launch;
    fmt::print("{:<12} {:>6} {:<14} {:<6} {:>8} {:>8} {:>6} {:>6} {:>7} {:>13} {:>7}\n",
               phase_name(step), step.stride, simulator::site_name(s.site), kind_name(s.kind),
               s.threads, s.active_threads, s.warps, s.banks_touched, s.degree, s.transactions,
               s.active_transactions);
  });
  print_totals(o);
}

void run_kernel_banks(bank_options& b) {
  if (b.pad != "none" && b.pad != "1" && b.pad != "2")
    throw usage_failure("lab: --pad is none, 1 or 2 for a kernel; an expression goes with --index");
  b.what.pad = padding_terms(b.pad);
  if (b.what.n == 0) throw usage_failure("lab: banks of a kernel needs --n");
  const outcome o = run(b.what);
  b.json ? print_json(b, o) : print_text(b, o);
}

void run_banks(bank_options& b) {
  if (b.what.kernel.empty() == b.index.index.empty())
    throw usage_failure("lab: banks needs a kernel with --n, or --index");
  if (!b.what.kernel.empty()) return run_kernel_banks(b);
  b.index.banks = b.what.model.banks;
  b.index.pad = b.pad == "none" ? "" : b.pad;
  b.index.json = b.json;
  print_index(b.index);
}

}  // namespace

void add_banks(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("banks", "Shared-memory banks: of a kernel, or of an index");
  const auto b = std::make_shared<bank_options>();
  CLI::Option* kernel = add_kernel(*sub, b->what.kernel);
  CLI::Option* size = add_size(*sub, b->what, 1, "Elements of the kernel's scan")->needs(kernel);
  CLI::Option* block =
      sub->add_option("--block", b->what.threads, "Threads of a block of the kernel")
          ->transform(whole_number_in(1, 1024))
          ->needs(kernel);
  sub->add_option("--banks", b->what.model.banks, "32 (default), or 16 with half-warps")
      ->transform(number_of({16, 32}));
  sub->add_option("--pad", b->pad, "none, 1 or 2 terms; with --index an expression in i")
      ->check(suggested({"none", "1", "2"}));
  CLI::Option* index =
      sub->add_option("--index", b->index.index, "Index that thread t accesses, such as '2*t'");
  for (CLI::Option* option : {kernel, size, block}) index->excludes(option);
  sub->add_option("--threads", b->index.threads, "Threads that access the index (default: 32)")
      ->transform(whole_number_in(1, 1024))
      ->needs(index);
  sub->add_option("--word", b->index.word, "Bytes that a thread accesses: 4, 8 or 16")
      ->transform(number_of({4, 8, 16}))
      ->needs(index);
  sub->add_option("--base", b->index.base, "Byte address of element 0 (default: 0)")
      ->transform(whole_number_in(0, most_base))
      ->needs(index);
  sub->add_flag("--json", b->json, "As JSON")->disable_flag_override();
  sub->footer(
      "A row is an access of the text (place) in a step (phase, stride), over all blocks:\n"
      "  threads       that made it\n"
      "  active        of these, threads that do the step's work; others only copy\n"
      "  warps         requests: one for the threads of a warp that come by together\n"
      "  banks         the most that one request touches\n"
      "  degree        the most distinct words of one bank that one request wants: 1 is free of\n"
      "                conflicts\n"
      "  transactions  what the requests cost together; the last column: of active threads only\n"
      "Behind the rows are sums over all strides, and what that is an element of the scan;\n"
      "  work is the sum of the phases that apply the operator.\n"
      "A part of a warp accesses together as many words as there are banks: --word 8 goes by 16\n"
      "  lanes and --word 16 by 8; with 16 banks by 8 and by 4.\n"
      "Expressions have + - * / % << >> & ^ | and parentheses, as in C, and integers as there:\n"
      "  17, 0x1f, 017.");
  sub->callback([b] { run_banks(*b); });
}

}  // namespace cli::lab
