// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prediction as JSON and as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/model/lecture_figures.hpp"
#include "lab/model/predict.hpp"

namespace cli::lab {

namespace model = upsweep::lab::model;

// Every field of the description.
nlohmann::ordered_json json_of(const model::device_spec& d);

// bytes_per_s and adds_per_s by the data sheet, as the lecture's, and ridge_adds_per_byte of these;
// what a copy reaches, of memory and, where there is one, within L2.
nlohmann::ordered_json roofline_of(const model::device_spec& d);

// One kernel: times in seconds, with a list of its launches.
nlohmann::ordered_json json_of(const model::prediction& p);

// Tables, a row a kernel, in 80 columns, what the columns are, a remark of the caller, and what is
// assumed.
void print_predictions(const model::device_spec& d, const std::vector<model::prediction>& all,
                       const std::string& remark);

// The lecture's figures: what it states, what follows from its premises, and what is off.
nlohmann::ordered_json json_of(const std::vector<model::lecture_figure>& figures);
void print_lecture(const std::vector<model::lecture_figure>& figures);

// One kernel in words: the terms, the launches, what bounds it, and by how much.
void print_terms(const model::device_spec& d, const model::prediction& p);

// Why a time is not that of the bytes alone: the largest terms with their shares.
std::string reason_of(const model::prediction& p);

}  // namespace cli::lab
