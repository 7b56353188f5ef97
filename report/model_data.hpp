// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading what lab model, and lab run --model, say of kernels and devices.
#pragma once

#include <optional>

#include "report/fields.hpp"
#include "report/lab_data.hpp"

namespace upsweep::report {

// Each throws bad_input for what lacks a field or makes no sense.
model_kernel prediction_of(const field& kernel);
modelled_device device_of(const field& device);  // its name, or an object

// The roof of a device that is described whole, as lab run --model does.
std::optional<roofline> roof_of(const field& device);

}  // namespace upsweep::report
