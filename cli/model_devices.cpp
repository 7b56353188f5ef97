// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/failure.hpp"
#include "cli/model_devices_text.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::json;
using upsweep::lab::model::spec_field;
using upsweep::lab::model::spec_fields;

[[noreturn]] void refuse(const std::string& file, const std::string& what,
                         const std::string& remedy) {
  throw run_time_failure(fmt::format("{}: {}: {}", on_one_line(file), what, remedy));
}

constexpr const char* see_fields = "upsweep lab model --fields lists the fields";

std::vector<std::string> texts_of(const json& device, const char* field, const std::string& place,
                                  const std::string& file) {
  std::vector<std::string> texts;
  if (!device.contains(field)) return texts;
  const json& list = device[field];
  const bool right = list.is_array() && std::all_of(list.begin(), list.end(),
                                                    [](const json& t) { return t.is_string(); });
  if (!right)
    refuse(file, fmt::format("{}: {} is no list of texts", place, field), "write [\"...\"]");
  return list.get<std::vector<std::string>>();
}

double number_of(const json& device, const spec_field& f, const std::string& place,
                 const std::string& file) {
  const auto found = device.find(f.name);
  if (found == device.end())
    refuse(file, fmt::format("{} has no {}", place, f.name),
           fmt::format("give it: {}{}{}", f.meaning, *f.unit ? ", in " : "", f.unit));
  if (!found->is_number())
    refuse(file, fmt::format("{}: {} is no number", place, f.name), see_fields);
  const double value = found->get<double>();
  if (!(value >= f.least && value <= f.most))
    refuse(file, fmt::format("{}: {} is {:g}", place, f.name, value),
           fmt::format("it can be {:g} to {:g}{}{}", f.least, f.most, *f.unit ? " " : "", f.unit));
  return value;
}

bool is_known(const std::string& field) {
  const auto all = spec_fields();
  return field == "name" || field == "about" || field == "sources" || field == "assumed" ||
         std::any_of(all.begin(), all.end(), [&](const spec_field& f) { return field == f.name; });
}

device_spec read_device(const json& device, std::size_t number, const std::string& file) {
  std::string place = fmt::format("devices[{}]", number);
  if (!device.is_object()) refuse(file, place + " is no object", "write {\"name\": ..., ...}");
  if (!device.contains("name") || !device["name"].is_string() ||
      device["name"].get<std::string>().empty() || device["name"] == "this")
    refuse(file, place + " has no name", "give it one, other than \"this\"");
  device_spec d;
  d.name = device["name"].get<std::string>();
  place += fmt::format(" '{}'", printable(d.name));
  for (const auto& [field, value] : device.items())
    if (!is_known(field))
      refuse(file, fmt::format("{}: {} is no field", place, printable(field)), see_fields);
  if (device.contains("about") && !device["about"].is_string())
    refuse(file, place + ": about is no text", "write \"...\"");
  d.about = device.value("about", d.name);
  d.sources = texts_of(device, "sources", place, file);
  d.assumed = texts_of(device, "assumed", place, file);
  for (const std::string& field : d.assumed)
    if (!is_known(field))
      refuse(file, fmt::format("{}: assumed names {}, which is no field", place, printable(field)),
             see_fields);
  for (const spec_field& f : spec_fields()) d.*f.at = number_of(device, f, place, file);
  return d;
}

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    throw run_time_failure(
        fmt::format("{}: cannot be read: name a file of devices, in the form of "
                    "share/upsweep/devices.json",
                    on_one_line(file)));
  return text;
}

}  // namespace

std::vector<device_spec> read_devices(const std::string& text, const std::string& file) {
  json all;
  try {
    all = json::parse(text);
  } catch (const json::parse_error& error) {
    refuse(file, fmt::format("is no JSON, at byte {}", error.byte), "write {\"devices\": [...]}");
  }
  if (!all.is_object() || !all.contains("devices") || !all["devices"].is_array())
    refuse(file, "has no list devices", "write {\"devices\": [...]}");
  std::vector<device_spec> devices;
  for (const json& device : all["devices"])
    devices.push_back(read_device(device, devices.size(), file));
  return devices;
}

std::vector<device_spec> known_devices(const std::string& file) {
  std::vector<device_spec> all = read_devices(devices_text, "devices.json");
  if (file.empty()) return all;
  for (device_spec& own : read_devices(content_of(file), file)) {
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
    names += d.name + ", ";
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
