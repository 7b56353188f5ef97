// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab run: whether a kernel is right, and what it costs: counted or timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_gpu.hpp"
#include "cli/lab_model_text.hpp"
#include "cli/lab_plan.hpp"
#include "cli/lab_session.hpp"
#include "cli/lab_words.hpp"
#include "cli/option_checks.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

struct run_options {
  request what;
  std::string device = "sim", pad = "none";
  unsigned repeat = 20;
  bool json = false;
  bool model = false;   // beside what is measured on a GPU, what the model says
  std::string devices;  // a file, for the model
};

std::uint64_t sectors(const simulator::counts& c) {
  std::uint64_t sum = 0;
  for (const auto& s : c.sites) sum += s.sectors;
  return sum;
}
std::uint64_t fewest_sectors(const simulator::counts& c) {
  std::uint64_t sum = 0;
  for (const auto& s : c.sites) sum += s.fewest_sectors;
  return sum;
}

// A launch that was refused has no result to be judged.
bool print_refusal(const run_options& r, const outcome& o) {
  if (o.ended) return false;
  fmt::print("{} of {} by {} did not come to its end\n", r.what.kernel, counted(o.n, "element"),
             r.what.op);
  return true;
}

json verdict_of(const run_options& r, const outcome& o) {
  json all = {{"program", "upsweep lab run"},
              {"kernel", r.what.kernel},
              {"op", r.what.op},
              {"n", o.n},
              {"exclusive", r.what.exclusive},
              {"pad", r.what.pad},
              {"device", r.device},
              {"verified", o.mismatches == 0},
              {"mismatches", o.mismatches}};
  if (!o.exact) all["worst_error"] = o.worst_error, all["tolerance"] = o.tolerance;
  all["canonical_bits"] = o.canonical;
  if (!o.ended) all["verified"] = false;
  if (!o.note.empty()) all["note"] = o.note;
  return all;
}

void print_verdict(const run_options& r, const outcome& o) {
  if (print_refusal(r, o)) return;
  fmt::print("{} of {} by {}{}: ", r.what.kernel, counted(o.n, "element"), r.what.op,
             r.what.exclusive ? ", exclusive" : "");
  if (o.exact)
    fmt::print("{} differ from a serial scan", o.mismatches);
  else
    fmt::print("largest error {:.2g} against a serial scan in double, {} beyond {:g}",
               o.worst_error, o.mismatches, o.tolerance);
  fmt::print("; {} the canonical bits\n", o.canonical ? "has" : "has not");
  if (!o.note.empty()) fmt::print("{}\n", o.note);
}

void print_counts(const outcome& o) {
  fmt::print("{:<20} {:>8} {:>8} {:>12} {:>9} {:>10} {:>13} {:>7} {:>12} {:>9}\n", "kernel",
             "blocks", "threads", "operations", "barriers", "shuffles", "transactions", "degree",
             "sectors", "coalesced");
  for (const simulator::counts& c : o.launches)
    fmt::print("{:<20} {:>8} {:>8} {:>12} {:>9} {:>10} {:>13} {:>7} {:>12} {:>8.0f}%\n", c.kernel,
               c.blocks, c.threads, c.operations(), barriers_of(c), c.shuffles(), c.transactions(),
               c.degree(), sectors(c),
               100.0 * static_cast<double>(fewest_sectors(c)) /
                   static_cast<double>(std::max<std::uint64_t>(1, sectors(c))));
  std::uint64_t of_the_grid = 0;
  for (const simulator::counts& c : o.launches) of_the_grid += c.grid_barriers();
  fmt::print(
      "barriers are those of a block{}; transactions are of shared memory, sectors of 32 "
      "bytes of global memory\n",
      of_the_grid == 0
          ? ""
          : fmt::format(" (least..most), and {} of the whole grid besides", of_the_grid));
}

json counts_of(const outcome& o) {
  json all = json::array();
  for (const simulator::counts& c : o.launches) {
    json steps = json::array();
    for (const auto& s : c.steps)
      if (s.threads != 0)
        steps.push_back({{"phase", s.phase},
                         {"stride", s.stride},
                         {"active_threads", s.active_threads},
                         {"active_warps", s.active_warps},
                         {"operations", s.operations},
                         {"barriers", s.barriers},
                         {"grid_barriers", s.grid_barriers},
                         {"shuffles", s.shuffles},
                         {"votes", s.votes}});
    all.push_back({{"kernel", c.kernel},
                   {"blocks", c.blocks},
                   {"threads", c.threads},
                   {"operations", c.operations()},
                   {"barriers", c.barriers()},
                   {"fewest_barriers", c.fewest_barriers},
                   {"grid_barriers", c.grid_barriers()},
                   {"shuffles", c.shuffles()},
                   {"shared_bytes", c.shared_bytes},
                   {"transactions", c.transactions()},
                   {"degree", c.degree()},
                   {"sectors", sectors(c)},
                   {"fewest_sectors", fewest_sectors(c)},
                   {"steps", steps}});
  }
  return all;
}

void run_on_simulator(const run_options& r) {
  const outcome o = run(r.what);
  if (r.json) {
    json all = verdict_of(r, o);
    all["launches"] = counts_of(o);
    fmt::print("{}\n", all.dump(1));
  } else {
    print_verdict(r, o);
    print_counts(o);
  }
  report_faults(r.what, o);
}

void print_beside(const beside& b, const gpu_outcome& g) {
  print_terms(b.device, b.predicted);
  const double predicted = 1e3 * b.predicted.total;
  fmt::print("measured {:.4f} ms, predicted {:.4f} ms: {:+.0f} %\n", g.median, predicted,
             100 * (predicted / g.median - 1));
}

void run_on_device(const run_options& r) {
  check_names(r.what);
  const gpu_outcome g = run_on_gpu(r.what, r.repeat);
  const double bytes = 8.0 * static_cast<double>(g.result.n);
  const double rate = bytes / g.median / 1e6, copy = bytes / g.copy / 1e6;
  if (r.json) {
    json all = verdict_of(r, g.result);
    json launches = json::array();
    for (const gpu_launch& l : g.launches)
      launches.push_back({{"kernel", l.kernel}, {"median_ms", l.median}, {"least_ms", l.least}});
    all.update({{"gpu", g.device},
                {"repeat", r.repeat},
                {"launches", launches},
                {"median_ms", g.median},
                {"least_ms", g.least},
                {"gb_per_s", rate},
                {"copy_gb_per_s", copy},
                {"share_of_copy", rate / copy}});
    if (r.model) {
      const beside b = predicted_here(r.what, r.devices);
      all["model"] = json_of(b.predicted), all["model_device"] = json_of(b.device);
    }
    fmt::print("{}\n", all.dump(1));
  } else {
    print_verdict(r, g.result);
    for (const gpu_launch& l : g.launches)
      fmt::print("  {:<20} median {:.4f} ms, least {:.4f} ms\n", l.kernel, l.median, l.least);
    fmt::print(
        "{}: {:.4f} ms, {:.0f} GB/s of elements read and written once, {:.0f} % of a copy "
        "({:.0f} GB/s)\n",
        g.device, g.median, rate, 100 * rate / copy, copy);
    if (r.model) print_beside(predicted_here(r.what, r.devices), g);
  }
  report_faults(r.what, g.result);
}

// What is given has to have a meaning.
void check_given(const run_options& r, const CLI::App& given) {
  if (r.device == "sim" && given.count("--repeat") != 0)
    throw usage_failure("lab: --repeat is for --device cuda: counts are always the same");
  if (r.device == "cuda" && given.count("--banks") != 0 && r.pad == "none")
    throw usage_failure(
        "lab: --banks with --device cuda goes with --pad: a GPU has the banks it has");
}

void run_run(run_options& r) {
  r.what.pad = padding_terms(r.pad);
  split_input(r.what);
  if (r.model && r.device != "cuda")
    throw usage_failure("lab: --model goes with --device cuda; upsweep lab model needs no GPU");
  r.device == "sim" ? run_on_simulator(r) : run_on_device(r);
}

}  // namespace

void add_run(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("run", "Whether a kernel is right, and what it costs");
  const auto r = std::make_shared<run_options>();
  r->what.n = 1000;
  add_run_options(*sub, r->what);
  add_size(*sub, r->what, 0, "Elements, pseudo-random in [-1, 1) (default: 1000)")
      ->excludes(sub->get_option("--input"));
  sub->add_option("--device", r->device, "sim (default): counts; cuda: times on a GPU")
      ->check(one_of_listed({"sim", "cuda"}));
  sub->add_option("--pad", r->pad, "Terms of padding of the kernels with a tree")
      ->check(one_of_listed({"none", "1", "2"}));
  sub->add_option("--banks", r->what.model.banks, "32 (default), or 16")
      ->transform(number_of({16, 32}));
  sub->add_option("--repeat", r->repeat, "Repetitions on a GPU (default: 20)")
      ->transform(whole_number_in(1, 1000000));
  CLI::Option* const model =
      sub->add_flag("--model", r->model, "With --device cuda: what the model says, beside it")
          ->disable_flag_override();
  sub->add_option("--devices", r->devices,
                  "A file with devices of yours, for the model; - for standard input")
      ->needs(model);
  sub->add_flag("--json", r->json, "As JSON, with counts of every step")->disable_flag_override();
  sub->footer(help_on_operators);
  sub->callback([r, sub] {
    check_given(*r, *sub);
    run_run(*r);
  });
}

}  // namespace cli::lab
