// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_command.hpp"

#include <CLI/CLI.hpp>

#include "cli/lab_session.hpp"

namespace cli {

namespace {

constexpr const char* explanation =
    "Kernels of the textbooks, written once: here they run on a simulated GPU, whose threads "
    "are\nfibers, which counts what they do and finds races, deadlocks and more. docs/lab.md is "
    "a course.\n\n"
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

void add_run_options(CLI::App& sub, request& what, bool with_input) {
  sub.add_option("KERNEL", what.kernel, "One of upsweep lab list")->required();
  sub.add_option("--op", what.op, CLI::detail::join(operators(), ", ") + " (default: sum)")
      ->check(CLI::IsMember(operators()));
  sub.add_flag("--exclusive", what.exclusive, "Leave out an element's own value")
      ->disable_flag_override();
  sub.add_option("--block", what.threads, "Threads of a block (default: as the kernel likes)")
      ->check(CLI::Range(1, 1024));
  sub.add_option("--tile-kernel", what.block,
                 "What scans a tile of hierarchical (default: hillis-steele)");
  if (with_input)
    sub.add_option("--input", what.input_text, "The elements, with commas between them");
}

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
