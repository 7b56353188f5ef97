// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/reduce_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/shared_options.hpp"

namespace cli {
namespace {

constexpr const char* explanation =
    R"(The result is the last value of the inclusive scan: float sums have the bits of upsweep scan.
Without --axis an n-D array is reduced to one value; along an axis, which is lost, to an array.
  Negative axes count from the end. Results are printed, one a line, unless -o names a file.
Of no elements: --init, or else the operator's empty value, which is 0 for sum, or and xor, 1 for
  prod, the largest value for min, the smallest for max, all bits for and.
--verify, --device and the safety of outputs are as upsweep scan --help says.
Exit status: 0 done, 1 run-time failure, 2 usage, 3 verification failed.

Examples:
  upsweep reduce x.npy
  upsweep reduce image.npy --op max --axis 0 -o maxima.npy
  seq 10 | upsweep reduce - --op prod)";

}  // namespace

void add_reduce_command(CLI::App& app) {
  CLI::App* reduce =
      app.add_subcommand("reduce", "The sum, product, minimum and so on of the numbers in a file");
  const auto options = std::make_shared<scan_options>();
  options->request.reduce = true;
  add_input_options(*reduce, *options);
  add_other_options(*reduce, *options);
  reduce->footer(std::string(help_on_files) + "\n\n" + help_on_types + "\n" + explanation);
  reduce->callback([options] { run_request(*options); });
}

}  // namespace cli
