// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures that a first lecture on scans derives for an A100 from its data sheet, each computed
// again from its premises, and whether it follows from them.
#pragma once

#include <string>
#include <vector>

#include "lab/model/device_spec.hpp"

namespace upsweep::lab::model {

struct lecture_figure {
  const char* what;
  const char* unit;
  double stated, rounding;  // half a unit of its last digit
  double computed;
  std::string premises;
  const char* erratum = "";  // what is off, where something is

  bool follows() const;  // computed is what is stated, to its last digit
};

// What the simulator counts for it.
struct lecture_counts {
  double tile_adds = 0;   // hillis-steele, 1024 elements: 9217
  double tile_steps = 0;  // 10
  double tree_adds = 0;   // blelloch, 2048 elements: 4094
  double tree_steps = 0;  // 22
};

// The premises that the lecture gives as ranges are taken where all of its times follow: see the
// comment in the source. d is the device it speaks of.
std::vector<lecture_figure> lecture_figures(const device_spec& d, const lecture_counts& counts);

}  // namespace upsweep::lab::model
