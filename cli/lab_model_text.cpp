// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "cli/lab_words.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

namespace {

using model::launch_times;
using model::prediction;

constexpr std::size_t line_width = 80;

using cells = std::vector<std::string>;

// Columns as wide as their longest cell. The first one is words, and the last one where it says so.
void print_table(const std::vector<cells>& rows, bool last_is_words = false) {
  std::vector<std::size_t> widths(rows.at(0).size());
  for (const cells& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  for (const cells& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t k = 1; k < row.size(); ++k)
      line += last_is_words && k + 1 == row.size() ? " " + row[k]
                                                   : fmt::format(" {:>{}}", row[k], widths[k]);
    fmt::print("{}\n", line);
  }
}

// At most eight characters, of any size.
std::string figure(double x) {
  if (x == 0) return "0";
  if (x < 0.001 || x >= 1e7) return fmt::format("{:.2e}", x);
  if (x >= 1000) return fmt::format("{:.0f}", x);
  return fmt::format("{:.{}f}", x, x < 10 ? 3 : x < 100 ? 2 : 1);
}

std::string us(double seconds) { return figure(seconds * 1e6); }

// Broken between words; lines behind the first are indented, and all of them are by so many blanks.
std::string wrapped(const std::string& text, std::size_t blanks = 0) {
  std::string lines, line(blanks, ' ');
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    if (from > 0 && line.size() + 1 + word.size() > line_width)
      lines += line + "\n", line = std::string(blanks + 2, ' ') + word;
    else
      line += (from == 0 ? "" : " ") + word;
    from = end + 1;
  }
  return lines + line + "\n";
}

void print_device(const model::device_spec& d) {
  fmt::print(
      "{}",
      wrapped(fmt::format(
          "{}: {:.0f} GB/s by the data sheet, {:.0f} of a copy{}; {:.3g} adds a "
          "second, ridge at {:.2f} adds a byte",
          printable(d.about), d.dram_bytes_per_s / 1e9, d.dram_bytes_per_s * d.copy_share / 1e9,
          d.l2_bytes == 0 ? "" : fmt::format(", {:.0f} within L2", d.l2_bytes_per_s / 1e9),
          d.adds_per_s(), d.ridge())));
}

// At most twelve characters, so that no row is longer than a line.
std::string elements(std::uint64_t n) {
  if (n < 1'000'000'000'000) return std::to_string(n);
  return std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n))
                                : fmt::format("{:.6e}", 1.0 * n);
}

std::vector<cells> summaries(const std::vector<prediction>& all) {
  std::vector<cells> rows{{"kernel", "n", "launches", "MB", "adds/B", "time, us", "bound"}};
  for (const prediction& p : all)
    rows.push_back({p.kernel, elements(p.n), std::to_string(p.launches.size()),
                    figure(p.sum(&launch_times::dram_bytes) / 1e6), figure(p.intensity()),
                    us(p.total), p.bound});
  return rows;
}

std::vector<cells> terms_beside(const std::vector<prediction>& all) {
  std::vector<cells> rows{
      {"us", "bandwidth", "adding", "issue", "shared", "path", "grid", "launch"}};
  for (const prediction& p : all)
    rows.push_back({p.kernel, us(p.sum(&launch_times::bandwidth)), us(p.sum(&launch_times::alu)),
                    us(p.sum(&launch_times::issue)), us(p.sum(&launch_times::shared)),
                    us(p.sum(&launch_times::barrier) + p.sum(&launch_times::latency) +
                       p.sum(&launch_times::carry)),
                    us(p.sum(&launch_times::alone)), us(p.launch)});
  return rows;
}

std::vector<cells> terms_of_path(const std::vector<prediction>& all) {
  std::vector<cells> rows{{"path, us", "barrier", "latency", "carry", "waves", "GB/s"}};
  for (const prediction& p : all)
    rows.push_back({p.kernel, us(p.sum(&launch_times::barrier)), us(p.sum(&launch_times::latency)),
                    us(p.sum(&launch_times::carry)), fmt::format("{:.2f}", p.largest().waves),
                    figure(p.rate / 1e9)});
  return rows;
}

// Where the bandwidth comes from, which is not what the data sheet says of the memory.
std::string sources_of(const model::device_spec& d, const std::vector<prediction>& all) {
  const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [](auto& a, auto& b) { return a.l2_share < b.l2_share; });
  const double l2 = d.l2_bytes_per_s / 1e9, memory = d.dram_bytes_per_s * d.copy_share / 1e9;
  if (least->l2_share == 1) return fmt::format("at {:.0f} GB/s, as L2 holds the arrays", l2);
  if (most->l2_share == 0) return fmt::format("at {:.0f} GB/s, from memory", memory);
  return fmt::format("by the column GB/s: {:.0f} where L2 holds the arrays, {:.0f} from memory", l2,
                     memory);
}

void print_legend(const model::device_spec& d, const std::vector<prediction>& all) {
  fmt::print(
      "{}",
      wrapped("A launch takes the most of bandwidth, adding, issue, shared and path, which is "
              "barrier + latency + carry, the wait for words of other blocks; then grid, its "
              "barriers. The total is their sum over the launches, and launch. Bandwidth is MB in "
              "sectors of 32 bytes, what a whole block reads in common once, " +
              sources_of(d, all) +
              ". adds/B: additions a byte of MB; below the ridge the bytes take longer than the "
              "additions. waves: how often the blocks of a launch fill the device."));
}

// A list of kernels as the subject of a sentence.
const char* these_need(const std::string& kernels) {
  return kernels.find(',') == kernels.npos ? "this kernel needs" : "these kernels need";
}

// Kernels of which a launch has more blocks than any call of CUDA starts.
void print_too_wide(const model::device_spec& d, const std::vector<prediction>& all) {
  std::string kernels;
  for (const prediction& p : all)
    if (std::any_of(p.launches.begin(), p.launches.end(),
                    [&](const launch_times& l) { return l.blocks > d.most_blocks(); }))
      kernels += (kernels.empty() ? "" : ", ") + p.kernel;
  if (kernels.empty()) return;
  fmt::print("{}", wrapped(fmt::format(
                       "Hypothetical: a launch on {} has at most {:.0f} blocks, and {} more: {}.",
                       printable(d.name), d.most_blocks(), these_need(kernels), kernels)));
}

// What a reader must know of all figures: how many are guesses, and of which kernels.
void print_reservations(const model::device_spec& d, const std::vector<prediction>& all) {
  std::map<double, std::string> beyond;  // kernels, by what they need
  for (const prediction& p : all)
    if (d.compute_capability != 0 && p.needs_capability > d.compute_capability + 0.01)
      beyond[p.needs_capability] += (beyond[p.needs_capability].empty() ? "" : ", ") + p.kernel;
  for (const auto& [needed, kernels] : beyond)
    fmt::print("{}",
               wrapped(fmt::format(
                   "Hypothetical: {} has compute capability {:.1f}, and {} {:.1f}: {}.",
                   printable(d.name), d.compute_capability, these_need(kernels), needed, kernels)));
  print_too_wide(d, all);
  if (d.assumed.empty()) return;
  fmt::print(
      "{}", wrapped(fmt::format("{} of the {} figures of {} are assumed: neither measured "
                                "on it nor in a data sheet of it.",
                                d.assumed.size(), model::spec_fields().size(), printable(d.name))));
}

std::string held_by(const launch_times& l) {
  return fmt::format("; a multiprocessor holds {:.0f}, {:.0f} % of its warps, limited by {}",
                     l.held.blocks, 100 * l.held.share, l.held.limit);
}

// A line for each launch. What a multiprocessor holds is said where it is another than before.
void print_launches(const model::device_spec& d, const prediction& p) {
  std::string before;
  for (const launch_times& l : p.launches) {
    const std::string waves =
        l.waves > 1 ? fmt::format("{:.2f} waves", l.waves)
                    : fmt::format("of the {:.0f} that run at once", l.held.blocks * d.processors);
    const std::string held = held_by(l);
    fmt::print("{}", wrapped(fmt::format("{}: {} of {}, {}; {} us{}", l.kernel,
                                         counted(static_cast<std::uint64_t>(l.blocks), "block"),
                                         counted(static_cast<std::uint64_t>(l.threads), "thread"),
                                         waves, us(l.body()), held == before ? "" : held)));
    before = held;
  }
}

}  // namespace

std::string reason_of(const prediction& p) {
  const std::pair<double, const char*> terms[] = {
      {p.sum(&launch_times::bandwidth), "bandwidth"},
      {p.sum(&launch_times::issue), "issue"},
      {p.sum(&launch_times::shared), "shared memory"},
      {p.sum(&launch_times::barrier), "barriers"},
      {p.sum(&launch_times::latency), "latency"},
      {p.sum(&launch_times::carry), "carries"},
      {p.sum(&launch_times::alone), "barriers of the grid"},
      {p.launch, "launches"}};
  std::string text = "bound by " + p.bound;
  const char* before = ": ";
  for (const auto& [seconds, name] : terms)
    if (seconds > 0.05 * p.total) {
      text +=
          fmt::format("{}{} {} us ({:.0f} %)", before, name, us(seconds), 100 * seconds / p.total);
      before = ", ";
    }
  const launch_times& most = p.largest();
  if (most.waves > 1)
    text += fmt::format("; {:.2f} waves, the last {:.0f} % idle", most.waves, 100 * most.tail);
  return text;
}

void print_predictions(const model::device_spec& d, const std::vector<prediction>& all,
                       const std::string& remark) {
  print_device(d);
  print_table(summaries(all), true);
  fmt::print("\n");
  print_table(terms_beside(all));
  fmt::print("\n");
  print_table(terms_of_path(all));
  print_legend(d, all);
  if (!remark.empty()) fmt::print("{}", wrapped(remark));
  if (all.size() > 1) print_reservations(d, all);
}

void print_terms(const model::device_spec& d, const prediction& p) {
  print_predictions(d, {p}, "");
  fmt::print("\n");
  print_launches(d, p);
  fmt::print("{}", wrapped(reason_of(p)));
  fmt::print("{}", wrapped(fmt::format(
                       "Little's law: {:.0f} KB in flight are needed for {:.0f} GB/s, {:.0f} KB "
                       "are possible",
                       p.in_flight_needed / 1e3, p.rate / 1e9, p.in_flight_possible / 1e3)));
  print_reservations(d, {p});
}

void print_lecture(const std::vector<model::lecture_figure>& figures) {
  fmt::print(
      "\nThe figures of a lecture that derives them from the data sheet, computed again:\n"
      "{:<34} {:>8} {:>9} {}\n",
      "figure", "stated", "computed", "unit");
  for (const model::lecture_figure& f : figures) {
    const std::string row =
        fmt::format("{:<34} {:>8g} {:>9.5g} {}", f.what, f.stated, f.computed, f.unit);
    fmt::print("{}\n", f.follows() ? row.substr(0, row.find_last_not_of(' ') + 1)
                                   : fmt::format("{:<62} DOES NOT FOLLOW", row));
    fmt::print("{}", wrapped(fmt::format("from {}", f.premises), 2));
    const char* const kind = f.follows() ? "note" : "erratum";
    if (*f.erratum) fmt::print("{}", wrapped(fmt::format("{}: {}", kind, f.erratum), 2));
  }
}

}  // namespace cli::lab
