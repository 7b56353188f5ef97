// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sections of a page. Each is empty where the files have nothing for it.
#pragma once

#include <string>

#include "report/documents.hpp"
#include "report/html.hpp"

namespace upsweep::report {

std::string bandwidth_section(const documents& all, names& ids);  // GB/s against n, with copies
std::string ratio_section(const documents& all, names& ids);      // to copies and rivals
std::string accuracy_section(const documents& all, names& ids);   // error against n
std::string times_section(const documents& all, names& ids);      // kernels on a GPU
std::string roofline_section(const documents& all, names& ids);   // adds a second against intensity
std::string prediction_section(const documents& all, names& ids);  // measured beside predicted
std::string counts_section(const documents& all, names& ids);      // kernels on the simulator
std::string banks_section(const documents& all, names& ids);       // degree by bank and step
std::string trace_section(const documents& all, names& ids);       // data flow, step by step
std::string races_section(const documents& all, names& ids);       // who raced with whom

}  // namespace upsweep::report
