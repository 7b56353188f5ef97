// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_session.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/failure.hpp"
#include "cli/lab_words.hpp"
#include "cli/printable.hpp"
#include "cli/standard_streams.hpp"
#include "lab/catalogue.hpp"
#include "upsweep/error.hpp"

namespace cli::lab {

namespace {

using runner = outcome (*)(const request&);

const std::vector<std::pair<std::string, runner>>& runners() {
  static const std::vector<std::pair<std::string, runner>> all{
      {"sum", run_sum}, {"prod", run_prod},     {"max", run_max},
      {"min", run_min}, {"concat", run_concat}, {"matrix", run_matrix}};
  return all;
}

// Simulated work grows with the square of n there, or steps with n.
constexpr std::uint64_t most_of_naive = 1 << 13;
constexpr std::uint64_t most_of_all = std::uint64_t{1} << 24;

void check_size(const request& what) {
  const std::uint64_t most = most_simulated(what.kernel);
  if (what.n > most)
    throw usage_failure(fmt::format("lab: --n {}: the simulator takes at most {} elements of {}",
                                    what.n, most, what.kernel));
}

void check_name(const std::string& name, const std::vector<std::string>& all, const char* what) {
  if (std::find(all.begin(), all.end(), name) != all.end()) return;
  std::string names;
  for (const std::string& n : all) names += (names.empty() ? "" : ", ") + n;
  throw usage_failure("lab: " + in_quotes(name) + " " + what + ": " + names);
}

// The upsweep lab check that runs what was asked for.
std::string check_of(const request& what) {
  std::string line = "upsweep lab check " + what.kernel + " --n " + std::to_string(what.n);
  line += " --op " + what.op;
  if (what.exclusive) line += " --exclusive";
  if (what.threads != 0) line += " --block " + std::to_string(what.threads);
  if (!what.block.empty()) line += " --tile-kernel " + what.block;
  if (what.pad != 0) line += " --pad " + std::to_string(what.pad);
  if (what.pad != 0 && what.model.banks != 32)
    line += " --banks " + std::to_string(what.model.banks);
  return line;
}

}  // namespace

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const auto& d : upsweep::lab::catalogue) names.emplace_back(d.name);
  return names;
}

std::vector<std::string> tile_kernel_names() {
  std::vector<std::string> names = kernel_names();
  std::erase_if(names, [](const std::string& name) {
    return !upsweep::lab::with_block_kernel(name, [](auto) {});
  });
  return names;
}

std::uint64_t most_simulated(std::string_view kernel) {
  return kernel == "naive" || kernel == "serial" ? most_of_naive : most_of_all;
}

std::string source_of(const simulator::shown& c) {
  using simulator::no_partner;
  const bool own_left = c.left == c.element, own_right = c.right == c.element;
  if (c.left == no_partner && (c.right == no_partner || own_right)) return "=";
  if (c.left == no_partner) return fmt::format("=[{}]", c.right);
  return (own_left ? "" : fmt::format("[{}]", c.left)) + "+" +
         (own_right && !own_left ? "" : fmt::format("[{}]", c.right));
}

void note_cancellation(outcome& o, double of_magnitudes) {
  if (o.cancelled == 0) return;
  o.note += fmt::format(
      "{}{} {} beyond {:g} by cancellation: by no more than {:.1g} of the sum of "
      "magnitudes",
      o.note.empty() ? "" : "; ", counted(o.cancelled, "result"), o.cancelled == 1 ? "is" : "are",
      o.tolerance, of_magnitudes);
}

void report_faults(const request& what, const outcome& o) {
  if (o.findings.empty() && o.mismatches == 0) return;
  flush_output();  // what is printed comes before what went wrong
  if (o.findings.empty())
    throw failure(exit_status::verification_failed,
                  fmt::format("lab: {} wrong", counted(o.mismatches, "result") +
                                                   (o.mismatches == 1 ? " is" : " are")));
  const simulator::finding& first = o.findings.front();
  const std::string rest =
      o.findings.size() == 1 ? "" : ", and " + std::to_string(o.findings.size() - 1) + " more";
  throw failure(exit_status::faults_found, std::string("lab: ") + name_of(first.kind) + ": " +
                                               first.text + rest + " (" + check_of(what) + ")");
}

unsigned padding_terms(const std::string& word) { return word == "none" ? 0 : word == "1" ? 1 : 2; }

void check_names(const request& what) {
  check_name(what.kernel, kernel_names(), "is no kernel");
  if (!what.block.empty()) check_name(what.block, tile_kernel_names(), "scans no tile");
  if (what.threads != 0 && what.kernel == "serial")
    throw usage_failure("lab: serial is one thread: it takes no --block");
  if (!what.block.empty() && what.kernel != "hierarchical")
    throw usage_failure("lab: --tile-kernel is for hierarchical");
  if (what.pad != 0 && !what.block.empty())
    throw usage_failure(
        "lab: --pad is not for tile kernels: blelloch and brent-kung take it as kernels of their "
        "own");
  if (what.pad != 0 && what.kernel != "blelloch" && what.kernel != "brent-kung")
    throw usage_failure("lab: --pad is for the kernels with a tree: blelloch, brent-kung");
  if (what.pad != 0 && what.op != "sum") throw usage_failure("lab: --pad goes with --op sum");
}

void split_input(request& what) {
  std::vector<std::string>& words = what.input;
  const std::string& text = what.input_text;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, comma - at));
    if (words.back().empty())
      throw usage_failure("lab: element " + std::to_string(words.size() - 1) +
                          " of --input is empty");
    if (on_one_line(words.back()) != words.back())
      throw usage_failure("lab: element " + std::to_string(words.size() - 1) +
                          " of --input has bytes that are no text: " + in_quotes(words.back()));
    at = comma + 1;
  }
  if (!words.empty()) what.n = words.size();
}

const std::vector<std::string>& operators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const auto& [name, run] : runners()) found.push_back(name);
    return found;
  }();
  return names;
}

outcome run(const request& what) {
  check_names(what);
  check_size(what);
  for (const auto& [name, run] : runners()) {
    if (name != what.op) continue;
    try {
      return run(what);
    } catch (const upsweep::argument_error& error) {
      throw refusal_of(error, what);
    }
  }
  throw usage_failure("lab: " + in_quotes(what.op) + " is no operator");
}

}  // namespace cli::lab
