// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/failure.hpp"
#include "cli/model_devices_text.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

using upsweep::lab::model::spec_field;
using upsweep::lab::model::spec_fields;

std::vector<device_spec> known_devices(const std::string& file) {
  std::vector<device_spec> all = read_devices(devices_text, "devices.json");
  if (file.empty()) return all;
  for (device_spec& own : read_devices_of(file)) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const device_spec& d) { return d.name == own.name; });
    if (same == all.end())
      all.push_back(std::move(own));
    else
      *same = std::move(own);
  }
  return all;
}

const device_spec& device_named(const std::vector<device_spec>& all, const std::string& name) {
  std::string names;
  for (const device_spec& d : all) {
    if (d.name == name) return d;
    names += printable(d.name) + ", ";
  }
  throw usage_failure(fmt::format("lab: '{}' is no device: {}this; --devices FILE adds others",
                                  printable(name), names));
}

device_spec completed(device_spec described, const std::vector<device_spec>& all) {
  const auto letters = [](const std::string& text) {
    std::string kept;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)))
        kept += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return kept;
  };
  // How much two are alike: the product, then what a capability fixes.
  const auto likeness = [&](const device_spec& d) {
    return (letters(described.about).find(letters(d.name)) != std::string::npos ? 8 : 0) +
           (described.shared_bytes == d.shared_bytes) + (described.threads == d.threads) +
           (described.fp32_lanes == d.fp32_lanes) + (described.blocks == d.blocks);
  };
  const device_spec* like = &all.front();
  for (const device_spec& d : all)
    if (likeness(d) > likeness(*like)) like = &d;
  described.sources = {"the CUDA runtime", "and what is assumed: " + like->name};
  for (const spec_field& f : spec_fields())
    if (described.*f.at == 0 && like->*f.at != 0) {
      described.*f.at = like->*f.at;
      if (likeness(*like) < 8) described.assumed.push_back(f.name);
    }
  return described;
}

}  // namespace cli::lab
