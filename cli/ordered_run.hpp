// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of an array in memory whose results are written from the front to the end. That is faster
// than a mapping of the output, of which each page costs a fault.
#pragma once

#include <optional>

#include "cli/array_writer.hpp"
#include "cli/overflow_check.hpp"
#include "cli/progress.hpp"
#include "cli/scan_job.hpp"

namespace cli {

// The pieces that a scan is cut into: of one line, or slices across the output's outermost
// dimension, each with results that lie behind those of the one before.
struct piece_order {
  std::size_t dimension = 0;
  std::uint64_t step = 0;     // indices of a piece
  std::uint64_t results = 0;  // of a piece at most
};

// Empty where the order of the results is not that of the memory: where the outermost dimension is
// the one that is scanned, unless it is the only one, and for scans from the end. c_order: the last
// index of the output is the fastest.
std::optional<piece_order> order_of(const scan_job& job, bool c_order);

// Runs the job, which has no output, into the writer, which has begun.
void run_in_order(const scan_job& job, const piece_order& order, array_writer& out,
                  progress& shown);

}  // namespace cli
