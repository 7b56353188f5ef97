// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two runs of `upsweep bench` compared, one the baseline of the other.
#pragma once

#include <string>
#include <vector>

#include "report/bench_data.hpp"

namespace upsweep::report {

// "overlap" says nothing: the times of both runs have a range in common. Nor does "one sample", of
// runs of which one has no other: of noise nothing is known then.
enum class verdict { overlap, one_sample, faster, slower };
std::string name_of(verdict v);

// One engine on one workload that both files have.
struct compared {
  const bench_result *before, *after;
  double ratio = 0;  // of the medians: above 1 is slower than before
  verdict is = verdict::overlap;
};

struct comparison {
  std::vector<compared> pairs;                       // in the order of the new file
  std::size_t slower = 0, faster = 0, single = 0;    // single: with one sample on a side
  std::size_t own_slower = 0;                        // of slower, engines of upsweep: these fail
  std::vector<std::string> only_before, only_after;  // what one file alone has
  std::string machines, versions;                    // how they differ; empty when alike
};

// The engines that are ours, which are what a comparison is to judge; a slower copy or rival says
// that the machine was slower.
bool is_own(const std::string& engine);

// Slower only where the best new sample is slower than the worst old one, faster the other way
// round: a claim that no choice among the samples could turn. Refers to both files. Throws
// bad_input when they have no workload in common.
comparison compare(const bench_file& before, const bench_file& after);

}  // namespace upsweep::report
