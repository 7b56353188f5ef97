// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// muParser works on doubles: its operators are replaced by those of integers, which are exact up
// to 2^53.
#include "cli/lab_expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <cctype>
#include <cmath>

#include "cli/failure.hpp"

namespace cli::lab {

struct expression::parsed {
  std::string text, name;
  double variable = 0;
  mu::Parser parser;
};

namespace {

constexpr double most = 9007199254740992.0;  // 2^53

// Literals come here unread by anybody else, so operands are checked as results are.
double checked(double value) {
  if (!(std::abs(value) < most)) throw mu::ParserError("the value is beyond 2^53");
  return value;
}
std::int64_t whole(double value) { return static_cast<std::int64_t>(checked(value)); }

double divisor(double value) {
  if (value == 0) throw mu::ParserError("division by zero");
  return value;
}
double shift(double value) {
  if (value < 0 || value > 52) throw mu::ParserError("a shift by less than 0 or more than 52");
  return value;
}

double add(double a, double b) { return checked(checked(a) + checked(b)); }
double subtract(double a, double b) { return checked(checked(a) - checked(b)); }
double multiply(double a, double b) { return checked(checked(a) * checked(b)); }
double divide(double a, double b) { return static_cast<double>(whole(a) / whole(divisor(b))); }
double modulo(double a, double b) { return static_cast<double>(whole(a) % whole(divisor(b))); }
double left(double a, double b) {
  return checked(std::ldexp(checked(a), static_cast<int>(shift(b))));
}
double right(double a, double b) { return static_cast<double>(whole(a) >> whole(shift(b))); }
double bit_and(double a, double b) { return static_cast<double>(whole(a) & whole(b)); }
double bit_xor(double a, double b) { return static_cast<double>(whole(a) ^ whole(b)); }
double bit_or(double a, double b) { return static_cast<double>(whole(a) | whole(b)); }
double minus(double a) { return -a; }

[[noreturn]] void refuse(const std::string& text, std::size_t at, const std::string& reason) {
  throw usage_failure(fmt::format("lab: '{}', position {}: {}", text, at + 1, reason));
}

// An integer as C writes it: 31, 0x1f, 037. Where it ends, or nullptr if it is none; value may be
// beyond 2^53.
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

// For muParser, which would take decimal fractions and nothing else.
int identify_literal(const char* text, int* position, double* value) {
  const char* const end = read_literal(text, *value);
  if (end == nullptr) return 0;
  *position += static_cast<int>(end - text);
  return 1;
}

void define_operators(mu::Parser& p) {
  p.EnableBuiltInOprt(false);
  p.ClearFun();
  p.ClearConst();
  p.AddValIdent(identify_literal);
  p.DefineOprtChars("+-*/%<>&^|");
  // Precedences as in C.
  p.DefineOprt("|", bit_or, 1);
  p.DefineOprt("^", bit_xor, 2);
  p.DefineOprt("&", bit_and, 3);
  p.DefineOprt("<<", left, 4);
  p.DefineOprt(">>", right, 4);
  p.DefineOprt("+", add, 5);
  p.DefineOprt("-", subtract, 5);
  p.DefineOprt("*", multiply, 6);
  p.DefineOprt("/", divide, 6);
  p.DefineOprt("%", modulo, 6);
  p.DefineInfixOprt("-", minus);
}

// What the parser would not refuse, or not where it stands: fractions, suffixes, digits that the
// base has not.
void check_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto in_word = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_';
    };
    if (std::isdigit(c) != 0) {
      double value = 0;
      const char* const end = read_literal(text.c_str() + i, value);
      if (end == nullptr) refuse(text, i, "0x has no digits");
      i = static_cast<std::size_t>(end - text.c_str());
      if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0)
        refuse(text, i, "a number that begins with 0 is octal, as in C");
      if (i < text.size() && in_word(i)) refuse(text, i, "a number ends in a letter");
      continue;
    }
    if (!in_word(i) && std::string("+-*/%<>&^|() ").find(text[i]) == std::string::npos)
      refuse(text, i, fmt::format("'{}' is not part of an integer expression", text[i]));
    if (!in_word(i++)) continue;
    while (i < text.size() && in_word(i)) ++i;  // a name, digits and all
  }
}

std::string reason_of(const mu::ParserError& error, const std::string& name) {
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN:
      return fmt::format("'{}' is not known; the variable is {}", error.GetToken(), name);
    case mu::ecUNEXPECTED_EOF:
      return "something is missing at the end";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is missing";
    default: {
      const std::string text = error.GetMsg();  // which counts positions from 0
      return text.substr(0, std::min(text.find(" at position"), text.find(" found at position")));
    }
  }
}

}  // namespace

expression::expression(const std::string& text, const char* variable)
    : parsed_(std::make_unique<parsed>()) {
  parsed_->text = text, parsed_->name = variable;
  check_characters(text);
  define_operators(parsed_->parser);
  try {
    parsed_->parser.DefineVar(variable, &parsed_->variable);
    parsed_->parser.SetExpr(text);
    parsed_->parser.Eval();
  } catch (const mu::ParserError& error) {
    if (error.GetCode() == mu::ecGENERIC) return;  // of this value only
    refuse(text, std::min(text.size(), static_cast<std::size_t>(std::max(0, error.GetPos()))),
           reason_of(error, variable));
  }
}
expression::expression(expression&&) noexcept = default;
expression::~expression() = default;

std::int64_t expression::operator()(std::int64_t value) const {
  parsed_->variable = static_cast<double>(value);
  try {
    return whole(parsed_->parser.Eval());
  } catch (const mu::ParserError& error) {
    throw usage_failure(fmt::format("lab: '{}' for {} = {}: {}", parsed_->text, parsed_->name,
                                    value, error.GetMsg()));
  }
}

}  // namespace cli::lab
