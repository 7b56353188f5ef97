// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_command.hpp"

#include <CLI/CLI.hpp>

#include "cli/lab_session.hpp"
#include "cli/option_checks.hpp"

namespace cli {

namespace {

constexpr const char* explanation =
    "Kernels of the textbooks, written once: here they run on a simulated GPU, whose threads are\n"
    "  fibers, which counts what they do and finds races, deadlocks and more. docs/lab.md is a\n"
    "  course.\n\n"
    "Examples:\n"
    "  upsweep lab list\n"
    "  upsweep lab trace blelloch --input 3,1,7,0,4,1,6,3\n"
    "  upsweep lab banks blelloch --n 2048 --pad 1\n"
    "  upsweep lab banks --index '2*t' --threads 16 --banks 16 --pad 'i + i/16'\n"
    "  upsweep lab check hillis-steele-racy --schedules 20\n"
    "  upsweep lab run hierarchical --n 100000\n"
    "  upsweep lab model hierarchical --device a100 --n 4194304\n"
    "Exit status: as upsweep, and 4 when a kernel has faults.";

}  // namespace

namespace lab {

CLI::Option* add_kernel(CLI::App& sub, std::string& kernel) {
  return sub.add_option("KERNEL", kernel, "Its name: upsweep lab list has them all")
      ->check(one_of(kernel_names()));
}

CLI::Option* add_size(CLI::App& sub, request& what, std::uint64_t least, const char* help) {
  return sub.add_option("--n", what.n, help)->transform(size_from(least));
}

void add_block(CLI::App& sub, request& what) {
  sub.add_option("--block", what.threads, "Threads of a block (default: as the kernel likes)")
      ->transform(whole_number_in(1, 1024));
  sub.add_option("--tile-kernel", what.block,
                 "What scans a tile of hierarchical (default: hillis-steele)")
      ->check(one_of(tile_kernel_names()));
}

void add_run_options(CLI::App& sub, request& what) {
  add_kernel(sub, what.kernel)->required();
  sub.add_option("--op", what.op, "What puts elements together (default: sum); see below")
      ->check(one_of_listed(operators()));
  sub.add_flag("--exclusive", what.exclusive, "Leave out an element's own value")
      ->disable_flag_override();
  add_block(sub, what);
  sub.add_option("--input", what.input_text, "The elements, with commas between them");
}

const char* const help_on_operators =
    "Operators: sum, prod, max and min are of floats. concat puts texts one behind the other\n"
    "  and keeps the first 32 characters. matrix multiplies 2x2 matrices modulo 65521; an\n"
    "  integer k of --input, from 0 to 65520, is the matrix (k 1; 1 0). Both depend on the order\n"
    "  of the elements and on nothing else, so they show operands in the wrong order.";

}  // namespace lab

void add_lab_command(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("lab", "How GPUs scan: kernels step by step, counted, checked");
  sub->require_subcommand(1);
  sub->footer(explanation);
  lab::add_list(*sub);
  lab::add_trace(*sub);
  lab::add_banks(*sub);
  lab::add_check(*sub);
  lab::add_pitfalls(*sub);
  lab::add_run(*sub);
  lab::add_lecture(*sub);
  lab::add_model(*sub);
}

}  // namespace cli
