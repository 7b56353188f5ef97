// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operator that kernels of the lab are tried with first: products of 2x2 matrices modulo a
// prime. It is associative and exact, so every right kernel gives the same bits; and it is not
// commutative, so operands in the wrong order are seen.
#pragma once

#include <cstdint>

#include "upsweep/operators.hpp"

namespace upsweep::lab {

struct matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(const matrix&, const matrix&) = default;
};

struct matrix_modulo {
  static constexpr std::uint32_t prime = 65521;

  UPSWEEP_HD matrix operator()(const matrix& l, const matrix& r) const {
    return {dot(l.a, r.a, l.b, r.c), dot(l.a, r.b, l.b, r.d), dot(l.c, r.a, l.d, r.c),
            dot(l.c, r.b, l.d, r.d)};
  }
  template <class T>
  UPSWEEP_HD static constexpr T identity() {
    return {1, 0, 0, 1};
  }

 private:
  UPSWEEP_HD static std::uint32_t dot(std::uint64_t p, std::uint64_t q, std::uint64_t s,
                                      std::uint64_t t) {
    return static_cast<std::uint32_t>((p * q + s * t) % prime);
  }
};

}  // namespace upsweep::lab

namespace upsweep {
template <>
inline constexpr bool exactly_associative<lab::matrix_modulo, lab::matrix> = true;
}
