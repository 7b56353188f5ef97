// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of options that several subcommands have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
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

// Words that completions offer and manual pages list, kept as the name of a check: --help has no
// room for long lists.
inline constexpr std::string_view offered = "offers:", all_offered = "offers all:";

// Refuses nothing: the option takes other words too.
inline CLI::Validator suggested(const std::vector<std::string>& words) {
  CLI::Validator check([](std::string&) { return std::string(); }, "");
  check.name(std::string(offered) + CLI::detail::join(words));
  return check;
}

// Refuses all other words.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  CLI::Validator check(
      [words](std::string& word) {
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
        return "'" + word + "' is none of " + CLI::detail::join(words, ", ");
      },
      "");
  check.name(std::string(all_offered) + CLI::detail::join(words));
  return check;
}

}  // namespace cli
