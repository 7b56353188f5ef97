// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_session.hpp"

#include <algorithm>
#include <utility>

#include "cli/failure.hpp"
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
  const std::uint64_t most =
      what.kernel == "naive" || what.kernel == "serial" ? most_of_naive : most_of_all;
  if (what.n > most)
    throw usage_failure("lab: the simulator takes at most " + std::to_string(most) +
                        " elements of " + what.kernel);
}

}  // namespace

void check_names(const request& what) {
  const auto& all = upsweep::lab::catalogue;
  if (std::none_of(all.begin(), all.end(), [&](auto& d) { return d.name == what.kernel; })) {
    std::string names;
    for (const auto& d : all) names += (names.empty() ? "" : ", ") + std::string(d.name);
    throw usage_failure("lab: '" + what.kernel + "' is no kernel: " + names);
  }
  if (!what.block.empty() && what.kernel != "hierarchical")
    throw usage_failure("lab: --tile-kernel is for hierarchical");
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
      const std::string text = error.what();
      throw usage_failure("lab: " + text.substr(text.find(": ") + 2));
    }
  }
  throw usage_failure("lab: '" + what.op + "' is no operator");
}

}  // namespace cli::lab
