// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fuzz targets have in common. A target is a function that libFuzzer calls with bytes of
// its own making; corpus_driver.cpp calls the same function with files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

// The program does something that it must not do.
struct finding : std::logic_error {
  using std::logic_error::logic_error;
};

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw finding(what);
}

// Whether to do something wrong on purpose, so that tests see that it is found.
inline bool is_fault_planted() { return std::getenv("UPSWEEP_FUZZ_PLANT") != nullptr; }

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Takes the first line off a text: what is chosen by it stands there, as in a file of the corpus.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
  return line;
}

}  // namespace fuzz
