// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>

#include "cli/lab_session_of.hpp"
#include "lab/matrix_modulo.hpp"

namespace cli::lab {

namespace {

struct matrices {
  using type = upsweep::lab::matrix;
  using op = upsweep::lab::matrix_modulo;

  // One integer k is the matrix (k 1; 1 0), whose products are continued fractions.
  type read(const std::string& word) const {
    std::uint32_t k = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, k);
    if (error != std::errc() || stop != end || k >= op::prime)
      throw usage_failure("lab: " + in_quotes(word) + " of --input is no integer from 0 to " +
                          std::to_string(op::prime - 1) + ", which --op matrix takes");
    return {k, 1, 1, 0};
  }
  type draw(std::mt19937_64& source) const {
    const auto next = [&] { return static_cast<std::uint32_t>(source() % op::prime); };
    const type value{next(), next(), next(), next()};
    return value;
  }
  std::string write(const type& v) const {
    std::string text = "(";
    text.append(std::to_string(v.a)).append(" ").append(std::to_string(v.b)).append("; ");
    return text.append(std::to_string(v.c)).append(" ").append(std::to_string(v.d)).append(")");
  }
};

}  // namespace

outcome run_matrix(const request& what) { return session(matrices{}, what); }

}  // namespace cli::lab
