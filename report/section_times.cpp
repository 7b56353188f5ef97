// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "report/plot.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

// The runs that can be compared: on one GPU, of one operator.
struct timed_group {
  std::string title;
  std::vector<const lab_run*> runs;  // by kernel, then by n
};

std::vector<timed_group> groups_of(const documents& all) {
  std::vector<timed_group> groups;
  for (const lab_run& r : all.runs) {
    if (r.gpu.empty()) continue;
    const std::string title =
        fmt::format("{} on {}{}", r.op, r.gpu, r.exclusive ? ", exclusive" : "");
    auto at = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.title == title; });
    if (at == groups.end()) at = groups.insert(groups.end(), timed_group{title, {}});
    at->runs.push_back(&r);
  }
  for (timed_group& g : groups)
    std::stable_sort(g.runs.begin(), g.runs.end(), [](const lab_run* a, const lab_run* b) {
      return std::pair(a->name(), a->n) < std::pair(b->name(), b->n);
    });
  return groups;
}

std::string label_of(const lab_run& r) {
  return fmt::format("{}, n = {}: {}, {} of a copy", r.name(), r.n, short_time(r.median_s),
                     percent(r.gb_per_s / r.copy_gb_per_s));
}

std::string drawn_times(const timed_group& g, names& ids) {
  const std::string about =
      "The median time of a whole scan by each kernel. The table below has all numbers.";
  const bool one_size = std::all_of(g.runs.begin(), g.runs.end(),
                                    [&](const lab_run* r) { return r->n == g.runs[0]->n; });
  if (one_size) {
    std::vector<bar> bars;
    for (const lab_run* r : g.runs)
      bars.push_back({r->name(), 1e6 * r->median_s, label_of(*r), look_of(r->name()).colour});
    return drawn_bars(ids.next(), g.title, about, "microseconds", bars);
  }
  plot p{ids.next(),
         g.title,
         about,
         {"elements n", scaling::octaves},
         {"microseconds", scaling::decades},
         {}};
  for (const lab_run* r : g.runs) {
    if (p.curves.empty() || p.curves.back().name != r->name())
      p.curves.push_back({r->name(), look_of(r->name()), {}});
    p.curves.back().marks.push_back({static_cast<double>(r->n), 1e6 * r->median_s, label_of(*r)});
  }
  return drawn(p);
}

// What the launches of a scan take, where they are several.
std::string launches_of(const lab_run& r) {
  std::string text;
  if (r.launches.size() > 1)
    for (const run_launch& l : r.launches)
      text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", l.kernel, 1e6 * l.median_s);
  return text;
}

std::string times_table(const timed_group& g) {
  table numbers("Times in microseconds, " + g.title,
                {"kernel", "results", "n", "median", "least", "GB/s", "copy GB/s", "of copy",
                 "launches", "file"},
                2, 2);
  for (const lab_run* r : g.runs)
    numbers.row({r->name(), r->verified ? "right" : "WRONG", std::to_string(r->n),
                 fmt::format("{:.2f}", 1e6 * r->median_s), fmt::format("{:.2f}", 1e6 * r->least_s),
                 short_number(r->gb_per_s), short_number(r->copy_gb_per_s),
                 percent(r->gb_per_s / r->copy_gb_per_s), launches_of(*r), r->file});
  return numbers.html();
}

}  // namespace

std::string times_section(const documents& all, names& ids) {
  std::string body;
  for (const timed_group& g : groups_of(all))
    body += figure{g.title, g.title, drawn_times(g, ids), times_table(g)}.html();
  return section("times", "Time per kernel",
                 "Of the lab's kernels on a GPU, by its own clock. A scan of several launches is "
                 "timed as a whole.",
                 body);
}

std::string counts_section(const documents& all, names&) {
  table numbers("Counts of the simulator",
                {"kernel", "launch", "results", "n", "blocks", "threads", "operations", "barriers",
                 "transactions", "degree", "sectors"},
                3);
  for (const lab_run& r : all.runs) {
    if (!r.gpu.empty()) continue;
    for (const run_launch& l : r.launches)
      numbers.row({r.name(), l.kernel, r.verified ? "right" : "WRONG", std::to_string(r.n),
                   std::to_string(l.blocks), std::to_string(l.threads),
                   std::to_string(l.operations), std::to_string(l.barriers),
                   std::to_string(l.transactions), std::to_string(l.degree),
                   std::to_string(l.sectors)});
  }
  return section("counts", "Counts of the simulator",
                 "What each launch does: applications of the operator, barriers of a block, "
                 "transactions of shared memory, sectors of 32 bytes of global memory.",
                 numbers.empty() ? "" : numbers.html());
}

}  // namespace upsweep::report
