// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that runs nothing and writes down what a scan would launch, for any n: the host part of
// an algorithm is the same text as on a GPU. The members are those of gpu::device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/machine.hpp"
#include "lab/model/occupancy.hpp"

namespace upsweep::lab::model {

struct planned_launch {
  std::string kernel;
  shape form;
  double passes = 1;  // tiles that a block takes one after the other
};

class plan_device {
 public:
  plan_device(const device_spec& spec, double registers) : spec_(&spec), registers_(registers) {}

  template <class T>
  global<T> array(const char*, std::uint64_t size) {
    return {nullptr, size, 0};
  }
  lab::words words(const char*, std::uint64_t size) {
    ++cleared;
    return {nullptr, size, 0};
  }
  template <class Kernel>
  void launch(const char* name, const shape& form, const Kernel& kernel) {
    planned_launch l{name, form, 1};
    if constexpr (requires { kernel.tiles_a_block; }) l.passes = kernel.tiles_a_block;
    launches.push_back(l);
  }
  // One at least, so that a launch that does not fit is planned too: whoever asked for it says why
  // it does not.
  template <class Kernel>
  std::uint64_t cooperative_blocks(const Kernel&, unsigned threads, std::uint32_t bytes) const {
    const double each = occupancy_of(*spec_, {1.0 * threads, registers_, 1.0 * bytes}).blocks;
    return std::max(std::uint64_t{1}, static_cast<std::uint64_t>(each * spec_->processors));
  }

  std::vector<planned_launch> launches;
  unsigned cleared = 0;  // arrays of words, each set to 0 by an operation of its own

 private:
  const device_spec* spec_;
  double registers_;
};

}  // namespace upsweep::lab::model
