// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan or reduction of one line that is run piece after piece, with the bits of one run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "cli/scan_job.hpp"

namespace cli {

// The sums of the pieces so far, as the block list of the canonical order.
class sequence_scan {
 public:
  virtual ~sequence_scan() = default;

  // Runs the next piece: the job that the sequence was opened with, of one line, with as many
  // elements as there are in it, and where they and the results are. All pieces but the last have
  // piece_elements of them. A reduction has no results here.
  virtual void run(scan_job piece) = 0;

  // The prefix after all pieces, as an element of the result: what is behind the results of an
  // exclusive scan, and what a reduction gives.
  virtual void total(std::byte* to) const = 0;
};

// A piece of 16 MiB at most: it fits the caches of most machines, and threads find work in it.
inline constexpr int piece_log2 = 20;
inline constexpr std::size_t piece_elements = std::size_t{1} << piece_log2;

// Of job, only the operator, its mode, the init and the dtype of the results count.
std::unique_ptr<sequence_scan> open_sequence(const scan_job& job);

}  // namespace cli
