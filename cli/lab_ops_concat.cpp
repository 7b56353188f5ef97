// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts put one behind the other: what was added to what, and in which order, can be read from
// every value.
#include "cli/lab_session_of.hpp"

namespace cli::lab {

namespace {

// The first characters of a text, zeros behind them. Cut texts may be put together again in any
// order: associative. What is cut is refused where a user gave it, and told where it was drawn.
struct short_text {
  char at[32] = {};
  friend bool operator==(const short_text&, const short_text&) = default;
};

struct concatenate {
  short_text operator()(const short_text& left, const short_text& right) const {
    short_text sum = left;
    std::size_t length = 0;
    while (length < sizeof sum.at && sum.at[length] != 0) ++length;
    std::memcpy(sum.at + length, right.at, sizeof sum.at - length);
    return sum;
  }
  template <class T>
  static T identity() {
    return {};
  }
};

}  // namespace
}  // namespace cli::lab

template <>
inline constexpr bool upsweep::exactly_associative<cli::lab::concatenate, cli::lab::short_text> =
    true;

namespace cli::lab {
namespace {

struct letters {
  using type = short_text;
  using op = concatenate;

  short_text read(const std::string& word) const {
    if (word.size() > sizeof(short_text))
      throw usage_failure("lab: " + in_quotes(word) + " of --input is longer than " +
                          std::to_string(sizeof(short_text)) + " characters");
    short_text value;
    std::memcpy(value.at, word.data(), word.size());
    return value;
  }
  void check(const std::vector<std::string>& words) const {
    std::size_t sum = 0;
    for (const std::string& word : words) sum += word.size();
    if (sum > sizeof(short_text))
      throw usage_failure("lab: the elements of --input have " + std::to_string(sum) +
                          " characters together; --op concat holds " +
                          std::to_string(sizeof(short_text)));
  }
  std::string note(std::size_t n) const {
    return n <= sizeof(short_text) ? ""
                                   : "results of concat are cut to their first " +
                                         std::to_string(sizeof(short_text)) + " characters";
  }
  short_text draw(std::mt19937_64& source) const {
    short_text value;
    value.at[0] = static_cast<char>('a' + source() % 26);
    return value;
  }
  std::string write(const short_text& value) const {
    const std::string text(value.at, strnlen(value.at, sizeof value.at));
    return text.empty() ? "-" : text;
  }
};

}  // namespace

outcome run_concat(const request& what) { return session(letters{}, what); }

}  // namespace cli::lab
