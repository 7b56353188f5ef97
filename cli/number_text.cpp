// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/number_text.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool same_word(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// Without one leading +, which from_chars does not take. "+-1" must stay wrong.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+') word.remove_prefix(1);
  return word;
}

parsed parse_bool(std::string_view word, unsigned char& to) {
  const bool yes = word == "1" || same_word(word, "true");
  if (!yes && word != "0" && !same_word(word, "false"))
    return is_integer_word(word) ? parsed::out_of_range : parsed::not_a_number;
  to = yes ? 1 : 0;
  return parsed::number;
}

template <class T>
parsed parse_integer(std::string_view word, T& to) {
  if (!is_integer_word(word)) return parsed::not_a_number;
  word = without_plus(word);
  if (std::is_unsigned_v<T> && word[0] == '-') {
    if (word.find_first_not_of('0', 1) != word.npos) return parsed::out_of_range;
    word.remove_prefix(1);  // -0
  }
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{}) return parsed::out_of_range;
  to = value;
  return parsed::number;
}

template <class T>
parsed parse_float(std::string_view word, T& to) {
  word = without_plus(word);
  T value{};
  const auto [end, error] = fast_float::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return parsed::not_a_number;
  // A number too large becomes infinity; only a word with digits is one.
  if (std::isinf(value) && std::any_of(word.begin(), word.end(), is_digit))
    return parsed::out_of_range;
  to = value;
  return parsed::number;
}

// To float by truncation, with the last bit set where something was cut off ("round to odd"):
// rounding the result to 16 bits then gives what rounding the double directly would.
float float_for_rounding(double value) {
  const auto nearest = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(nearest) == value) return nearest;
  float cut = nearest;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    cut = std::nextafter(nearest, 0.f);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(cut) | 1u);
}

template <class Half>
parsed parse_half(std::string_view word, Half& to) {
  double value = 0;
  if (const parsed result = parse_float(word, value); result != parsed::number) return result;
  const Half half(float_for_rounding(value));
  if (std::isinf(static_cast<float>(half)) && !std::isinf(value)) return parsed::out_of_range;
  to = half;
  return parsed::number;
}

// The fewest digits that read back as the same 16 bits, in the notation that a double has.
template <class Half>
char* format_half(char* to, Half value) {
  constexpr int enough = 5;
  const auto wide = static_cast<float>(value);
  for (int digits = 1;; ++digits) {
    const char* end =
        std::to_chars(to, to + longest_number, wide, std::chars_format::scientific, digits - 1).ptr;
    const std::string_view word(to, static_cast<std::size_t>(end - to));
    Half back;
    if (digits < enough && (parse_half(word, back) != parsed::number || back.bits != value.bits))
      continue;
    double decimal = 0;
    parse_float(word, decimal);
    return std::to_chars(to, to + longest_number, decimal).ptr;
  }
}

// a+bj, as Python has it, in parentheses or not, or one of the parts alone. The sign between them
// is the last one that does not belong to an exponent.
template <class R>
parsed parse_complex(std::string_view word, std::complex<R>& to) {
  if (word.size() > 2 && word.front() == '(' && word.back() == ')')
    word = word.substr(1, word.size() - 2);
  R real = 0, imaginary = 0;
  if (word.empty() || (word.back() != 'j' && word.back() != 'J')) {
    if (const parsed result = parse_float(word, real); result != parsed::number) return result;
    to = real;
    return parsed::number;
  }
  word.remove_suffix(1);
  std::size_t cut = word.size();
  while (cut-- > 1)
    if ((word[cut] == '+' || word[cut] == '-') && word[cut - 1] != 'e' && word[cut - 1] != 'E')
      break;
  if (cut != 0 && cut < word.size()) {
    if (const parsed result = parse_float(word.substr(0, cut), real); result != parsed::number)
      return result;
    word.remove_prefix(cut);
  }
  if (const parsed result = parse_float(word, imaginary); result != parsed::number) return result;
  to = {real, imaginary};
  return parsed::number;
}

template <class R>
char* format_real(char* to, R value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, to);
  return std::to_chars(to, to + longest_number, value).ptr;
}

}  // namespace

bool is_integer_word(std::string_view word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

template <dtype D>
parsed parse_number(std::string_view word, stored_t<D>& to) {
  if constexpr (D == dtype::b1)
    return parse_bool(word, to);
  else if constexpr (D == dtype::f2 || D == dtype::bf16)
    return parse_half(word, to);
  else if constexpr (is_complex<stored_t<D>>)
    return parse_complex(word, to);
  else if constexpr (std::is_floating_point_v<stored_t<D>>)
    return parse_float(word, to);
  else
    return parse_integer(word, to);
}

template <dtype D>
char* format_number(char* to, stored_t<D> value) {
  if constexpr (D == dtype::b1) {
    *to = value != 0 ? '1' : '0';
    return to + 1;
  } else if constexpr (std::is_integral_v<stored_t<D>>) {
    return std::to_chars(to, to + longest_number, value).ptr;
  } else if constexpr (std::is_floating_point_v<stored_t<D>>) {
    return format_real(to, value);
  } else if constexpr (is_complex<stored_t<D>>) {
    to = format_real(to, value.real());
    if (std::isnan(value.imag()) || !std::signbit(value.imag())) *to++ = '+';
    to = format_real(to, value.imag());
    *to = 'j';
    return to + 1;
  } else {
    if (std::isnan(static_cast<float>(value))) return std::copy_n("nan", 3, to);
    return format_half(to, value);
  }
}

#define UPSWEEP_CLI_DTYPE(D)                                                     \
  template parsed parse_number<dtype::D>(std::string_view, stored_t<dtype::D>&); \
  template char* format_number<dtype::D>(char*, stored_t<dtype::D>);
UPSWEEP_CLI_DTYPE(b1)
UPSWEEP_CLI_DTYPE(i1)
UPSWEEP_CLI_DTYPE(i2)
UPSWEEP_CLI_DTYPE(i4)
UPSWEEP_CLI_DTYPE(i8)
UPSWEEP_CLI_DTYPE(u1)
UPSWEEP_CLI_DTYPE(u2)
UPSWEEP_CLI_DTYPE(u4)
UPSWEEP_CLI_DTYPE(u8)
UPSWEEP_CLI_DTYPE(f2)
UPSWEEP_CLI_DTYPE(bf16)
UPSWEEP_CLI_DTYPE(f4)
UPSWEEP_CLI_DTYPE(f8)
UPSWEEP_CLI_DTYPE(c8)
UPSWEEP_CLI_DTYPE(c16)
#undef UPSWEEP_CLI_DTYPE

}  // namespace cli
