// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scans that Upsweep is compared with, each as a competent user would write it.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_scan.h>

#include <algorithm>
#include <cstddef>
#include <execution>
#include <functional>
#include <numeric>
#include <type_traits>

#include "cli/bench_workload.hpp"
#include "upsweep/operators.hpp"

namespace cli::bench {

// The standard library's counterpart of an operator. Its minimum and maximum do not treat NaN and
// -0.0 as IEEE 754 asks; the measured data have neither.
struct smaller {
  template <class T>
  T operator()(T left, T right) const {
    return right < left ? right : left;
  }
};
struct larger {
  template <class T>
  T operator()(T left, T right) const {
    return left < right ? right : left;
  }
};
template <class T>
std::plus<T> standard_operator(upsweep::plus);
template <class T>
std::multiplies<T> standard_operator(upsweep::multiplies);
template <class T>
smaller standard_operator(upsweep::minimum);
template <class T>
larger standard_operator(upsweep::maximum);
template <class T, class Op>
using standard_operator_t = decltype(standard_operator<T>(Op{}));

template <class T, class F>
void std_scan(const T* in, T* out, std::size_t n, bool exclusive, T first, F op) {
  if (exclusive)
    std::exclusive_scan(in, in + n, out, first, op);
  else
    std::inclusive_scan(in, in + n, out, op);
}

// libstdc++ 12's parallel scan of floats begins its parts at T{}, whatever the operator: a product
// is then 0 from the second element on, and an exclusive minimum begins with 0. Seen here on
// 2026-11-29 (f32 and f64: prod, and exclusive min and max); sums are right.
template <class T, class Op>
inline constexpr bool std_parallel_is_right =
    !std::is_floating_point_v<T> || std::is_same_v<Op, upsweep::plus>;

template <class T, class F>
void std_parallel_scan(const T* in, T* out, std::size_t n, bool exclusive, T first, F op) {
  if (exclusive)
    std::exclusive_scan(std::execution::par_unseq, in, in + n, out, first, op);
  else
    std::inclusive_scan(std::execution::par_unseq, in, in + n, out, op);
}

// oneTBB visits some ranges twice, first for their sum only; that pass takes std::reduce, which may
// reassociate. Ranges are not cut below what a thread does in a few microseconds.
template <class T, class F>
void tbb_scan(const T* in, T* out, std::size_t n, bool exclusive, T first, F op) {
  using range = tbb::blocked_range<std::size_t>;
  constexpr std::size_t grain = std::size_t{1} << 14;
  const auto pass = [=](const range& r, T sum, bool is_final) -> T {
    const T *begin = in + r.begin(), *end = in + r.end();
    T* to = out + r.begin();
    if (!is_final) return std::reduce(begin, end, sum, op);
    if (!exclusive) return *(std::inclusive_scan(begin, end, to, op, sum) - 1);
    T* last = std::exclusive_scan(begin, end, to, sum, op) - 1;
    return static_cast<T>(op(*last, *(end - 1)));
  };
  tbb::parallel_scan(range(0, n, grain), first, pass, op);
}

// A 2-D array without a library: std's scan row by row, or along the columns a row at a time, each
// added to the row above, which compilers turn into vector code.
template <class T, class F>
void std_scan_2d(const T* in, T* out, const shape_2d& shape, bool exclusive, T first, F op) {
  const std::size_t columns = shape.columns;
  if (shape.axis == 1) {
    for (std::size_t r = 0; r < shape.rows; ++r)
      std_scan(in + r * columns, out + r * columns, columns, exclusive, first, op);
    return;
  }
  if (exclusive)
    std::fill_n(out, columns, first);
  else
    std::copy_n(in, columns, out);
  for (std::size_t r = 1; r < shape.rows; ++r) {
    const T* above = out + (r - 1) * columns;
    const T* from = in + (exclusive ? r - 1 : r) * columns;
    T* to = out + r * columns;
    for (std::size_t c = 0; c < columns; ++c) to[c] = static_cast<T>(op(above[c], from[c]));
  }
}

}  // namespace cli::bench
