// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// muParser works on doubles: its operators are replaced by those of integers, which are exact up
// to 2^53.
#include "cli/lab_expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <cmath>

#include "cli/failure.hpp"
#include "cli/lab_syntax.hpp"

namespace cli::lab {

struct expression::parsed {
  std::string option, text, name;
  double variable = 0;
  mu::Parser parser;
};

namespace {

// What is wrong for one value, and the operator that found it.
[[noreturn]] void refuse_value(const char* reason, const char* of) {
  throw mu::ParserError(reason, 0, of);
}

double checked(double value, const char* of) {
  if (!(std::abs(value) < most_of_expressions)) refuse_value(beyond_most, of);
  return value;
}
// Operands are results that have been checked, or literals that have.
std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

std::int64_t divisor(double value, const char* of) {
  if (value == 0) refuse_value("division by zero", of);
  return whole(value);
}
int shift(double value, const char* of) {
  if (value < 0 || value > 52) refuse_value("a shift by less than 0 or more than 52", of);
  return static_cast<int>(value);
}

double add(double a, double b) { return checked(a + b, "+"); }
double subtract(double a, double b) { return checked(a - b, "-"); }
double multiply(double a, double b) { return checked(a * b, "*"); }
double divide(double a, double b) { return static_cast<double>(whole(a) / divisor(b, "/")); }
double modulo(double a, double b) { return static_cast<double>(whole(a) % divisor(b, "%")); }
double left(double a, double b) { return checked(std::ldexp(a, shift(b, "<<")), "<<"); }
double right(double a, double b) { return static_cast<double>(whole(a) >> shift(b, ">>")); }
double bit_and(double a, double b) { return static_cast<double>(whole(a) & whole(b)); }
double bit_xor(double a, double b) { return static_cast<double>(whole(a) ^ whole(b)); }
double bit_or(double a, double b) { return static_cast<double>(whole(a) | whole(b)); }
double minus(double a) { return -a; }

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

}  // namespace

expression::expression(const std::string& option, const std::string& text, const char* variable)
    : parsed_(std::make_unique<parsed>()) {
  parsed_->option = option, parsed_->text = text, parsed_->name = variable;
  check_syntax(option, text, parsed_->name);
  define_operators(parsed_->parser);
  parsed_->parser.DefineVar(variable, &parsed_->variable);
  parsed_->parser.SetExpr(text);
}
expression::expression(expression&&) noexcept = default;
expression::~expression() = default;

std::int64_t expression::operator()(std::int64_t value) const {
  parsed_->variable = static_cast<double>(value);
  try {
    return whole(parsed_->parser.Eval());
  } catch (const mu::ParserError& error) {
    // The place is known where there is one such operator.
    const std::string &text = parsed_->text, of = error.GetToken();
    const std::size_t at = of.empty() ? text.npos : text.find(of);
    const std::string where = at == text.npos || text.find(of, at + of.size()) != text.npos
                                  ? ""
                                  : fmt::format(", position {},", at + 1);
    throw usage_failure(fmt::format("lab: {} {}{} for {} = {}: {}", parsed_->option,
                                    shown_around(text, where.empty() ? 0 : at), where,
                                    parsed_->name, value, error.GetMsg()));
  }
}

}  // namespace cli::lab
