// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/input_file.hpp"

namespace cli {

// A file as text; "-" is standard input. Of one that is larger than most, at least one byte more
// than that is read and perhaps not all. Throws failure when it cannot be read.
class document_text {
 public:
  explicit document_text(const std::string& path, std::size_t most)
      : name_(input_name(path)), file_(path, most) {}

  const std::string& name() const { return name_; }  // for messages
  std::string_view view() const {
    const auto bytes = file_.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::string name_;
  input_file file_;
};

}  // namespace cli
