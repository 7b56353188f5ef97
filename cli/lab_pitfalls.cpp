// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab pitfalls: a broken kernel for every fault that the simulator can see.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_words.hpp"
#include "cli/option_checks.hpp"
#include "lab/catalogue.hpp"
#include "lab/kernels/broken.hpp"
#include "lab/simulator/sim_device.hpp"
#include "upsweep/reference.hpp"

namespace cli::lab {

namespace {

using namespace upsweep::lab;

struct verdict {
  std::vector<simulator::finding> findings;
  std::vector<simulator::counts> launches;
  std::size_t wrong = 0, first_wrong = 0;
};

// Integers from -50 to 49, so that every right order gives the same.
template <class Algorithm, class Op>
verdict tried(std::size_t n, unsigned threads, bool exclusive = false) {
  std::mt19937_64 source(7);
  std::vector<int> x(n), y(n);
  for (int& v : x)
    v = static_cast<int>(source() % 100) - 50 - (std::is_same_v<Op, upsweep::maximum> ? 60 : 0);
  simulator::device d;
  const auto in = d.input(x);
  const auto out = d.output(y);
  Algorithm::scan(d, in, out, Op{}, {exclusive, threads});
  d.finish();
  verdict v{d.findings(), d.launches()};
  const auto want = exclusive ? upsweep::reference::exclusive_scan(std::span<const int>(x), Op{})
                              : upsweep::reference::inclusive_scan(std::span<const int>(x), Op{});
  for (std::size_t i = n; i-- > 0;)
    if (y[i] != want[i]) ++v.wrong, v.first_wrong = i;
  return v;
}

std::string report_of(const verdict& v) {
  std::string text;
  for (const simulator::finding& f : v.findings) {
    if (&f - v.findings.data() == 2) {
      text += fmt::format("    and {} more\n", v.findings.size() - 2);
      break;
    }
    text += fmt::format("    {}: {}\n", name_of(f.kind), f.text);
  }
  if (v.findings.empty() && v.wrong != 0)
    text += fmt::format("    wrong result: {} of the elements, from element {} on\n", v.wrong,
                        v.first_wrong);
  return text;
}

std::string padding_report() {
  const auto cost = [](const verdict& v) {
    return fmt::format("degree {}, {} transactions in the steps, {} bytes", v.launches[0].degree(),
                       v.launches[0].transactions("step"), v.launches[0].shared_bytes);
  };
  const verdict without = tried<padded_hillis_steele<no_padding>, upsweep::plus>(1024, 1024);
  const verdict with = tried<padded_hillis_steele<padding<32, 1>>, upsweep::plus>(1024, 1024);
  if (with.launches[0].transactions("step") <= without.launches[0].transactions("step")) return "";
  return fmt::format("    without padding: {}\n    with padding:    {}\n", cost(without),
                     cost(with));
}

struct pitfall {
  const char* name;
  const char* what;  // the broken variant, or why it cannot be seen here
  std::string (*report)();
};

template <class Algorithm, class Op = upsweep::plus>
std::string report_on(std::size_t n, unsigned threads, bool exclusive = false) {
  return report_of(tried<Algorithm, Op>(n, threads, exclusive));
}
template <defect D>
std::string report_defect() {
  return report_on<broken_hillis_steele<D>>(256, 256);
}

const pitfall all[] = {
    {"missing barrier", "hillis-steele without barriers", report_defect<defect::no_barrier>},
    {"barrier in divergent code", "hillis-steele whose barrier is in the branch that adds",
     report_defect<defect::barrier_in_branch>},
    {"one barrier in place", "hillis-steele-racy",
     [] { return report_on<hillis_steele_racy>(256, 256); }},
    {"buffers not swapped", "hillis-steele that always reads the first buffer",
     report_defect<defect::not_swapped>},
    {"idle threads not copying", "hillis-steele where threads with nothing to add write nothing",
     report_defect<defect::no_copy>},
    {"grid rounded down", "1000 elements by 1000 / 256 blocks",
     [] { return report_on<unchecked_grid<false>>(1000, 256); }},
    {"no bounds check", "1000 elements by 4 blocks of 256 threads",
     [] { return report_on<unchecked_grid<true>>(1000, 256); }},
    {"padding or root not the identity", "a maximum of negative numbers with 0 at blelloch's root",
     [] { return report_on<zero_at_the_root, upsweep::maximum>(256, 128, true); }},
    {"shared memory over the limit", "hillis-steele with a buffer for each step",
     [] { return report_on<broken_hillis_steele<defect::too_much_shared>>(1024, 1024); }},
    {"unchecked API results", "a launch of 2000 threads a block, which no device takes",
     [] { return report_on<unchecked_launch>(2000, 0); }},
    {"padding where nothing conflicts", "hillis-steele-inplace with i + i/32", padding_report},
    {"non-idempotent kernel in a timing loop", "the last kernel of hierarchical, twice",
     [] { return report_on<offsets_added_twice>(1000, 128); }},
    {"waiting for a block that has not begun",
     "16 tiles from the last to the first, each waits for the one before it",
     [] { return report_on<tiles_from_the_end>(16, 1); }},
    {"vote in divergent code", "half of a warp votes, the others are at a barrier",
     [] { return report_on<vote_in_a_branch>(64, 64); }},
    {"timing without synchronising",
     "a matter of the host's clock: upsweep lab run takes events of the device", nullptr},
    {"copy direction swapped", "the simulated device has no memory of its own to copy to", nullptr},
    {"host and device pointers mixed",
     "the lab's arrays are types of their own, so that it does not compile; elsewhere "
     "compute-sanitizer finds it",
     nullptr},
    {"per-thread array in local memory",
     "what the compiler does: nvcc -Xptxas -v reports the stack frame", nullptr},
};

constexpr std::size_t count = std::size(all);

struct shown_pitfall {
  std::size_t number;
  const pitfall& which;
  std::string report;  // empty: not caught
  bool seen() const { return which.report != nullptr; }
};

void print(const shown_pitfall& p, bool first) {
  fmt::print("{}{}. {}\n  {}\n", first ? "" : "\n", p.number, p.which.name, p.which.what);
  if (!p.seen())
    fmt::print("    not seen here\n");
  else
    fmt::print("{}", p.report.empty() ? "    not caught\n" : p.report);
}

nlohmann::ordered_json json_of(const shown_pitfall& p) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < p.report.size();) {
    const std::size_t end = p.report.find('\n', at);
    lines.push_back(p.report.substr(at + 4, end - at - 4));  // without its margin
    at = end + 1;
  }
  return {{"number", p.number},
          {"name", p.which.name},
          {"what", p.which.what},
          {"seen", p.seen()},
          {"report", lines}};
}

// number: one of them, or 0 for all.
void run_pitfalls(std::size_t number, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t missed = 0;
  for (std::size_t k = 1; k <= count; ++k) {
    if (number != 0 && number != k) continue;
    const pitfall& which = all[k - 1];
    const shown_pitfall p{k, which, which.report == nullptr ? "" : which.report()};
    missed += p.seen() && p.report.empty();
    if (json)
      list.push_back(json_of(p));
    else
      print(p, k == 1 || number != 0);
  }
  if (json)
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"program", "upsweep lab pitfalls"}, {"pitfalls", list}}.dump(1));
  if (missed != 0)
    throw run_time_failure(fmt::format("lab: {} not caught", counted(missed, "pitfall")));
}

}  // namespace

void add_pitfalls(CLI::App& lab) {
  CLI::App* sub =
      lab.add_subcommand("pitfalls", "A broken kernel for every common fault, and its report");
  const auto number = std::make_shared<std::size_t>(0);
  const auto json = std::make_shared<bool>(false);
  sub->add_option("NUMBER", *number, "Only this one (default: all)")
      ->transform(whole_number_in(1, count));
  sub->add_flag("--json", *json, "As JSON")->disable_flag_override();
  sub->callback([number, json] { run_pitfalls(*number, *json); });
}

}  // namespace cli::lab
