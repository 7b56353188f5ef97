// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "cli/failure.hpp"
#include "cli/printable.hpp"

namespace cli::lab {

namespace {

constexpr std::size_t longest = 4096;

[[noreturn]] void refuse(const std::string& option, const std::string& text, std::size_t at,
                         const std::string& reason) {
  throw usage_failure(
      fmt::format("lab: {} {}, position {}: {}", option, shown_around(text, at), at + 1, reason));
}

// muParser names the ends of its words, and not in the user's terms. This reads the text before it,
// says what is wrong where it stands, and leaves nothing for muParser to refuse.
class syntax {
 public:
  syntax(const std::string& option, const std::string& text, const std::string& variable)
      : option_(option), text_(text), variable_(variable) {}

  void check() {
    if (text_.size() > longest)
      stop(longest, fmt::format("an expression has at most {} characters", longest));
    if (text_.find_first_not_of(' ') == text_.npos) stop(0, "the expression is empty");
    while (at_ < text_.size()) read_token();
    if (operand_next_) stop(text_.size(), "an operand is missing at the end");
    if (!open_.empty()) stop(open_.back(), "the parenthesis that opens here is not closed");
  }

 private:
  [[noreturn]] void stop(std::size_t at, const std::string& reason) const {
    refuse(option_, text_, at, reason);
  }
  bool in_word(std::size_t at) const {
    return at < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at])) != 0 || text_[at] == '_');
  }

  void read_token() {
    const char c = text_[at_];
    if (c == ' ')
      ++at_;
    else if (std::isdigit(static_cast<unsigned char>(c)) != 0)
      read_number();
    else if (in_word(at_))
      read_name();
    else if (c == '(' || c == ')')
      read_parenthesis(c == '(');
    else
      read_operator();
  }

  void begin_operand() {
    if (!operand_next_) stop(at_, "an operator is missing in front of this");
    signed_ = false;
  }

  void read_number() {
    begin_operand();
    double value = 0;
    const char* const end = read_literal(text_.c_str() + at_, value);
    if (end == nullptr) stop(at_, "0x has no digits");
    const auto next = static_cast<std::size_t>(end - text_.c_str());
    if (next < text_.size() && std::isdigit(static_cast<unsigned char>(text_[next])) != 0)
      stop(next, "a number that begins with 0 is octal, as in C");
    if (in_word(next)) stop(next, "a number ends in a letter");
    if (!(value < most_of_expressions)) stop(at_, beyond_most);
    at_ = next, operand_next_ = false;
  }

  void read_name() {
    std::size_t end = at_;
    while (in_word(end)) ++end;
    if (const std::string name = text_.substr(at_, end - at_); name != variable_)
      stop(at_, in_quotes(name) + " is not known; the variable is " + variable_);
    begin_operand();
    at_ = end, operand_next_ = false;
  }

  void read_parenthesis(bool opens) {
    if (opens) {
      begin_operand();
      open_.push_back(at_);
    } else {
      if (open_.empty()) stop(at_, "no parenthesis is open here");
      if (operand_next_) stop(at_, "an operand is missing in front of this parenthesis");
      open_.pop_back();
    }
    ++at_;
  }

  // Also those of other languages, as a whole: ** is not a * that lacks an operand.
  void read_operator() {
    static constexpr std::string_view others[] = {
        ">>>", "**", "//", "&&", "||", "==", "!=", "<=", ">=", "<>",
        "++",  "--", "<",  ">",  "=",  "!",  "~",  "?",  ":"};
    const std::string_view rest = std::string_view(text_).substr(at_);
    const bool known_shift =
        rest.starts_with("<<") || (rest.starts_with(">>") && !rest.starts_with(">>>"));
    for (const std::string_view other : others)
      if (!known_shift && rest.starts_with(other))
        stop(at_, fmt::format("'{}' is no operator here; those are + - * / % << >> & ^ |", other));
    const bool sign = rest[0] == '+' || rest[0] == '-';
    if (!known_shift && std::string_view("+-*/%&^|").find(rest[0]) == std::string_view::npos) {
      const std::size_t length = std::max<std::size_t>(1, visible_character(rest));
      stop(at_, fmt::format("'{}' is not part of an integer expression", rest.substr(0, length)));
    }
    if (operand_next_ && (!sign || signed_)) stop(at_, "an operand is missing in front of this");
    signed_ = operand_next_, operand_next_ = true;
    at_ += known_shift ? 2 : 1;
  }

  const std::string &option_, &text_, &variable_;
  std::size_t at_ = 0;
  bool operand_next_ = true;  // not an operator
  bool signed_ = false;       // a sign stands in front of it
  std::vector<std::size_t> open_;
};

}  // namespace

std::string shown_around(const std::string& text, std::size_t at) {
  if (text.size() <= most_repeated) return "'" + text + "'";
  const std::size_t half = most_repeated / 2, first = at > half ? at - half : 0;
  return (first == 0 ? "'" : "'...") + printable(text.substr(first), most_repeated) + "'";
}

const char* read_literal(const char* text, double& value) {
  const bool octal = text[0] == '0' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const unsigned base = hex ? 16 : octal ? 8 : 10;
  const char* at = text + (hex ? 2 : 0);
  const char* const first = at;
  value = 0;
  for (;; ++at) {
    const int c = std::tolower(static_cast<unsigned char>(*at));
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
    if (digit >= static_cast<int>(base)) break;
    value = value * base + digit;
  }
  return at == first ? nullptr : at;
}

void check_syntax(const std::string& option, const std::string& text, const std::string& variable) {
  syntax(option, text, variable).check();
}

}  // namespace cli::lab
