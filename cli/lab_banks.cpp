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

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

struct bank_options {
  request what;
  index_question index;
  std::string pad = "none";
  bool json = false;
};

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

struct phase_total {
  std::uint64_t all = 0, active = 0;
};

std::vector<std::pair<std::string, phase_total>> totals_of(const outcome& o) {
  std::vector<std::pair<std::string, phase_total>> totals;
  for_each_access(o, [&](auto&, const simulator::step_counts& step, const auto& s) {
    auto at =
        std::find_if(totals.begin(), totals.end(), [&](auto& t) { return t.first == step.phase; });
    if (at == totals.end()) at = totals.insert(at, {step.phase, {}});
    at->second.all += s.transactions;
    at->second.active += s.active_transactions;
  });
  return totals;
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
  json accesses = json::array(), totals = json::object(), active = json::object();
  std::uint64_t read = 0, written = 0;  // what a profiler tells apart
  for_each_access(o, [&](const auto& launch, const auto& step, const auto& s) {
    (s.kind == simulator::access::shared_load ? read : written) += s.transactions;
    accesses.push_back({{"phase", step.phase},
                        {"stride", step.stride},
                        {"site", simulator::site_name(s.site)},
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
  for (const auto& [phase, total] : totals_of(o))
    totals[phase] = total.all, active[phase] = total.active;
  const json all = {{"program", "upsweep lab banks"},
                    {"kernel", b.what.kernel},
                    {"n", o.n},
                    {"block", o.launches.empty() ? 0 : o.launches[0].threads},
                    {"banks", b.what.model.banks},
                    {"pad", b.what.pad},
                    {"accesses", accesses},
                    {"totals", totals},
                    {"active_totals", active},
                    {"kind_totals", {{"read", read}, {"write", written}}},
                    {"shared_words", shared_words(o)}};
  fmt::print("{}\n", all.dump(1));
}

void print_text(const bank_options& b, const outcome& o) {
  fmt::print("{}, n = {}, {} banks, padding {}, {} words of shared memory a block\n", b.what.kernel,
             o.n, b.what.model.banks, b.pad, shared_words(o));
  fmt::print("{:<12} {:>6} {:<14} {:<6} {:>8} {:>8} {:>6} {:>6} {:>7} {:>13} {:>7}\n", "phase",
             "stride", "place", "kind", "threads", "active", "warps", "banks", "degree",
             "transactions", "active");
  for_each_access(o, [&](const auto&, const auto& step, const auto& s) {
    fmt::print("{:<12} {:>6} {:<14} {:<6} {:>8} {:>8} {:>6} {:>6} {:>7} {:>13} {:>7}\n", step.phase,
               step.stride, simulator::site_name(s.site), kind_name(s.kind), s.threads,
               s.active_threads, s.warps, s.banks_touched, s.degree, s.transactions,
               s.active_transactions);
  });
  for (const auto& [phase, total] : totals_of(o))
    fmt::print("{}: {} transactions, {} of active threads\n", phase, total.all, total.active);
}

void run_kernel_banks(bank_options& b) {
  if (b.pad != "none" && b.pad != "1" && b.pad != "2")
    throw usage_failure("lab: --pad is none, 1 or 2 for a kernel; an expression goes with --index");
  b.what.pad = b.pad == "none" ? 0 : b.pad == "1" ? 1 : 2;
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
  sub->add_option("KERNEL", b->what.kernel, "One of upsweep lab list");
  sub->add_option("--n", b->what.n, "Elements of the kernel's scan");
  sub->add_option("--block", b->what.threads, "Threads of a block")->check(CLI::Range(1, 1024));
  sub->add_option("--banks", b->what.model.banks, "32 (default), or 16 with half-warps")
      ->check(CLI::IsMember({16, 32}));
  sub->add_option("--pad", b->pad, "none, 1 or 2 terms; with --index an expression in i");
  sub->add_option("--index", b->index.index, "Index that thread t accesses, such as '2*t'");
  sub->add_option("--threads", b->index.threads, "Threads that do so (default: 32)")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--word", b->index.word, "Bytes that a thread accesses: 4, 8 or 16")
      ->check(CLI::IsMember({4, 8, 16}));
  sub->add_option("--base", b->index.base, "Byte address of element 0 (default: 0)");
  sub->add_flag("--json", b->json, "As JSON")->disable_flag_override();
  sub->footer(
      "Degree: how many distinct words of one bank the worst request of a warp wants, which is\n"
      "how many transactions it takes. \"active\" leaves out threads that only copy.\n"
      "Expressions have + - * / % << >> & ^ | and parentheses, as in C.");
  sub->callback([b] { run_banks(*b); });
}

}  // namespace cli::lab
