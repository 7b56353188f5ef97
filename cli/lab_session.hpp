// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a kernel of the lab on the simulator, without types: what was asked for and what was
// seen. Each operator is compiled in a file of its own, lab_ops_*.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "lab/simulator/counts.hpp"
#include "lab/simulator/finding.hpp"
#include "lab/simulator/model.hpp"
#include "lab/simulator/trace.hpp"
#include "upsweep/error.hpp"

namespace cli::lab {

namespace simulator = upsweep::lab::simulator;

struct request {
  std::string kernel;
  std::string op = "sum";
  std::string block;               // of hierarchical: the kernel that scans a tile
  std::string input_text;          // elements with commas between them,
  std::vector<std::string> input;  // as words; where there are none, n pseudo-random elements
  std::uint64_t n = 0;
  bool exclusive = false;
  unsigned threads = 0;  // of a block; 0: what the kernel takes
  unsigned pad = 0;      // terms of padding, for the banks of the model
  simulator::model model;
};

struct drawn_row {
  std::string phase;
  std::uint64_t stride = 0, active = 0;
  std::vector<std::string> array;
  std::vector<simulator::shown> changes;
};

// What a change was made of: "[1]+" for element 1 plus its own, "+[1]" for its own plus element 1,
// "[1]+[2]", "=[1]" for a copy, and "=" for what comes from elsewhere.
std::string source_of(const simulator::shown& change);

struct outcome {
  std::uint64_t n = 0;
  std::vector<simulator::counts> launches;
  std::vector<simulator::finding> findings;
  std::vector<std::vector<drawn_row>> traces;  // of each launch, if the model traces
  std::vector<std::string> input, result;      // of short runs
  std::uint64_t hash = 0;                      // of the result's bits
  bool exact = false;                          // every order gives the same bits
  double worst_error = 0;  // against a serial scan; of floats in double, |y - ref| / (1 + |ref|)
  std::uint64_t mismatches = 0;  // beyond the tolerance, or different bits where exact
  std::uint64_t cancelled = 0;   // beyond it, but not for the magnitudes that were added
  double tolerance = 0;
  bool canonical = false;  // the bits of the canonical order
  bool ended = true;       // all launches ran to their ends
  std::string note;        // what a reader of the result must know
};

// Adds to the note how many results are beyond the tolerance by cancellation, if any: within so
// much of the sum of magnitudes.
void note_cancellation(outcome& o, double of_magnitudes);

// The kernels, and those that scan a tile.
std::vector<std::string> kernel_names();
std::vector<std::string> tile_kernel_names();
// Elements that the simulator takes of a kernel, so that no run lasts for minutes.
std::uint64_t most_simulated(std::string_view kernel);

// Throws failure if there is no such kernel, or an option is not for it.
void check_names(const request& what);

// Throws failure if the run has faults, or else a wrong result: what is wrong, and the upsweep lab
// check that tells all of it.
void report_faults(const request& what, const outcome& o);

// What an algorithm that refuses its arguments says, with these, as a failure of the call.
inline failure refusal_of(const upsweep::argument_error& error, const request& what) {
  const std::string text = error.what(), n = std::to_string(what.n);
  const std::string size = what.input.empty() ? "--n " + n : "--input of " + n + " elements";
  const std::string block = what.threads == 0 ? "" : ", --block " + std::to_string(what.threads);
  return usage_failure("lab: " + text.substr(text.find(": ") + 2) + " (" + size + block + ")");
}

// Terms of padding of an option's word: none, 1 or 2.
unsigned padding_terms(const std::string& word);

// Makes input of input_text, and n. Throws failure if an element is empty.
void split_input(request& what);

// The operators that the lab knows by name.
const std::vector<std::string>& operators();

// Runs it. Throws failure for what cannot be asked for.
outcome run(const request& what);

outcome run_sum(const request& what);
outcome run_max(const request& what);
outcome run_min(const request& what);
outcome run_prod(const request& what);
outcome run_concat(const request& what);
outcome run_matrix(const request& what);

}  // namespace cli::lab
