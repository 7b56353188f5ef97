// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/bad_input.hpp"
#include "report/html.hpp"
#include "report/page_assets.hpp"
#include "report/predictions.hpp"
#include "report/sections.hpp"

namespace upsweep::report {

namespace {

// Nothing is loaded from anywhere, whatever a file may have brought in.
constexpr const char* head =
    "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta "
    "http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n<meta "
    "name='viewport' content='width=device-width, initial-scale=1'>\n<meta name='color-scheme' "
    "content='light dark'>\n<title>Upsweep report</title>\n<style>\n";

struct made_section {
  const char *id, *name;
  std::string html;
};

std::vector<made_section> sections_of(const documents& all) {
  names ids;
  std::vector<made_section> made{{"bandwidth", "Bandwidth", bandwidth_section(all, ids)},
                                 {"ratios", "Ratios", ratio_section(all, ids)},
                                 {"accuracy", "Accuracy", accuracy_section(all, ids)},
                                 {"times", "Times", times_section(all, ids)},
                                 {"roofline", "Roofline", roofline_section(all, ids)},
                                 {"predictions", "Predictions", prediction_section(all, ids)},
                                 {"counts", "Counts", counts_section(all, ids)},
                                 {"banks", "Banks", banks_section(all, ids)},
                                 {"traces", "Data flow", trace_section(all, ids)},
                                 {"races", "Races", races_section(all, ids)}};
  std::erase_if(made, [](const made_section& s) { return s.html.empty(); });
  return made;
}

std::string machine_of(const documents& all, const std::string& file) {
  for (const bench_file& b : all.benches)
    if (b.file == file)
      return fmt::format("{}{}, {} threads; {}", b.machine.gpu,
                         b.machine.gpu.empty() ? b.machine.cpu : ", host " + b.machine.cpu,
                         b.machine.threads, b.machine.date);
  for (const lab_run& r : all.runs)
    if (r.file == file) return r.gpu.empty() ? "simulated" : r.gpu;
  for (const lab_model& m : all.models)
    if (m.file == file) return "model of " + m.device.about;
  return "simulated";
}

std::string versions_in(const documents& all, const std::string& file) {
  std::string text;
  for (const bench_file& b : all.benches)
    if (b.file == file)
      for (const auto& [what, version] : b.machine.versions())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, version);
  return text.empty() ? "–" : text;
}

std::string files_table(const documents& all) {
  table files("Where the numbers come from", {"file", "program", "machine", "versions"}, 4);
  for (const auto& [path, program, name] : all.files)
    files.row({path, program, machine_of(all, name), versions_in(all, name)});
  return files.html();
}

// Machines by what they were called, with the files that name them.
std::string by_machine(const std::map<std::string, std::vector<std::string>>& machines) {
  std::string text;
  for (const auto& [machine, files] : machines)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", machine, fmt::join(files, ", "));
  return text;
}

std::string wrong_results(const lab_run& r) {
  std::string text = fmt::format("{}: the results of {} are wrong", r.file, r.name());
  if (r.mismatches != 0) text += fmt::format(": {} of {} elements", r.mismatches, r.n);
  if (r.tolerance)
    text += fmt::format("{} largest error {}, tolerance {}", r.mismatches == 0 ? ":" : ",",
                        r.worst_error ? short_number(*r.worst_error) : "not finite",
                        short_number(*r.tolerance));
  return text;
}

}  // namespace

std::vector<std::string> warnings_of(const documents& all) {
  std::vector<std::string> warnings;
  for (const auto& [path, of] : all.copies)
    warnings.push_back(fmt::format("{} is a copy of {} and is shown once", path, of));
  std::map<std::string, std::vector<std::string>> machines, gpus;
  for (const bench_file& b : all.benches) {
    std::string name;
    for (const auto& [trait, value] : b.machine.traits())
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", trait, value);
    machines[name].push_back(b.file);
    if (!b.machine.gpu.empty()) gpus[b.machine.gpu].push_back(b.file);
  }
  for (const lab_run& r : all.runs)
    if (!r.gpu.empty()) gpus[r.gpu].push_back(r.file);
  if (machines.size() > 1)
    warnings.push_back(
        "The benches ran on different machines; compare ratios, not rates or "
        "times: " +
        by_machine(machines));
  for (std::size_t k = 1; k < all.benches.size(); ++k) {
    const bench_file &first = all.benches[0], &other = all.benches[k];
    if (const auto found = other_versions(first.machine, other.machine); !found.empty())
      warnings.push_back(
          fmt::format("{} and {} are of other versions, so that times may differ: {}", first.file,
                      other.file, found));
  }
  if (gpus.size() > 1)
    warnings.push_back("The GPUs are different; compare none of their times: " + by_machine(gpus));
  for (const lab_run& r : all.runs)
    if (!r.verified) warnings.push_back(wrong_results(r));
  for (const std::string& line : repeated(all)) warnings.push_back(line);
  for (const std::string& line : unpaired(all)) warnings.push_back(line);
  for (const lab_trace& t : all.traces)
    if (t.faults != 0)
      warnings.push_back(
          fmt::format("{}: the trace of {} has faults: {}", t.file, t.kernel, t.faults));
  for (const lab_model& m : all.models)
    for (const auto& [gpu, files] : gpus)
      if (!m.device.is(gpu))
        warnings.push_back(fmt::format("{}: is a model of {}, which is not compared with {}",
                                       m.file, m.device.about, gpu));
  return warnings;
}

std::string page_of(const documents& all) {
  const std::vector<made_section> sections = sections_of(all);
  if (sections.empty())
    throw bad_input(fmt::format("{}: has nothing that a report shows",
                                all.files.empty() ? "no file" : all.files[0].path));
  std::string page = fmt::format("{}{}</style>\n</head>\n<body>\n<header><h1>Upsweep report</h1>\n",
                                 head, page_style);
  for (const std::string& warning : warnings_of(all))
    page += fmt::format("<p class='warning' role='note'><strong>Warning.</strong> {}</p>\n",
                        escaped(warning));
  page += "<nav aria-label='Sections'><ul>";
  for (const made_section& s : sections)
    page += fmt::format("<li><a href='#{}'>{}</a></li>", s.id, s.name);
  page += "</ul></nav>\n" + files_table(all) + "</header>\n<main>\n";
  for (const made_section& s : sections) page += s.html;
  return page + "</main>\n<script>\n" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace upsweep::report
