// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of devices as JSON that somebody may have written by hand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/document_text.hpp"
#include "cli/failure.hpp"
#include "cli/model_devices.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

namespace {

using json = nlohmann::json;
using upsweep::lab::model::contradiction_in;
using upsweep::lab::model::spec_field;
using upsweep::lab::model::spec_fields;
using upsweep::lab::model::spec_kind;

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
  if (found == device.end() && f.kind == spec_kind::optional) return 0;
  if (found == device.end())
    refuse(file, fmt::format("{} has no {}", place, f.name),
           fmt::format("give it: {}{}{}", f.meaning, *f.unit ? ", in " : "", f.unit));
  if (!found->is_number())
    refuse(file, fmt::format("{}: {} is no number", place, f.name), see_fields);
  const double value = found->get<double>();
  if (!(value >= f.least && value <= f.most))
    refuse(file, fmt::format("{}: {} is {:g}", place, f.name, value),
           fmt::format("it can be {:g} to {:g}{}{}", f.least, f.most, *f.unit ? " " : "", f.unit));
  if (f.kind == spec_kind::whole && value != std::floor(value))
    refuse(file, fmt::format("{}: {} is {:g}", place, f.name, value), "it is a whole number");
  if (f.kind == spec_kind::banks && value != 16 && value != 32)
    refuse(file, fmt::format("{}: {} is {:g}", place, f.name, value), "it is 16 or 32");
  return value;
}

bool is_known(const std::string& field) {
  const auto all = spec_fields();
  return field == "name" || field == "about" || field == "sources" || field == "assumed" ||
         std::any_of(all.begin(), all.end(), [&](const spec_field& f) { return field == f.name; });
}

// Figures only, each once: it is told how many of them are assumed.
void check_assumed(const std::vector<std::string>& assumed, const std::string& place,
                   const std::string& file) {
  const auto all = spec_fields();
  std::set<std::string> seen;
  for (const std::string& field : assumed) {
    const bool figure =
        std::any_of(all.begin(), all.end(), [&](const spec_field& f) { return field == f.name; });
    if (!figure)
      refuse(file,
             fmt::format("{}: assumed names {}, which is no {}", place, printable(field),
                         is_known(field) ? "figure" : "field"),
             see_fields);
    if (!seen.insert(field).second)
      refuse(file, fmt::format("{}: assumed names {} twice", place, field), "keep one of them");
  }
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
  check_assumed(d.assumed, place, file);
  for (const spec_field& f : spec_fields()) d.*f.at = number_of(device, f, place, file);
  if (const std::string what = contradiction_in(d); !what.empty())
    refuse(file, fmt::format("{}: {}", place, what), "no device is so");
  return d;
}

constexpr const char* write_devices = "write {\"devices\": [...]}";

// The parser would take the last of two fields of one name, and say nothing.
class field_names {
 public:
  void see(json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) seen_.emplace_back();
    if (event == json::parse_event_t::object_end) seen_.pop_back();
    if (event == json::parse_event_t::key && twice_.empty() &&
        !seen_.back().insert(parsed.get<std::string>()).second)
      twice_ = parsed.get<std::string>();
  }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> seen_;  // of each object that is open
  std::string twice_;
};

json parsed(std::string_view text, const std::string& file) {
  field_names names;
  json all;
  try {
    all = json::parse(text, [&](int, json::parse_event_t event, const json& value) {
      names.see(event, value);
      return true;
    });
  } catch (const json::parse_error& error) {
    refuse(file, fmt::format("is no JSON, at byte {}", error.byte), write_devices);
  } catch (const json::exception&) {
    refuse(file, "has a number that no double holds", see_fields);
  }
  if (!names.twice().empty())
    refuse(file, fmt::format("{} is given twice in one object", printable(names.twice())),
           "keep one of them");
  return all;
}

}  // namespace

std::vector<device_spec> read_devices(std::string_view text, const std::string& file) {
  json all = parsed(text, file);
  // What lab model --json prints has the one that it is of.
  if (all.is_object() && !all.contains("devices") && all.contains("device"))
    all["devices"] = json::array({all["device"]});
  if (!all.is_object() || !all.contains("devices") || !all["devices"].is_array())
    refuse(file, "has no list devices", write_devices);
  std::vector<device_spec> devices;
  for (const json& device : all["devices"]) {
    devices.push_back(read_device(device, devices.size(), file));
    for (std::size_t k = 0; k + 1 < devices.size(); ++k)
      if (devices[k].name == devices.back().name)
        refuse(file,
               fmt::format("devices[{}] and devices[{}] are both '{}'", k, devices.size() - 1,
                           printable(devices[k].name)),
               "call one of them otherwise");
  }
  return devices;
}

std::vector<device_spec> read_devices_of(const std::string& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const document_text text(file, most_bytes);
  if (text.view().size() > most_bytes)
    refuse(text.name(), fmt::format("is larger than {} MiB", most_bytes >> 20),
           "name a file of devices, in the form of share/upsweep/devices.json");
  return read_devices(text.view(), text.name());
}

}  // namespace cli::lab
