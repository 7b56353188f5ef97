// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the dtypes and operator of a scan to the pair of types that it is compiled for.
#pragma once

#include <cmath>
#include <complex>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "cli/scan_job.hpp"
#include "upsweep/operators.hpp"

namespace cli {

// How a scan is run: elements are loaded as values of dtype `as`, combined in lane_t<as>, and
// stored as `store`.
struct lane_choice {
  dtype as, store;
  operation op;
};

lane_choice choose_lane(operation op, dtype out_type);

// The init of the job, or the prefix before it, and the operator's value of an empty prefix, as
// accumulators. The latter is that of the result's dtype: a 32-bit accumulator has no idea of the
// extrema of narrower integers.
template <class T>
std::optional<T> init_of(const scan_job& job, const lane_choice& lane);
template <class T>
T empty_of(const lane_choice& lane);

template <operation O>
using operator_t = std::tuple_element_t<
    static_cast<std::size_t>(O),
    std::tuple<upsweep::plus, upsweep::multiplies, upsweep::minimum, upsweep::maximum,
               upsweep::bit_and, upsweep::bit_or, upsweep::bit_xor>>;

// The product of complex numbers, with its two fused operations spelled out, so that no compiler
// chooses them: (a + bi) (c + di) = fma(a, c, -(b d)) + fma(a, d, b c) i.
struct complex_product {
  template <class R>
  std::complex<R> operator()(const std::complex<R>& left, const std::complex<R>& right) const {
    const R a = left.real(), b = left.imag(), c = right.real(), d = right.imag();
    return {std::fma(a, c, -(b * d)), std::fma(a, d, b * c)};
  }
};
template <operation O, class T>
using operator_on =
    std::conditional_t<is_complex<T> && O == operation::prod, complex_product, operator_t<O>>;

// Calls f.template operator()<T, O>() for the accumulator T and the operation O of a lane. There
// are 30 such pairs: signed accumulators are needed for extrema only, and complex ones have sums
// and products.
template <class F>
void with_lane(const lane_choice& lane, F&& f) {
  const auto with_type = [&]<class T>() {
    if constexpr (!is_complex<T>) {
      if (lane.op == operation::min) return f.template operator()<T, operation::min>();
      if (lane.op == operation::max) return f.template operator()<T, operation::max>();
    }
    if constexpr (!std::is_signed_v<T> || std::is_floating_point_v<T>) {
      if (lane.op == operation::sum) return f.template operator()<T, operation::sum>();
      if (lane.op == operation::prod) return f.template operator()<T, operation::prod>();
    }
    if constexpr (std::is_unsigned_v<T>) {
      if (lane.op == operation::bit_and) return f.template operator()<T, operation::bit_and>();
      if (lane.op == operation::bit_or) return f.template operator()<T, operation::bit_or>();
      if (lane.op == operation::bit_xor) return f.template operator()<T, operation::bit_xor>();
    }
    throw std::logic_error("no such operator on this type");
  };
  with_dtype(lane.as, [&]<dtype As>() { with_type.template operator()<lane_t<As>>(); });
}

}  // namespace cli
