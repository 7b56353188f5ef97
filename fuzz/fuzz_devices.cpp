// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of devices for upsweep lab model: what is accepted is within its ranges and gives a
// prediction, what is refused is told in one line that names the file.
#include "cli/failure.hpp"
#include "cli/model_devices.hpp"
#include "fuzz/fuzz_check.hpp"
#include "lab/model/predict.hpp"

namespace {

namespace model = upsweep::lab::model;

void check(const model::device_spec& d) {
  for (const model::spec_field& f : model::spec_fields())
    fuzz::demand(d.*f.at >= f.least && d.*f.at <= f.most, std::string(f.name) + " out of range");
  model::scan_plan plan{"lookback", 1u << 20, 2, {{"lookback", {1024, 256, 128, false}, 1}},
                        {{}},       32};
  plan.works[0].global_bytes = 1e7, plan.works[0].path_cycles = 1e3;
  const model::prediction p = model::predict(d, plan);
  fuzz::demand(p.total > 0 && !p.bound.empty(), "no prediction");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (model::device_spec d :
         cli::lab::read_devices(std::string(fuzz::text_of(data, size)), "x")) {
      if (fuzz::is_fault_planted()) d.processors = 0;
      check(d);
    }
  } catch (const cli::failure& failure) {
    const std::string_view text = failure.what();
    fuzz::demand(text.starts_with("x: ") && text.find('\n') == text.npos, "no line with the file");
  }
  return 0;
}
