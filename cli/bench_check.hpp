// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is the result that is about to be timed right? The data and the serial reference.
#pragma once

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/bench_workload.hpp"
#include "cli/failure.hpp"
#include "upsweep/float16.hpp"
#include "upsweep/operators.hpp"
#include "upsweep/policy.hpp"

namespace cli::bench {

// The input at an index. Products are of 1 and -1, so that they neither overflow nor vanish; other
// values are random and small, so that no signed sum that fits in memory overflows, and the sum of
// floats depends on its order.
template <class T>
T input_at(std::uint64_t index, bool product) {
  const std::uint64_t r = random_at(index);
  const int odd = static_cast<int>(r & 1);
  if constexpr (std::is_unsigned_v<T>) {
    return product ? static_cast<T>(1 + 2 * odd) : static_cast<T>(r % 101);
  } else if constexpr (std::is_integral_v<T>) {
    return product ? static_cast<T>(1 - 2 * odd) : static_cast<T>(static_cast<int>(r % 201) - 100);
  } else {
    using wide = upsweep::accumulator_t<upsweep::plus, T>;
    const double value = product ? 1.0 - 2 * odd : static_cast<double>(r >> 11) * 0x1p-52 - 1.0;
    return T(static_cast<wide>(value));
  }
}

template <class T>
void fill_input(T* in, std::size_t n, bool product) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 4096),
                    [=](const tbb::blocked_range<std::size_t>& r) {
                      for (std::size_t i = r.begin(); i < r.end(); ++i)
                        in[i] = input_at<T>(i, product);
                    });
}

// What the reference accumulates in: integers as they are, floats in something wider.
template <class T>
using reference_t = std::conditional_t<std::is_integral_v<T>, T,
                                       std::conditional_t<(sizeof(T) < 8), double, long double>>;

// The unit in the last place of 1 in the stored type.
template <class T>
constexpr double storage_epsilon() {
  if (std::is_same_v<T, upsweep::f16>) return 0x1p-10;
  if (std::is_same_v<T, upsweep::bf16>) return 0x1p-7;
  return static_cast<double>(std::numeric_limits<T>::epsilon());
}

// Whether a value is the reference's. A float sum may be associated in any way: its error is taken
// to grow with the root of the number of terms and with the largest prefix so far, with much to
// spare; it is meant to find wrong elements, not to compare accuracies.
template <class T, class Op>
class agreement {
 public:
  bool operator()(T value, reference_t<T> wanted) {
    if constexpr (std::is_integral_v<T> || !std::is_same_v<Op, upsweep::plus>) {
      return static_cast<reference_t<T>>(value) == wanted;
    } else {
      constexpr double sum_epsilon = std::numeric_limits<upsweep::accumulator_t<Op, T>>::epsilon();
      const double reference = static_cast<double>(wanted);
      largest_ = std::max(largest_, std::abs(reference));
      terms_ += 1;
      const double allowed = storage_epsilon<T>() * std::abs(reference) +
                             16 * sum_epsilon * std::sqrt(terms_) * (1 + largest_);
      return std::abs(static_cast<double>(static_cast<reference_t<T>>(value) - wanted)) <= allowed;
    }
  }

 private:
  double largest_ = 0, terms_ = 0;
};

// The first of n elements for which differs(i) holds, by all threads.
template <class F>
std::optional<std::size_t> first_where(std::size_t n, F differs) {
  const std::size_t first = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, n, 1 << 14), n,
      [&](const tbb::blocked_range<std::size_t>& r, std::size_t found) {
        for (std::size_t i = r.begin(); i < std::min(found, r.end()); ++i)
          if (differs(i)) return i;
        return found;
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
  return first < n ? std::optional(first) : std::nullopt;
}

// Where w.out is not `wanted`, both results of the same scan. A sum of floats may be associated in
// any way: its error is taken to grow with the root of n and with the largest of all prefixes.
template <class T>
std::optional<std::size_t> first_difference(const workload& w, const void* wanted) {
  if constexpr (std::is_integral_v<T>) {
    return first_other_bits(w, wanted, sizeof(T));
  } else {
    if (w.op != "sum") return first_other_bits(w, wanted, sizeof(T));
    const T *out = static_cast<const T*>(w.out), *right = static_cast<const T*>(wanted);
    const auto value = [](const T& x) {
      return static_cast<double>(static_cast<reference_t<T>>(x));
    };
    double largest = 0;
    for (std::size_t i = 0; i < w.n; ++i) largest = std::max(largest, std::abs(value(right[i])));
    constexpr double epsilon =
        std::numeric_limits<upsweep::accumulator_t<upsweep::plus, T>>::epsilon();
    const double allowed = epsilon * (16 + std::sqrt(static_cast<double>(w.n))) * (1 + largest);
    return first_where(w.n, [=](std::size_t i) {
      const double x = value(right[i]);
      return !(std::abs(value(out[i]) - x) <= allowed + 2 * storage_epsilon<T>() * std::abs(x));
    });
  }
}

// The largest distance of w.out, a sum of w.in, from the same sum in a wider type, as a share of
// the largest of all prefixes: where signs differ, a prefix near zero says nothing about the sums.
template <class T>
double worst_error(const workload& w) {
  using R = reference_t<T>;
  const T *in = static_cast<const T*>(w.in), *out = static_cast<const T*>(w.out);
  const walk path(w);
  std::vector<R> sums(path.inner);
  R worst = 0, largest = 0;
  std::size_t i = 0;
  for (std::size_t k = 0; k < path.outer * path.length; ++k)
    for (R& sum : sums) {
      if (k % path.length == 0) sum = 0;
      const R before = sum;
      sum += static_cast<R>(in[i]);
      const R wanted = w.exclusive() ? before : sum;
      worst = std::max(worst, std::abs(static_cast<R>(out[i]) - wanted));
      largest = std::max(largest, std::abs(wanted));
      ++i;
    }
  return largest == 0 ? 0 : static_cast<double>(worst / largest);
}

template <class T>
[[noreturn]] void report_wrong(const workload& w, std::string_view engine, std::size_t index,
                               reference_t<T> found, reference_t<T> wanted) {
  throw run_time_failure(
      fmt::format("bench: {} gives a wrong {} {} of {}: element {} of {} is {}, "
                  "not {}",
                  engine, w.kind, w.op, w.type, index, w.n, static_cast<double>(found),
                  static_cast<double>(wanted)));
}

// Throws cli::failure with the first element of w.out that is not the scan of w.in.
template <class T, class Op>
void check_against_reference(const workload& w, std::string_view engine) {
  using R = reference_t<T>;
  const T *in = static_cast<const T*>(w.in), *out = static_cast<const T*>(w.out);
  const R empty = static_cast<R>(upsweep::empty_value<Op, upsweep::accumulator_t<Op, T>>());
  const walk path(w);
  const Op op{};
  agreement<T, Op> agrees;
  std::vector<R> sums(path.inner);
  std::size_t i = 0;
  for (std::size_t block = 0; block < path.outer; ++block) {
    for (std::size_t step = 0; step < path.length; ++step) {
      for (R& sum : sums) {
        const R before = step == 0 ? empty : sum;
        const R x = static_cast<R>(in[i]);
        sum = step == 0 ? x : op(sum, x);
        const R wanted = w.exclusive() ? before : sum;
        if (!agrees(out[i], wanted)) report_wrong<T>(w, engine, i, static_cast<R>(out[i]), wanted);
        ++i;
      }
    }
  }
}

}  // namespace cli::bench
