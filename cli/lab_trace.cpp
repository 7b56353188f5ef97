// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// upsweep lab trace: the array after each step.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/failure.hpp"
#include "cli/lab_command.hpp"
#include "cli/lab_page.hpp"
#include "cli/lab_session.hpp"
#include "cli/lab_words.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_drawn = 64;

std::string name_of(const drawn_row& row) {
  if (row.phase.empty()) return "before";
  return row.stride == 0 ? row.phase : row.phase + " " + std::to_string(row.stride);
}

void print_cells(const std::string& name, const std::vector<std::string>& cells, std::size_t width,
                 const std::string& behind) {
  fmt::print("{:<16}", name);
  for (const std::string& c : cells) fmt::print(" {:>{}}", c, width);
  fmt::print("{}\n", behind.empty() ? "" : "   " + behind);
}

// Below each element that has changed: what it was made of.
std::vector<std::string> sources(const drawn_row& row) {
  std::vector<std::string> cells(row.array.size());
  for (const simulator::shown& c : row.changes) cells[c.element] = source_of(c);
  return cells;
}

// The result, where the last row is not it.
std::vector<std::string> stored(const outcome& o) {
  const std::vector<drawn_row>& rows = o.traces.back();
  if (!o.ended || rows.empty()) return {};
  const std::vector<std::string>& last = rows.back().array;
  const bool same = std::equal(
      o.result.begin(), o.result.end(), last.begin(),
      last.begin() + static_cast<std::ptrdiff_t>(std::min(last.size(), o.result.size())));
  return same ? std::vector<std::string>{} : o.result;
}

// result: what the last launch stores, where its steps leave something else.
void print_launch(const std::vector<drawn_row>& rows, const std::vector<std::string>& result) {
  std::size_t width = 1;
  for (const std::string& c : result) width = std::max(width, c.size());
  for (const drawn_row& row : rows) {
    for (const std::string& c : row.array) width = std::max(width, c.size());
    for (const std::string& c : sources(row)) width = std::max(width, c.size());
  }
  std::vector<std::string> places;
  for (std::size_t i = 0; i < rows[0].array.size(); ++i) places.push_back(fmt::format("[{}]", i));
  for (const std::string& c : places) width = std::max(width, c.size());
  print_cells("", places, width, "");
  for (const drawn_row& row : rows) {
    const bool first = row.phase.empty();
    print_cells(name_of(row), row.array, width, first ? "" : fmt::format("{} active", row.active));
    if (!first) print_cells("", sources(row), width, "");
  }
  if (!result.empty()) print_cells("stored", result, width, "");
}

void print_text(const request& what, const outcome& o) {
  fmt::print("{} of {} by {}\n", what.kernel, counted(o.n, "element"), what.op);
  for (std::size_t i = 0; i < o.launches.size(); ++i) {
    const simulator::counts& c = o.launches[i];
    fmt::print("{}{}: {}\n", i == 0 ? "" : "\n", c.kernel, headline(c));
    if (o.traces[i].empty())
      fmt::print("  works on the totals of the tiles\n");
    else
      print_launch(o.traces[i],
                   i + 1 == o.launches.size() ? stored(o) : std::vector<std::string>{});
  }
  fmt::print("\n");
  for (const simulator::finding& f : o.findings) fmt::print("{}: {}\n", name_of(f.kind), f.text);
  if (!o.ended) return;
  fmt::print("{} result:", what.exclusive ? "exclusive" : "inclusive");
  for (const std::string& v : o.result) fmt::print(" {}", v);
  fmt::print("\n");
  if (o.mismatches != 0)
    fmt::print("{} of them {} wrong\n", o.mismatches, o.mismatches == 1 ? "is" : "are");
  if (!o.note.empty()) fmt::print("{}\n", o.note);
}

json json_of(const drawn_row& row) {
  json changes = json::array();
  for (const simulator::shown& c : row.changes) {
    json change = {{"block", c.block}, {"thread", c.thread}, {"element", c.element}};
    if (c.left != simulator::no_partner) change["left"] = c.left;
    if (c.right != simulator::no_partner) change["right"] = c.right;
    changes.push_back(change);
  }
  return {{"phase", row.phase},
          {"stride", row.stride},
          {"active_threads", row.active},
          {"array", row.array},
          {"changes", changes}};
}

void print_json(const request& what, const outcome& o) {
  json launches = json::array();
  for (std::size_t i = 0; i < o.launches.size(); ++i) {
    json steps = json::array();
    for (const drawn_row& row : o.traces[i]) steps.push_back(json_of(row));
    launches.push_back({{"kernel", o.launches[i].kernel},
                        {"blocks", o.launches[i].blocks},
                        {"threads", o.launches[i].threads},
                        {"operations", o.launches[i].operations()},
                        {"barriers", o.launches[i].barriers()},
                        {"grid_barriers", o.launches[i].grid_barriers()},
                        {"steps", steps}});
  }
  json faults = json::array();
  for (const simulator::finding& f : o.findings)
    faults.push_back({{"fault", name_of(f.kind)}, {"text", f.text}});
  const json all = {{"program", "upsweep lab trace"},
                    {"kernel", what.kernel},
                    {"op", what.op},
                    {"exclusive", what.exclusive},
                    {"input", o.input},
                    {"launches", launches},
                    {"faults", faults},
                    {"mismatches", o.mismatches},
                    {"result", o.result}};
  fmt::print("{}\n", all.dump(1));
}

struct trace_options {
  request what;
  bool json = false;
  std::string html;
};

// So many threads that a tile has 8 elements, of kernels that can go on from tile to tile.
unsigned threads_for_tiles(const std::string& kernel) {
  if (kernel == "tree-lookback") return 4;
  return kernel == "lookback" || kernel == "grid-sync" ? 2 : 0;
}

void run_trace(trace_options& t) {
  split_input(t.what);
  if (t.what.n == 0 || t.what.n > most_drawn)
    throw usage_failure(fmt::format("lab: --input has {} elements; a trace has 1 to {} elements",
                                    t.what.n, most_drawn));
  if (t.what.threads == 0) t.what.threads = threads_for_tiles(t.what.kernel);
  t.what.model.trace = true;
  const outcome o = run(t.what);
  if (!t.html.empty()) write_page(t.html, t.what, o);
  if (t.json)
    print_json(t.what, o);
  else if (t.html.empty())
    print_text(t.what, o);
  report_faults(t.what, o);
}

}  // namespace

void add_trace(CLI::App& lab) {
  CLI::App* sub = lab.add_subcommand("trace", "The array after each step, and what was added");
  const auto options = std::make_shared<trace_options>();
  add_run_options(*sub, options->what);
  sub->get_option("--input")->required();
  sub->get_option("--block")->description(
      "Threads of a block (default: tiles of 8, or as the kernel likes)");
  sub->add_flag("--json", options->json, "As JSON")->disable_flag_override();
  sub->add_option("--html", options->html, "Write a page with a drawing to this file");
  sub->footer(
      "Examples:\n"
      "  upsweep lab trace hillis-steele --input 3,1,7,0,4,1,6,3\n"
      "  upsweep lab trace tree-lookback --op concat --input a,b,c,d --html page.html\n"
      "Below an element that has changed stands what it was made of: [k]+ for element k plus its\n"
      "  own value, +[k] for its own plus element k, =[k] for that of element k, = for another\n"
      "  one. A last row has the result, where the steps leave something else.\n" +
      std::string(help_on_operators));
  sub->callback([options] { run_trace(*options); });
}

}  // namespace cli::lab
