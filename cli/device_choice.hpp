// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device the user asked for, which ones there are, and what is said when they do not meet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// The word after --device: auto, cpu, cuda or cuda:N.
struct device_choice {
  enum class kind { automatic, cpu, cuda };
  kind what = kind::automatic;
  std::size_t index = 0;  // of a GPU
};

// Throws failure with the status of a usage error when the word is none of these.
device_choice parse_device(std::string_view word);

// One GPU, as its driver describes it.
struct device_description {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int processors = 0;        // multiprocessors
  std::size_t memory = 0, l2 = 0;
};

struct device_survey {
  std::vector<device_description> devices;
  std::string reason;           // why there are none
  std::string remedy;           // what to do about it
  std::string driver, runtime;  // versions, such as 13.0; empty where not known
};

// The GPUs of this machine, by their index. Never throws because there are none. The first call
// wakes the driver, which may take a second.
device_survey find_devices();

// The GPU that was asked for. Throws failure: status 1 when there is no GPU, 2 when there are some
// but not this one.
const device_description& device_of(const device_survey& found, const device_choice& asked);

}  // namespace cli
