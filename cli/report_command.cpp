// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/report_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/document_text.hpp"
#include "cli/failure.hpp"
#include "cli/output_file.hpp"
#include "cli/printable.hpp"
#include "report/page.hpp"

namespace cli {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  upsweep bench --accuracy --json bench.json\n"
    "  upsweep lab trace blelloch --input 3,1,7,0,4,1,6,3 --json > trace.json\n"
    "  upsweep lab banks blelloch --n 2048 --json > banks.json\n"
    "  upsweep lab check hillis-steele-racy --n 64 --json > races.json\n"
    "  upsweep report bench.json trace.json banks.json races.json -o report.html\n"
    "Each file is told by its field \"program\"; there are only the sections that the files have\n"
    "something for. The page needs no network, and no script for its tables and pictures.";

struct report_options {
  std::vector<std::string> files;
  std::string output = "-";
};

// Each file once, or its numbers would be on the page twice; and none of them the page.
void check_files(const report_options& o) {
  for (std::size_t k = 0; k < o.files.size(); ++k) {
    check_output_is_no_input(o.files[k], o.output);
    for (std::size_t other = 0; other < k; ++other)
      if (o.files[k] == o.files[other] || is_same_file(o.files[k], o.files[other]))
        throw usage_failure(o.files[k] + ": is given twice");
  }
}

void run(const report_options& o) {
  check_files(o);
  upsweep::report::documents all;
  for (const std::string& file : o.files) {
    const document_text text(file, upsweep::report::most_bytes);
    all.add(on_one_line(text.name()), text.view());
  }
  all.shorten_names();
  const std::string page = upsweep::report::page_of(all);
  output_file out(o.output);
  out.write(page);
  out.commit();
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto* report = app.add_subcommand("report", "A page of pictures from the JSON of bench and lab");
  const auto o = std::make_shared<report_options>();
  report->add_option("FILES", o->files, "Files of JSON; - is standard input")->required();
  report->add_option("-o,--output", o->output, "File, or - for standard output (the default)");
  report->footer(examples);
  report->callback([o] { run(*o); });
}

}  // namespace cli
