// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_baseline.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/document_text.hpp"
#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "cli/printable.hpp"
#include "report/baseline.hpp"
#include "report/documents.hpp"

namespace cli::bench {

namespace {

using upsweep::report::bench_file;
using upsweep::report::bench_result;
using upsweep::report::compared;
using upsweep::report::comparison;
using upsweep::report::verdict;
using json = nlohmann::ordered_json;

bench_file read(const std::string& file) {
  const document_text text(file, upsweep::report::most_bytes);
  return upsweep::report::bench_of(on_one_line(text.name()), text.view());
}

// Names come from the files.
std::string shown(const std::string& text) { return on_one_line(text); }

void print_pair(std::FILE* to, const compared& c) {
  const bench_result& r = *c.after;
  fmt::print(to, "  {:<12} {:<16} {:>11.3e} {:>11.3e} {:>7.3f}{}\n", shown(r.size_name()),
             shown(r.engine), c.before->median_s, r.median_s, c.ratio,
             c.is == verdict::overlap ? "" : "  " + name_of(c.is));
}

void print_alone(std::FILE* to, const char* whose, const std::vector<std::string>& keys) {
  constexpr std::size_t few = 5;  // more would hide what was compared
  if (keys.size() > few)
    fmt::print(to, "only in the {} file: {} results, such as {}; --json lists them\n", whose,
               keys.size(), shown(keys[0]));
  else
    for (const std::string& key : keys)
      fmt::print(to, "only in the {} file: {}\n", whose, shown(key));
}

void print(std::FILE* to, const comparison& all) {
  std::string title;
  for (const compared& c : all.pairs) {
    if (c.after->title() != title) {
      title = c.after->title();
      fmt::print(to, "{}\n  {:<12} {:<16} {:>11} {:>11} {:>7}\n", shown(title), "n", "engine",
                 "old s", "new s", "new/old");
    }
    print_pair(to, c);
  }
  print_alone(to, "old", all.only_before);
  print_alone(to, "new", all.only_after);
  fmt::print(to,
             "{} compared: {} slower ({} of them of upsweep), {} faster, {} with times in common\n",
             all.pairs.size(), all.slower, all.own_slower, all.faster,
             all.pairs.size() - all.slower - all.faster - all.single);
  if (all.single != 0)
    fmt::print(to, "{} with one sample in a file, which are not judged: --repeat 3 or more tells\n",
               all.single);
}

json side_of(const bench_result& r) {
  return {{"median_s", r.median_s},
          {"best_s", r.best_s},
          {"worst_s", r.worst_s},
          {"samples", r.samples}};
}

json entry_of(const compared& c) {
  const bench_result& r = *c.after;
  json entry = {{"engine", r.engine}, {"device", r.device}, {"op", r.op},
                {"type", r.type},     {"kind", r.kind},     {"n", r.n}};
  if (!r.shape.empty()) entry["shape"] = r.shape, entry["axis"] = r.axis;
  if (!r.latency.empty()) entry["latency"] = r.latency, entry["cold"] = r.cold;
  entry["old"] = side_of(*c.before);
  entry["new"] = side_of(r);
  entry["ratio"] = c.ratio;
  entry["verdict"] = name_of(c.is);
  return entry;
}

std::string json_of(const bench_file& before, const bench_file& after, const comparison& all) {
  json pairs = json::array();
  for (const compared& c : all.pairs) pairs.push_back(entry_of(c));
  const json whole = {{"program", "upsweep bench --baseline"},
                      {"old", before.file},
                      {"new", after.file},
                      {"machines_differ", all.machines},
                      {"slower", all.slower},
                      {"faster", all.faster},
                      {"versions_differ", all.versions},
                      {"own_slower", all.own_slower},
                      {"one_sample", all.single},
                      {"only_old", all.only_before},
                      {"only_new", all.only_after},
                      {"pairs", pairs}};
  return whole.dump(1) + "\n";
}

}  // namespace

void compare_with_baseline(const std::vector<std::string>& files,
                           const std::optional<std::string>& to) {
  if (to)
    for (const std::string& file : files) check_output_is_no_input(file, *to);
  const bench_file before = read(files.at(0)), after = read(files.at(1));
  const comparison all = compare(before, after);
  std::optional<output_file> out;
  if (to) out.emplace(*to);
  print(to == "-" ? stderr : stdout, all);
  if (!all.machines.empty())
    fmt::print(stderr, "warning: the machines differ, so that the times say little: {}\n",
               shown(all.machines));
  if (!all.versions.empty())
    fmt::print(stderr, "warning: the versions differ: {}\n", shown(all.versions));
  if (out) {
    out->write(json_of(before, after, all));
    out->commit();
  }
  if (all.own_slower == 0) return;
  std::fflush(stdout);
  throw failure(exit_status::verification_failed,
                fmt::format("bench: {} of {} are slower than in {}, and of upsweep", all.own_slower,
                            all.pairs.size(), before.file));
}

}  // namespace cli::bench
