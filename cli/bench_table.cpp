// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "cli/bench_engines.hpp"
#include "cli/bench_results.hpp"
#include "cli/file_handle.hpp"
#include "cli/pending_file.hpp"

namespace cli::bench {

namespace {

constexpr int label_width = 12, cell_width = 9;

bool is_a(const std::string& name, role wanted) {
  return std::any_of(engines.begin(), engines.end(),
                     [&](const engine& e) { return e.name == name && e.what == wanted; });
}

// The best rate among the engines of one role; 0 when none was measured.
double best(std::span<const result> results, role wanted) {
  double rate = 0;
  for (const result& r : results)
    if (is_a(r.engine, wanted)) rate = std::max(rate, r.gb_per_s());
  return rate;
}

const result* find(std::span<const result> results, const std::string& engine) {
  const auto found = std::find_if(results.begin(), results.end(),
                                  [&](const result& r) { return r.engine == engine; });
  return found == results.end() ? nullptr : &*found;
}

std::string label_of(const result& r) {
  if (r.shape) return fmt::format("{}x{}", r.shape->rows, r.shape->columns);
  if (std::has_single_bit(r.n) && r.n > 1) return fmt::format("2^{}", std::countr_zero(r.n));
  return std::to_string(r.n);
}

// Ends the measurement where nobody can read it.
void flush(std::FILE* to) {
  if (to == stdout) note_streamed();
  if (std::fflush(to) != 0 || std::ferror(to) != 0)
    throw system_failure(to == stdout ? "standard output" : "standard error", "write");
}

std::string percent(double ratio) { return fmt::format("{:.0f}%", 100 * ratio); }

}  // namespace

table::table(std::FILE* to, const result& first, std::vector<std::string> columns)
    : to_(to), engines_(std::move(columns)) {
  const std::string axis = first.shape ? fmt::format(" along axis {}", first.shape->axis) : "";
  const std::string calls =
      first.latency.empty() ? "" : fmt::format(", {}{}", first.latency, first.cold ? ", cold" : "");
  const char* unit = first.latency.empty() ? "GB/s read and written" : "microseconds a call";
  fmt::print(to_, "{} {} of {}{} on {}{}: {}, medians; +-: largest spread\n", first.kind, first.op,
             first.type, axis, first.device, calls, unit);
  std::string upper = fmt::format("{:>{}}", "", label_width);
  std::string lower = fmt::format("{:>{}}", "n", label_width);
  const auto column = [&](std::string_view above, std::string_view below) {
    upper += fmt::format("{:>{}}", above, cell_width);
    lower += fmt::format("{:>{}}", below, cell_width);
  };
  for (const std::string& name : engines_) {  // memcpy-all: memcpy over all
    const std::size_t dash = std::min(name.find('-'), name.size());
    column(name.substr(0, dash), dash < name.size() ? name.substr(dash + 1) : "");
  }
  column("", "+-");
  for (const std::string& name : ours()) {
    const std::string which = name.substr(name.find('-') + 1);
    column(which, "of copy");
    column(which, "of rival");
  }
  fmt::print(to_, "{}\n{}\n", upper, lower);
  flush(to_);
}

std::vector<std::string> table::ours() const {
  std::vector<std::string> names = engines_;
  std::erase_if(names, [](const std::string& name) { return !is_a(name, role::upsweep); });
  return names;
}

void table::row(std::span<const result> results) const {
  const auto cell = [this](const std::string& text) {
    fmt::print(to_, "{:>{}}", text, cell_width);
  };
  fmt::print(to_, "{:>{}}", label_of(results.front()), label_width);
  double spread = 0;
  for (const std::string& name : engines_) {
    const result* r = find(results, name);
    if (r) spread = std::max(spread, relative_spread(r->samples_s));
    cell(r ? fmt::format("{:.2f}", r->latency.empty() ? r->gb_per_s() : 1e6 * r->median_s()) : "-");
  }
  cell(percent(spread));
  const double copy = best(results, role::copy), rival = best(results, role::rival);
  for (const std::string& name : ours()) {
    const result* r = find(results, name);
    cell(r && copy > 0 ? percent(r->gb_per_s() / copy) : "-");
    cell(r && rival > 0 ? fmt::format("{:.2f}x", r->gb_per_s() / rival) : "-");
  }
  fmt::print(to_, "\n");
  flush(to_);
}

}  // namespace cli::bench
