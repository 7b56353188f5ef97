// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of options that several subcommands have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace cli {

// Digits only. CLI11's own check names a limit of 309 digits, and its numbers without a sign take
// a sign.
inline const CLI::Validator whole_number(
    [](std::string& word) {
      std::uint64_t value = 0;
      const char* const end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data(), end, value);
      if (error == std::errc::result_out_of_range)
        return "'" + word + "' is more than 64 bits hold";
      return error == std::errc() && stop == end ? ""
                                                 : "'" + word + "' is no whole number from 0 on";
    },
    "");

// Refuses nothing: names words that --help and completions offer for an option that takes others
// too.
inline CLI::Validator suggested(const std::vector<std::string>& words) {
  return {[](std::string&) { return std::string(); }, "{" + CLI::detail::join(words) + ",...}"};
}

}  // namespace cli
