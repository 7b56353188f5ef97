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

namespace {

std::vector<device_spec> shipped() { return read_devices(devices_text, "devices.json"); }

auto found(std::vector<device_spec>& all, const std::string& name) {
  return std::find_if(all.begin(), all.end(), [&](const device_spec& d) { return d.name == name; });
}

std::vector<device_spec> shipped_with(const std::vector<device_spec>& own) {
  std::vector<device_spec> all = shipped();
  for (const device_spec& d : own) {
    const auto same = found(all, d.name);
    if (same == all.end())
      all.push_back(d);
    else
      *same = d;
  }
  return all;
}

// The name that the devices of a file stand for.
std::string only_name(const std::vector<device_spec>& own) {
  std::vector<device_spec> all = shipped();
  std::vector<std::string> added, names;
  for (const device_spec& d : own) {
    names.push_back(d.name);
    if (found(all, d.name) == all.end()) added.push_back(d.name);
  }
  if (!added.empty()) names = added;
  if (names.empty()) return "h200";
  if (names.size() == 1) return names[0];
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name);
  throw usage_failure("lab: --devices has several: say by --device which one is meant: " + list);
}

}  // namespace

std::vector<device_spec> known_devices(const std::string& file) {
  return shipped_with(file.empty() ? std::vector<device_spec>{} : read_devices_of(file));
}

device_spec device_meant(const std::string& file, const std::string& name) {
  std::vector<device_spec> own;
  if (!file.empty()) own = read_devices_of(file);
  return device_named(shipped_with(own), name.empty() ? only_name(own) : name);
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
