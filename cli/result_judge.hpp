// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What counts as right: one element of a result beside a reference of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "cli/dtype_convert.hpp"
#include "cli/scan_lanes.hpp"
#include "cli/scan_verify.hpp"

namespace cli {

// The type of the second opinion: wider where the scan rounds.
template <class T>
struct wider : std::type_identity<T> {};
template <>
struct wider<float> : std::type_identity<double> {};
template <>
struct wider<double> : std::type_identity<long double> {};
template <class R>
struct wider<std::complex<R>> : std::type_identity<std::complex<typename wider<R>::type>> {};
template <class T>
using reference_t = typename wider<T>::type;

inline double tolerance_of(operation op, dtype type) {
  const bool rounds = kind_of(type) == dtype_kind::floating || kind_of(type) == dtype_kind::complex;
  if (!rounds || op == operation::min || op == operation::max) return 0;
  if (type == dtype::f8 || type == dtype::c16) return 1e-9;
  if (type == dtype::f4 || type == dtype::c8) return 1e-3;
  return type == dtype::f2 ? 2e-3 : 8e-3;
}

// Compares results with references, and notes in a report what it finds.
template <class T>
class result_judge {
 public:
  using reference = reference_t<T>;
  static constexpr bool is_float = std::is_floating_point_v<T> || is_complex<T>;
  static constexpr std::size_t most = 512;  // results at a time

  result_judge(const lane_choice& lane, verify_report& report) : lane_(lane), report_(report) {}

  // False as soon as anything is not plainly right; examine() then tells what it is.
  bool all_good(const T* y, const reference* expected, std::size_t n) {
    if constexpr (!is_float) {
      T stored[most];
      std::copy_n(expected, n, stored);
      store_and_load(stored, n);
      return std::equal(y, y + n, stored);
    } else {
      double largest = 0;
      int bad = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double e = error(y[i], expected[i]);
        bad |= !(e <= report_.tolerance);  // true for NaN
        largest = e > largest ? e : largest;
      }
      if (bad == 0) report_.largest_error = std::max(report_.largest_error, largest);
      return bad == 0;
    }
  }

  // One result that may be wrong. canonical is what the order of the library gives, on one thread.
  // position is that of the element in the order of the file.
  void examine(T y, reference expected, T canonical, std::ptrdiff_t position) {
    T rounded = static_cast<T>(expected);
    store_and_load(&rounded, 1);
    store_and_load(&canonical, 1);
    if (same(y, rounded)) return;
    const bool finite = is_finite(y) && is_finite(rounded);
    if (finite) {
      const double e = error(y, is_float ? expected : rounded);
      report_.largest_error = std::max(report_.largest_error, e);
      if (is_float && e <= report_.tolerance) return;
    } else if (same(y, canonical)) {
      ++report_.overflows;
      return;
    }
    if (report_.mismatches++ == 0)
      report_.first_mismatch = fmt::format("element {} in the order of the file: {} is not {}",
                                           position, shown(y), shown(rounded));
  }

 private:
  static double error(T y, reference r) {
    using std::abs;
    if constexpr (is_float)
      return static_cast<double>(abs(reference(y) - r) / (1 + abs(r)));
    else
      return std::fabs(static_cast<double>(y) - static_cast<double>(r));
  }

  static bool same(T a, T b) {
    if constexpr (is_complex<T>)
      return same_parts(a.real(), b.real()) && same_parts(a.imag(), b.imag());
    else
      return same_parts(a, b);
  }
  template <class R>
  static bool same_parts(R a, R b) {
    if constexpr (std::is_floating_point_v<R>)
      if (std::isnan(a) && std::isnan(b)) return true;
    return a == b;
  }

  static bool is_finite(T a) {
    if constexpr (is_complex<T>)
      return std::isfinite(a.real()) && std::isfinite(a.imag());
    else
      return std::isfinite(static_cast<double>(a));
  }

  static std::string shown(T a) {
    if constexpr (is_complex<T>)
      return fmt::format("{}{:+}j", a.real(), a.imag());
    else
      return fmt::format("{}", a);
  }

  // What is left of accumulators once they have been stored.
  void store_and_load(T* values, std::size_t n) const {
    if (item_size(lane_.store) == sizeof(T)) return;
    alignas(16) std::byte stored[most * sizeof(T)];
    storer<T>(lane_.store)(stored, 0, 1, n, values);
    loader<T>(lane_.store, lane_.as)(stored, 0, 1, n, values);
  }

  lane_choice lane_;
  verify_report& report_;
};

}  // namespace cli
