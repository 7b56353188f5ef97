// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading JSON that somebody else may have written: each access is checked, and a fault is told
// with the file and the way to the field, such as "old.json: results[3].n: is missing".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/bad_input.hpp"

namespace upsweep::report {

// A value and where it stands. It refers to the document, which has to outlive it.
class field {
 public:
  field(const nlohmann::json& value, std::string file, std::string way)
      : value_(&value), file_(std::move(file)), way_(std::move(way)) {}

  // A member of an object; throws bad_input when it is missing. find gives nothing instead.
  field at(const char* name) const;
  std::optional<field> find(const char* name) const;

  // All members of an object, by name.
  std::vector<std::pair<std::string, field>> members() const;

  // The elements of an array of at most that many; each stands at [k].
  std::vector<field> list(std::size_t most = 1'000'000) const;

  // The value as a type. Throws bad_input when it is another one.
  bool is_text() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  std::string text() const;
  std::string name() const;  // not empty
  bool flag() const;
  std::uint64_t count() const;                // an integer, 0 or more, and at most 2^53
  double number() const;                      // its size at most 1e30
  double positive() const;                    // 1e-30 to 1e30, so that quotients are finite
  double share() const;                       // 0, or as that
  double fraction() const;                    // 0 to 1
  std::optional<double> any_number() const;   // of any size; nothing where it is null, as inf is
  std::vector<double> positives() const;      // an array of such, not empty
  std::vector<std::uint64_t> counts() const;  // an array
  std::vector<std::string> texts() const;     // an array

  // Throws bad_input about this field.
  [[noreturn]] void refuse(const std::string& why) const;

  const std::string& file() const { return file_; }

 private:
  field element(std::size_t k) const;

  const nlohmann::json* value_;
  std::string file_, way_;
};

// The largest file that is read, in bytes.
inline constexpr std::size_t most_bytes = std::size_t{64} << 20;

// The document that a text is. Throws bad_input for what is empty, no JSON, or larger than that.
nlohmann::json parsed(const std::string& file, std::string_view text);

}  // namespace upsweep::report
