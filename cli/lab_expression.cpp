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

void define_operators(mu::Parser& p) {
  p.EnableBuiltInOprt(false);
  p.ClearFun();
  p.ClearConst();
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

[[noreturn]] void refuse(const std::string& text, std::size_t at, const std::string& reason) {
  throw usage_failure(fmt::format("lab: '{}', position {}: {}", text, at + 1, reason));
}

// Fractions and exponents are read by the parser but are no integers.
void check_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalnum(c) == 0 && std::string("+-*/%<>&^|() _").find(text[i]) == std::string::npos)
      refuse(text, i, fmt::format("'{}' is not part of an integer expression", text[i]));
    const bool after_digit = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
    if (after_digit && std::isalpha(c) != 0) refuse(text, i, "a number ends in a letter");
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
