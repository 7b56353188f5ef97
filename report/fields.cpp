// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/fields.hpp"

#include <fmt/format.h>

#include <cmath>

namespace upsweep::report {

namespace {

constexpr double most_count = 9007199254740992.0;  // 2^53: what a script in a page can hold too
constexpr int most_depth = 100;   // of what is compared and shown; the tool nests six deep
constexpr double largest = 1e30;  // no time, rate or error is beyond, and products are finite

// The parser's words have its own name in front, and the place behind "at".
std::string reason_of(const nlohmann::json::exception& error) {
  std::string what = error.what();
  if (const std::size_t end = what.find("] "); end != what.npos) what.erase(0, end + 2);
  return what;
}

}  // namespace

void field::refuse(const std::string& why) const {
  throw bad_input(way_.empty() ? fmt::format("{}: {}", file_, why)
                               : fmt::format("{}: {}: {}", file_, way_, why));
}

std::optional<field> field::find(const char* name) const {
  if (!value_->is_object()) refuse("is no object");
  const auto found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  return field(*found, file_, way_.empty() ? name : way_ + "." + name);
}

field field::at(const char* name) const {
  if (auto found = find(name)) return *found;
  throw bad_input(
      fmt::format("{}: {}{}{}: is missing", file_, way_, way_.empty() ? "" : ".", name));
}

std::vector<std::pair<std::string, field>> field::members() const {
  if (!value_->is_object()) refuse("is no object");
  std::vector<std::pair<std::string, field>> all;
  for (const auto& [name, value] : value_->items())
    all.push_back({name, field(value, file_, way_.empty() ? name : way_ + "." + name)});
  return all;
}

field field::element(std::size_t k) const {
  return {(*value_)[k], file_, fmt::format("{}[{}]", way_, k)};
}

std::vector<field> field::list(std::size_t most) const {
  if (!value_->is_array()) refuse("is no array");
  if (value_->size() > most) refuse(fmt::format("has more than {} elements", most));
  std::vector<field> all;
  all.reserve(value_->size());
  for (std::size_t k = 0; k < value_->size(); ++k) all.push_back(element(k));
  return all;
}

std::string field::text() const {
  if (!value_->is_string()) refuse("is no text");
  return value_->get<std::string>();
}

std::string field::name() const {
  std::string all = text();
  if (all.empty()) refuse("is empty");
  return all;
}

bool field::flag() const {
  if (!value_->is_boolean()) refuse("is neither true nor false");
  return value_->get<bool>();
}

std::uint64_t field::count() const {
  if (!value_->is_number_integer() || value_->get<double>() < 0) refuse("is no count");
  if (value_->get<double>() > most_count) refuse("is too large");
  return value_->get<std::uint64_t>();
}

double field::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse("is no number");
  const double x = value_->get<double>();
  if (std::abs(x) > largest) refuse("is too large to be true");
  return x;
}

std::optional<double> field::any_number() const {
  if (value_->is_null()) return std::nullopt;
  if (!value_->is_number()) refuse("is no number");
  return value_->get<double>();
}

double field::positive() const {
  const double x = number();
  if (!(x > 0)) refuse("is not above 0");
  if (x < 1 / largest) refuse("is too small to be true");
  return x;
}

double field::share() const {
  const double x = number();
  if (x < 0) refuse("is below 0");
  return x == 0 ? 0 : positive();
}

double field::fraction() const {
  const double x = share();
  if (x > 1) refuse("is above 1, though it is a share");
  return x;
}

// Without a field for each element: samples are many.
std::vector<double> field::positives() const {
  if (!value_->is_array() || value_->empty()) refuse("is no array of numbers");
  std::vector<double> all;
  all.reserve(value_->size());
  for (std::size_t k = 0; k < value_->size(); ++k) {
    const nlohmann::json& x = (*value_)[k];
    const double value = x.is_number() ? x.get<double>() : 0;
    if (!(value > 0)) element(k).refuse("is no number above 0");
    if (value < 1 / largest || value > largest) (void)element(k).positive();  // says which
    all.push_back(value);
  }
  return all;
}

std::vector<std::uint64_t> field::counts() const {
  std::vector<std::uint64_t> all;
  for (const field& x : list()) all.push_back(x.count());
  return all;
}

std::vector<std::string> field::texts() const {
  std::vector<std::string> all;
  for (const field& x : list()) all.push_back(x.text());
  return all;
}

nlohmann::json parsed(const std::string& file, std::string_view text) {
  if (text.size() > most_bytes)
    throw bad_input(fmt::format("{}: is larger than {} MiB", file, most_bytes >> 20));
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw bad_input(file + ": is empty");
  // Deeper than that the comparison of two documents, which calls itself, would end the stack.
  const auto is_shallow = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    if (depth > most_depth)
      throw bad_input(
          fmt::format("{}: is no JSON of upsweep: more than {} levels", file, most_depth));
    return true;
  };
  try {
    return nlohmann::json::parse(text, is_shallow);
  } catch (const nlohmann::json::exception& error) {
    throw bad_input(fmt::format("{}: is no JSON: {}", file, reason_of(error)));
  }
}

}  // namespace upsweep::report
