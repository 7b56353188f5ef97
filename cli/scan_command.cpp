// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "cli/scan_task.hpp"
#include "upsweep/cpu/info.hpp"

namespace cli {
namespace {

constexpr const char* explanation = R"(Files, by their names:
  .npy             NumPy arrays of bool, i1 to i8, u1 to u8, f2, f4, f8; any version, order and
                   byte order is read; little-endian is written, in the order of the input
  .txt .csv .tsv   text: numbers separated by blanks, tabs, commas or line ends; written one a line,
                   floats with the fewest digits that read back the same. Without --dtype they are
                   int64 if all are integers that fit, uint64 if they are non-negative and need it,
                   float64 if any is not an integer. A text is always one sequence, whatever its
                   lines; a comma separates numbers and is no decimal point
  .bin .raw, and other names where --dtype is given: the bare elements, little-endian; --dtype '>i4'
                   and the like read big-endian ones
  -                standard input or output, as text. Without -o the result goes to standard output
  Other names of outputs get text if the input is text, else the bare elements. Archives and
  compressed files (.npz .zip .gz) are not written.

Types: as NumPy's cumsum and cumprod. Sums and products of bool and of narrower integers are 64
  bits wide; everything else keeps its type; float16 and bfloat16 accumulate in float32.
  --out-dtype overrides: elements are converted first, integers wrap modulo 2^w, floats lose their
  fractions on the way to integers and must fit. bool results are logical.
  Integers are exact; floats have the same bits whatever the machine, threads and vector unit.
Without --axis an n-D array is scanned as one sequence in C order, and the result is 1-D. Negative
  axes count from the end.
Exclusive results begin with --init, or else with the operator's empty value: 0 for sum, or and
  xor, 1 for prod, the largest value for min, the smallest for max, all bits for and.
--verify compares the result with a serial loop before anything is written, and reports on standard
  error. Integers, min and max must be equal; sums and products of floats may differ from a loop in
  a wider type by |y - ref| / (1 + |ref|) of 1e-9 (f8), 1e-3 (f4), 2e-3 (f2) or 8e-3 (bf16).
--device cuda streams the array through a GPU in chunks, whatever its size, with the same bits. The
  data cross the host's memory twice on the way, so the CPU is as fast for these operators: auto
  takes it. upsweep info lists the GPUs.
An output appears complete or not at all, and may be the input.
Exit status: 0 done, 1 run-time failure, 2 usage, 3 verification failed.

Examples:
  upsweep scan counts.txt --exclusive --total -o offsets.txt
  seq 10 | upsweep scan - --op prod
  upsweep scan image.npy --axis 0 --out-dtype f4 -o integral.npy --verify
  upsweep scan samples.bin --dtype f2 --reverse -o suffix_sums.bin)";

std::vector<std::string> operation_list() {
  return {operation_names.begin(), operation_names.end()};
}

operation operation_of(const std::string& name) {
  const auto found = std::find(operation_names.begin(), operation_names.end(), name);
  return static_cast<operation>(found - operation_names.begin());
}

struct scan_options {
  scan_request request;
  std::string op = "sum", device = "auto", simd = "auto";
};

void run(scan_options options) {
  options.request.op = operation_of(options.op);
  options.request.device = parse_device(options.device);
  if (!upsweep::cpu::force_simd_target(options.simd))
    throw run_time_failure("--simd: this machine has no " + options.simd);
  run_scan_task(options.request);
}

}  // namespace

void add_scan_command(CLI::App& app) {
  CLI::App* scan = app.add_subcommand("scan", "Prefix sums of the numbers in a file");
  const auto options = std::make_shared<scan_options>();
  scan_request& request = options->request;
  scan->add_option("INPUT", request.input, "File, or - for standard input")->required();
  scan->add_option("-o,--output", request.output, "File, or - for standard output (the default)");
  scan->add_option("--op", options->op,
                   CLI::detail::join(operation_list(), ", ") + " (default: sum)")
      ->check(CLI::IsMember(operation_list()));
  const auto flag = [&](const char* name, bool& value, const char* help) {
    return scan->add_flag(name, value, help)->disable_flag_override();
  };
  CLI::Option* exclusive =
      flag("--exclusive", request.exclusive, "Leave out an element's own value");
  flag("--total", request.total, "With --exclusive: one more result, the total")->needs(exclusive);
  scan->add_option("--init", request.init, "Value in front of the first, of the result's dtype");
  scan->add_option("--axis", request.axis, "Axis of an n-D array (default: all as one sequence)");
  flag("--reverse", request.reverse, "From the last element to the first");
  scan->add_option("--dtype", request.in_type, "What raw input is made of; what to read text as");
  scan->add_option("--out-dtype", request.out_type, "What the result is made of");
  scan->add_option("--threads", request.threads,
                   "0 is all cores (the default), 1 the calling thread")
      ->check(CLI::Range(0, 1024));
  scan->add_option("--device", options->device,
                   "auto, cpu, cuda or cuda:N: where to run (default: auto)");
  scan->add_option("--simd", options->simd, "auto, scalar, sse4, avx2, avx512 (default: auto)")
      ->check(CLI::IsMember({"auto", "scalar", "sse4", "avx2", "avx512"}));
  flag("--verify", request.verify, "Check the result against a serial loop");
  scan->footer(explanation);
  scan->callback([options] { run(*options); });
}

}  // namespace cli
