// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of options that several subcommands have in common. All of them say what was given and
// what is allowed; CLI11 puts the option in front.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/printable.hpp"

namespace cli {

// Integers are decimal, with or without zeros in front: CLI11 by itself takes 010 for 8, 0x10 for
// 16, and a minus in front of numbers without a sign. So each of its integers has one of the checks
// below, which hands on the digits that it reads as decimal ones: as a transform.
template <class Integer>
std::string read_decimal(std::string& word, Integer least, Integer most, const std::string& what) {
  Integer value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (word.empty() || stop != end || error == std::errc::invalid_argument)
    return in_quotes(word) + " is no " + what;
  if (error == std::errc::result_out_of_range && most == std::numeric_limits<Integer>::max())
    return in_quotes(word) + " is more than " + std::to_string(8 * sizeof(Integer)) + " bits hold";
  if (error != std::errc() || value < least || value > most)
    return in_quotes(word) + " is no " + what;
  word = std::to_string(value);
  return "";
}

// Such as an axis, which may count from the end.
inline const CLI::Validator integer(
    [](std::string& word) {
      return read_decimal(word, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                          "integer");
    },
    "");

// A number as read_decimal reads it, or a power of two as 2^20. A message repeats what was written.
inline std::string read_size(std::string& word, std::uint64_t least, std::uint64_t most,
                             const std::string& what) {
  if (!word.starts_with("2^")) return read_decimal(word, least, most, what);
  std::string power = word.substr(2);
  const bool has_digits =
      read_decimal<std::uint64_t>(power, 0, std::numeric_limits<std::uint64_t>::max(), "").empty();
  if (!has_digits) return in_quotes(word) + " is no power of two such as 2^20";
  const std::uint64_t value = power.size() < 3 && std::stoi(power) < 64
                                  ? std::uint64_t{1} << std::stoi(power)
                                  : 0;  // which no power of two is
  if (value == 0 && most == std::numeric_limits<std::uint64_t>::max())
    return in_quotes(word) + " is more than 64 bits hold";
  if (value == 0 || value < least || value > most) return in_quotes(word) + " is no " + what;
  word = std::to_string(value);
  return "";
}

// What a number is read by: read_decimal, digits only, or read_size.
using number_reader = std::string (*)(std::string&, std::uint64_t, std::uint64_t,
                                      const std::string&);

inline CLI::Validator number_from(number_reader read, std::uint64_t least) {
  const std::string what = "whole number from " + std::to_string(least) + " on";
  return {[=](std::string& word) {
            return read(word, least, std::numeric_limits<std::uint64_t>::max(), what);
          },
          ""};
}
inline CLI::Validator number_in(number_reader read, std::uint64_t least, std::uint64_t most) {
  const std::string from = std::to_string(least), to = std::to_string(most);
  const std::string what = "whole number from " + from + " to " + to;
  return {[=](std::string& word) { return read(word, least, most, what); },
          "INT in [" + from + " - " + to + "]"};
}

inline CLI::Validator whole_number_from(std::uint64_t least) {
  return number_from(read_decimal<std::uint64_t>, least);
}
inline const CLI::Validator whole_number = whole_number_from(0);
inline CLI::Validator whole_number_in(std::uint64_t least, std::uint64_t most) {
  return number_in(read_decimal<std::uint64_t>, least, most);
}
inline CLI::Validator size_from(std::uint64_t least) { return number_from(read_size, least); }
inline CLI::Validator size_in(std::uint64_t least, std::uint64_t most) {
  return number_in(read_size, least, most);
}

// Digits only, of one of these numbers.
inline CLI::Validator number_of(const std::vector<std::uint64_t>& numbers) {
  return {[numbers](std::string& word) {
            std::string digits = word;
            const std::string refused = read_decimal<std::uint64_t>(
                digits, *std::min_element(numbers.begin(), numbers.end()),
                *std::max_element(numbers.begin(), numbers.end()), "");
            const auto is_it = [&](std::uint64_t n) { return std::to_string(n) == digits; };
            if (!refused.empty() || std::none_of(numbers.begin(), numbers.end(), is_it))
              return in_quotes(word) + " is none of " + CLI::detail::join(numbers, ", ");
            word = digits;
            return std::string();
          },
          "{" + CLI::detail::join(numbers) + "}"};
}

// Words that completions offer and manual pages list, kept as the name of a check: --help has no
// room for long lists.
inline constexpr std::string_view offered = "offers:", all_offered = "offers all:";

// Refuses nothing: the option takes other words too.
inline CLI::Validator suggested(const std::vector<std::string>& words) {
  CLI::Validator check([](std::string&) { return std::string(); }, "");
  check.name(std::string(offered) + CLI::detail::join(words));
  return check;
}

// Refuses all other words. --help lists these.
inline CLI::Validator one_of_listed(const std::vector<std::string>& words) {
  return {[words](std::string& word) {
            if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
            return in_quotes(word) + " is none of " + CLI::detail::join(words, ", ");
          },
          "{" + CLI::detail::join(words) + "}"};
}
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  CLI::Validator check = one_of_listed(words);
  check.description("").name(std::string(all_offered) + CLI::detail::join(words));
  return check;
}

}  // namespace cli
