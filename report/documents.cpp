// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/fields.hpp"

namespace upsweep::report {

namespace {

std::string without_folders(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

}  // namespace

std::string program_of(const field& document) {
  // The bench says it where it describes the machine.
  if (const auto machine = document.find("machine"))
    if (const auto program = machine->find("program")) return program->text();
  const auto program = document.find("program");
  if (!program) document.refuse("has no field program: it is not JSON of upsweep");
  return program->text();
}

void documents::add(const std::string& file, std::string_view text) {
  nlohmann::json document = parsed(file, text);
  if (const auto same = std::find(seen.begin(), seen.end(), document); same != seen.end()) {
    copies.push_back({file, files[static_cast<std::size_t>(same - seen.begin())].path});
    return;
  }
  const field all(document, file, "");
  const std::string program = program_of(all);
  if (program == "upsweep bench")
    benches.push_back(bench_of(all));
  else if (program == "upsweep lab run")
    runs.push_back(run_of(all));
  else if (program == "upsweep lab model")
    models.push_back(model_of(all));
  else if (program == "upsweep lab banks")
    banks.push_back(banks_of(all));
  else if (program == "upsweep lab trace")
    traces.push_back(trace_of(all));
  else if (program == "upsweep lab check")
    checks.push_back(check_of(all));
  else
    throw bad_input(
        fmt::format("{}: is the JSON of '{}': a report shows upsweep bench and upsweep lab run, "
                    "model, banks, trace, check",
                    file, program));
  files.push_back({file, program, file});
  seen.push_back(std::move(document));
}

void documents::shorten_names() {
  std::map<std::string, std::set<std::string>> paths;  // by the short name
  for (const added& f : files) paths[without_folders(f.path)].insert(f.path);
  const auto shorten = [&](std::string& name) {
    if (const std::string last = without_folders(name); paths[last].size() == 1) name = last;
  };
  for (added& f : files) shorten(f.name);
  const auto each = [&](auto& list) {
    for (auto& document : list) shorten(document.file);
  };
  each(benches), each(runs), each(models), each(banks), each(traces), each(checks);
}

}  // namespace upsweep::report
