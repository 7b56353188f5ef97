// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cli::lab {

// An integer expression in one variable, such as "i + i/16": + - * / % << >> & ^ | and
// parentheses, with the meaning they have in C, on values below 2^53. Throws failure, with the
// option that the text is of, the position and the reason, for anything else; so does a call that
// divides by zero or gives more.
class expression {
 public:
  expression(const std::string& option, const std::string& text, const char* variable);
  expression(expression&&) noexcept;
  ~expression();

  std::int64_t operator()(std::int64_t value) const;

 private:
  struct parsed;
  std::unique_ptr<parsed> parsed_;
};

}  // namespace cli::lab
