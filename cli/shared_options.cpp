// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/shared_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/dtype.hpp"
#include "cli/failure.hpp"
#include "cli/option_checks.hpp"
#include "cli/scan_task.hpp"
#include "upsweep/cpu/info.hpp"

namespace cli {
namespace {

constexpr std::array<const char*, 3> format_names{"npy", "raw", "text"};  // as the enumeration

template <class Names>
std::vector<std::string> list_of(const Names& names) {
  return {names.begin(), names.end()};
}

// The value of an enumeration by its name; the parser has refused all others.
template <class Value, class Names>
Value value_of(const Names& names, const std::string& name) {
  return static_cast<Value>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::optional<file_format> format_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return value_of<file_format>(format_names, name);
}

char delimiter_of(const std::string& word, const std::string& input) {
  if (word.empty()) return input.ends_with(".tsv") ? '\t' : ',';
  if (word == "tab" || word == "\\t") return '\t';
  if (word.size() != 1 || word == "\"" || word == "\n" || word == "\r")
    throw usage_failure("--delimiter: one character, which is no quote, or tab");
  return word[0];
}

}  // namespace

const char* const help_on_files =
    R"(Files, by their names or by --format:
  .npy             NumPy arrays of bool, i1 to i8, u1 to u8, f2, f4, f8, c8, c16; any version,
                   order and byte order is read; little-endian is written, in the order of the
                   input
  .txt .csv .tsv   text: numbers separated by blanks, tabs, commas or line ends; written one a line,
                   floats with the fewest digits that read back the same. Without --dtype they are
                   int64 if all are integers that fit, uint64 if they are non-negative and need it,
                   float64 if any is not an integer. A text is always one sequence, whatever its
                   lines; a comma separates numbers and is no decimal point. --column takes the
                   numbers from one column of delimited text, with quotes as in RFC 4180; complex
                   numbers are 1+2j, and need --dtype c8 or c16
  .bin .raw, and other names where --dtype is given: the bare elements, little-endian unless
                   --byte-order big or --dtype '>i4' and the like say otherwise
  -                standard input or output, as text. Without -o the result goes to standard output
  Other names of outputs get text if the input is text, else the bare elements. Archives and
  compressed files (.npz .zip .gz) are not written.)";

const char* const help_on_types =
    R"(Types: as NumPy's. Sums and products of bool and of narrower integers are 64 bits wide;
  everything else keeps its type; float16 and bfloat16 accumulate in float32.
  --out-dtype overrides: elements are converted first, integers wrap modulo 2^w, floats lose their
  fractions on the way to integers and must fit. bool results are logical.
  Integers are exact; floats have the same bits whatever the machine, threads and vector unit.)";

CLI::Option* add_plain_flag(CLI::App& command, const char* name, bool& value, const char* help) {
  return command.add_flag(name, value, help)->disable_flag_override();
}

void add_input_options(CLI::App& command, scan_options& options) {
  scan_request& request = options.request;
  command.add_option("INPUT", request.input, "File, or - for standard input")->required();
  command.add_option("-o,--output", request.output, "File, or - for standard output (the default)");
  command
      .add_option("--op", options.op,
                  CLI::detail::join(list_of(operation_names), ", ") + " (default: sum)")
      ->check(one_of_listed(list_of(operation_names)));
  command.add_option("--init", request.init, "Value in front of the first, of the result's dtype");
  command.add_option("--axis", request.axis, "Axis of an n-D array (default: all as one sequence)")
      ->transform(integer);
  command.add_option("--dtype", request.in_type, "What raw input is made of; what to read text as")
      ->check(suggested(dtype_names()));
  command.add_option("--out-dtype", request.out_type, "What the result is made of")
      ->check(suggested(dtype_names()));
}

void add_other_options(CLI::App& command, scan_options& options) {
  scan_request& request = options.request;
  const auto format = [&](const char* name, std::string& word, const char* help) {
    command.add_option(name, word, help)->check(one_of_listed(list_of(format_names)));
  };
  format("--format", options.format, "npy, raw or text: what the input is, whatever its name");
  format("--out-format", options.out_format, "The same for the output");
  command
      .add_option("--offset", request.reading.offset, "Bytes of raw input to leave out in front")
      ->transform(whole_number);
  command.add_option("--byte-order", request.byte_order, "little or big, of raw input")
      ->check(one_of_listed({"little", "big"}));
  command.add_option("--comment", request.reading.layout.comment,
                     "What begins a comment of a text, such as '#'; it ends with the line");
  CLI::Option* column =
      command.add_option("--column", request.reading.layout.column,
                         "Column of a delimited text: a name of its header, or 1, 2 ...");
  command
      .add_option("--delimiter", options.delimiter,
                  "Between columns: one character, or tab (default: comma; tab for .tsv)")
      ->needs(column);
  command
      .add_option("--threads", request.threads,
                  "0 is all cores (the default), 1 the calling thread")
      ->transform(whole_number_in(0, 1024));
  command
      .add_option("--device", options.device,
                  "auto, cpu, cuda or cuda:N: where to run (default: auto)")
      ->check(suggested({"auto", "cpu", "cuda"}));
  command.add_option("--simd", options.simd, "auto, scalar, sse4, avx2, avx512 (default: auto)")
      ->check(one_of_listed({"auto", "scalar", "sse4", "avx2", "avx512"}));
  add_plain_flag(command, "--checked", request.checked,
                 "Integers that overflow are an error, with the index where");
  add_plain_flag(command, "--verify", request.verify, "Check the result against a serial loop");
  command
      .add_option("--stats", request.stats,
                  "json: figures of the run on standard error; json:FILE: in a file")
      ->check(suggested({"json"}));
  add_plain_flag(command, "--quiet", request.quiet, "No progress, and no report of success");
}

void run_request(const scan_options& options) {
  scan_request request = options.request;
  request.op = value_of<operation>(operation_names, options.op);
  request.device = parse_device(options.device);
  request.reading.format = format_of(options.format);
  request.out_format = format_of(options.out_format);
  request.reading.layout.delimiter = delimiter_of(options.delimiter, request.input);
  if (!upsweep::cpu::force_simd_target(options.simd))
    throw run_time_failure("--simd: this machine has no " + options.simd);
  run_scan_task(request);
}

}  // namespace cli
