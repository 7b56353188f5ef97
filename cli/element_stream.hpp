// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are read from the front to the end, a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cli/array_file.hpp"
#include "cli/input_stream.hpp"

namespace cli {

class element_stream {
 public:
  virtual ~element_stream() = default;

  // The next n elements, as they are stored; fewer at the end only. Throws failure when the input
  // is not wholly what it should be.
  virtual std::size_t read(std::byte* to, std::size_t n) = 0;

  stored_dtype item;
  std::optional<std::uint64_t> count;  // where it is known beforehand
};

// Opens the elements of an input that is read as the format. An .npy array that is not one sequence
// in C order cannot be streamed: it comes as a whole.
std::variant<std::unique_ptr<element_stream>, input_array> open_elements(
    input_stream& input, file_format format, const read_options& options);

}  // namespace cli
