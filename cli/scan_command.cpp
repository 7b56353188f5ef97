// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/shared_options.hpp"

namespace cli {
namespace {

constexpr const char* explanation =
    R"(Without --axis an n-D array is scanned as one sequence in C order, and the result is 1-D.
  Negative axes count from the end.
Exclusive results begin with --init, or else with the operator's empty value: 0 for sum, or and
  xor, 1 for prod, the largest value for min, the smallest for max, all bits for and.
--verify compares the result with a serial loop before anything is written, and reports on standard
  error. Integers, min and max must be equal; sums and products of floats may differ from a loop in
  a wider type by |y - ref| / (1 + |ref|) of 1e-9 (f8), 1e-3 (f4), 2e-3 (f2) or 8e-3 (bf16).
--device cuda streams the array through a GPU in chunks, whatever its size, with the same bits. The
  data cross the host's memory twice on the way, so the CPU is as fast for these operators: auto
  takes it. upsweep info lists the GPUs.
Pipes and texts are streamed with little memory and the same bits, unless --axis, --reverse or
  --verify needs all of the input. An output file appears complete or not at all, and may be the
  input. On a terminal, progress is shown after a second.
Exit status: 0 done, 1 run-time failure, 2 usage, 3 verification failed.

Examples:
  upsweep scan counts.txt --exclusive --total -o offsets.txt
  upsweep scan table.csv --column price --checked
  seq 10 | upsweep scan - --op prod
  upsweep scan image.npy --axis 0 --out-dtype f4 -o integral.npy --verify
  upsweep scan samples.bin --dtype f2 --reverse -o suffix_sums.bin)";

}  // namespace

void add_scan_command(CLI::App& app) {
  CLI::App* scan = app.add_subcommand("scan", "Prefix sums of the numbers in a file");
  const auto options = std::make_shared<scan_options>();
  scan_request& request = options->request;
  add_input_options(*scan, *options);
  CLI::Option* exclusive =
      add_plain_flag(*scan, "--exclusive", request.exclusive, "Leave out an element's own value");
  add_plain_flag(*scan, "--total", request.total, "With --exclusive: one more result, the total")
      ->needs(exclusive);
  add_plain_flag(*scan, "--reverse", request.reverse, "From the last element to the first");
  add_other_options(*scan, *options);
  scan->footer(std::string(help_on_files) + "\n\n" + help_on_types + "\n" + explanation);
  scan->callback([options] { run_request(*options); });
}

}  // namespace cli
