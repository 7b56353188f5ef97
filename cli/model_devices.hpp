// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices that upsweep lab model knows: those of cli/devices.json, which is compiled in, and
// those of a user's file in the same form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/model/device_spec.hpp"

namespace cli::lab {

using upsweep::lab::model::device_spec;

// The devices of a text in the form of cli/devices.json, or the one of what lab model --json
// prints. Throws failure, with file as the name of the text, the field, and what to do: fields that
// are missing, unknown, given twice, no numbers or beyond what they can be, fields that contradict
// each other, devices without a name or of one name.
std::vector<device_spec> read_devices(std::string_view text, const std::string& file);

// Those of a file of at most 1 MiB; "-" is standard input. Throws failure also when it cannot be
// read or is larger.
std::vector<device_spec> read_devices_of(const std::string& file);

// Those that are compiled in; then those of the file, where one is named: they replace others of
// the same name. Throws failure.
std::vector<device_spec> known_devices(const std::string& file);

// The device of this name. Throws failure, which lists the names.
const device_spec& device_named(const std::vector<device_spec>& all, const std::string& name);

// The device that a call means: the one of this name; where none is given that of the file, if only
// one of it is new, or it has only one; the H200 without a file. Throws failure where several could
// be meant, and names them.
device_spec device_meant(const std::string& file, const std::string& name);

// A device that the runtime describes, completed with the constants of the known one that is most
// like it: the same product, else the same capability class by its threads and units. What was
// taken over is listed as assumed.
device_spec completed(device_spec described, const std::vector<device_spec>& all);

}  // namespace cli::lab
