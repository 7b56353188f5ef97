// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/number_text.hpp"
#include "cli/scan_lanes.hpp"
#include "upsweep/order.hpp"

namespace cli {
namespace {

constexpr std::size_t chunk = 512;  // elements at a time: a few buffers of them fit the L1 cache

template <class T>
using reference_t =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, double>, long double, T>>;

double tolerance_of(operation op, dtype type) {
  if (kind_of(type) != dtype_kind::floating || op == operation::min || op == operation::max)
    return 0;
  if (type == dtype::f8) return 1e-9;
  if (type == dtype::f4) return 1e-3;
  return type == dtype::f2 ? 2e-3 : 8e-3;
}

// Written out here, and not taken from the library: this is the second opinion.
template <operation O, class R>
R combine(R left, R right) {
  if constexpr (O == operation::sum) return left + right;
  if constexpr (O == operation::prod) return left * right;
  if constexpr (O == operation::bit_and) return left & right;
  if constexpr (O == operation::bit_or) return left | right;
  if constexpr (O == operation::bit_xor) return left ^ right;
  if constexpr (std::is_floating_point_v<R>)
    if (std::isnan(left) || std::isnan(right)) return std::numeric_limits<R>::quiet_NaN();
  if constexpr (O == operation::min) return std::min(left, right);
  if constexpr (O == operation::max) return std::max(left, right);
}

// Where the elements of one or several neighbouring lines are.
struct lines {
  std::ptrdiff_t in, out;  // first element of the first line
  std::size_t count;
};

template <class T, operation O>
class verifier {
  using reference = reference_t<T>;
  static constexpr bool is_float = std::is_floating_point_v<T>;

 public:
  verifier(const scan_job& job, const lane_choice& lane)
      : job_(job),
        lane_(lane),
        source_(job.in, lane.as),
        results_({job.out, {lane.store}}, lane.as),
        init_(init_of<T>(job, lane)),
        length_(job.shape.extents[axis()]),
        out_length_(length_ + job.shape.out_extra) {
    report_.tolerance = tolerance_of(job.op, job.out_type);
    in_step_ = job.shape.in_strides[axis()];
    out_step_ = job.shape.out_strides[axis()];
    choose_bundle();
  }

  // Every line, in bundles of neighbours where that is how they are in memory.
  verify_report run() {
    std::array<std::size_t, upsweep::max_rank> index{};
    const auto& extents = job_.shape.extents;
    const auto rank = static_cast<std::size_t>(job_.shape.rank);
    for (std::size_t d = 0; d < rank; ++d)
      if (d != axis() && extents[d] == 0) return report_;
    for (;;) {
      verify(lines_at(index));
      std::size_t d = rank;
      while (d-- > 0) {
        if (d == axis()) continue;
        index[d] += d == bundled_ ? chunk : 1;
        if (index[d] < extents[d]) break;
        index[d] = 0;
      }
      if (d >= rank) return report_;  // all dimensions have run over
    }
  }

 private:
  std::size_t axis() const { return static_cast<std::size_t>(job_.shape.axis); }

  // Lines side by side are read across, or each element would cost a cache line.
  void choose_bundle() {
    bundled_ = static_cast<std::size_t>(job_.shape.rank);
    if (std::abs(in_step_) == 1) return;
    for (std::size_t d = 0; d < static_cast<std::size_t>(job_.shape.rank); ++d)
      if (d != axis() && job_.shape.in_strides[d] == 1 && job_.shape.extents[d] > 1) bundled_ = d;
  }

  lines lines_at(const std::array<std::size_t, upsweep::max_rank>& index) const {
    lines at{0, 0, 1};
    for (std::size_t d = 0; d < static_cast<std::size_t>(job_.shape.rank); ++d) {
      if (d == axis()) continue;
      at.in += static_cast<std::ptrdiff_t>(index[d]) * job_.shape.in_strides[d];
      at.out += static_cast<std::ptrdiff_t>(index[d]) * job_.shape.out_strides[d];
      if (d == bundled_) at.count = std::min(chunk, job_.shape.extents[d] - index[d]);
    }
    return at;
  }

  void verify(const lines& at) {
    const bool good = at.count == 1 ? line_is_good(at) : bundle_is_good(at);
    if (!good)
      for (std::size_t i = 0; i < at.count; ++i) {
        const auto shift = static_cast<std::ptrdiff_t>(i);
        examine({at.in + shift, at.out + shift * bundle_out_step(), 1});
      }
    report_.elements += out_length_ * at.count;
  }

  std::ptrdiff_t bundle_out_step() const { return job_.shape.out_strides[bundled_]; }

  // One line, a chunk of it at a time.
  bool line_is_good(const lines& at) {
    reference sum = start();
    for (std::size_t k = 0; k < out_length_; k += chunk) {
      const std::size_t n = std::min(chunk, out_length_ - k);
      const std::size_t read = std::min(n, length_ - std::min(k, length_));
      const auto first = static_cast<std::ptrdiff_t>(k);
      load(source_, at.in + first * in_step_, in_step_, read, x_);
      load(results_, at.out + first * out_step_, out_step_, n, y_);
      for (std::size_t i = 0; i < n; ++i) {
        if (job_.exclusive) expected_[i] = sum;
        if (i < read) sum = combine<O>(sum, reference(x_[i]));
        if (!job_.exclusive) expected_[i] = sum;
      }
      if (!chunk_is_good(n)) return false;
    }
    return true;
  }

  // Lines side by side, one element of each at a time.
  bool bundle_is_good(const lines& at) {
    std::fill_n(sums_, at.count, start());
    for (std::size_t k = 0; k < out_length_; ++k) {
      const auto step = static_cast<std::ptrdiff_t>(k);
      load(results_, at.out + step * out_step_, bundle_out_step(), at.count, y_);
      if (k < length_) load(source_, at.in + step * in_step_, 1, at.count, x_);
      if (job_.exclusive) std::copy_n(sums_, at.count, expected_);
      if (k < length_)
        for (std::size_t i = 0; i < at.count; ++i)
          sums_[i] = combine<O>(sums_[i], reference(x_[i]));
      if (!job_.exclusive) std::copy_n(sums_, at.count, expected_);
      if (!chunk_is_good(at.count)) return false;
    }
    return true;
  }

  reference start() const {
    if (init_) return reference(*init_);
    return reference(empty_of<T>(lane_));
  }

  static void load(const array_source<T>& from, std::ptrdiff_t first, std::ptrdiff_t stride,
                   std::size_t n, T* to) {
    const upsweep::cpu::source<T> source = from.get();
    if (source.direct == nullptr) return source.load(source.base, first, stride, n, to);
    for (std::size_t i = 0; i < n; ++i)
      to[i] = source.direct[first + static_cast<std::ptrdiff_t>(i) * stride];
  }

  // What is left of accumulators once they have been stored.
  void store_and_load(T* values, std::size_t n) const {
    if (item_size(lane_.store) == sizeof(T)) return;
    alignas(8) std::byte stored[chunk * sizeof(T)];
    storer<T>(lane_.store)(stored, 0, 1, n, values);
    loader<T>(lane_.store, lane_.as)(stored, 0, 1, n, values);
  }

  static double error(T y, reference r) {
    using std::abs;
    if constexpr (is_float) return static_cast<double>(abs(reference(y) - r) / (1 + abs(r)));
    return y == T(r) ? 0 : std::fabs(static_cast<double>(y) - static_cast<double>(r));
  }

  // False as soon as anything is not plainly right; examine() then tells what it is.
  bool chunk_is_good(std::size_t n) {
    if constexpr (!is_float) {
      store_and_load(expected_, n);
      return std::equal(y_, y_ + n, expected_);
    } else {
      double largest = 0;
      bool good = true;
      for (std::size_t i = 0; i < n; ++i) {
        const double e = error(y_[i], expected_[i]);
        good = good && e <= report_.tolerance;  // false for NaN
        largest = e > largest ? e : largest;
      }
      if (good) report_.largest_error = std::max(report_.largest_error, largest);
      return good;
    }
  }

  // The slow way through a line, which looks at each element and also knows the canonical order.
  void examine(const lines& at) {
    reference sum = start();
    upsweep::prefix_stack<T, operator_t<O>> stack({}, init_);
    for (std::size_t k = 0; k < out_length_; ++k) {
      T canonical = stack.prefix() ? *stack.prefix() : empty_of<T>(lane_);
      reference expected = sum;
      if (k < length_) {
        T x;
        load(source_, at.in + static_cast<std::ptrdiff_t>(k) * in_step_, 1, 1, &x);
        sum = combine<O>(sum, reference(x));
        stack.push(0, x);
      }
      if (!job_.exclusive) expected = sum, canonical = *stack.prefix();
      T y;
      const std::ptrdiff_t position = at.out + static_cast<std::ptrdiff_t>(k) * out_step_;
      load(results_, position, 1, 1, &y);
      store_and_load(&canonical, 1);
      judge(y, expected, canonical, position);
    }
  }

  void judge(T y, reference expected, T canonical, std::ptrdiff_t position) {
    T rounded = static_cast<T>(expected);
    store_and_load(&rounded, 1);
    if (same(y, rounded)) return;
    if constexpr (is_float) {
      if (std::isfinite(y) && std::isfinite(rounded)) {
        const double e = error(y, expected);
        report_.largest_error = std::max(report_.largest_error, e);
        if (e <= report_.tolerance) return;
      } else if (same(y, canonical)) {
        ++report_.overflows;
        return;
      }
    } else {
      report_.largest_error = std::max(report_.largest_error, error(y, rounded));
    }
    if (report_.mismatches++ == 0) {
      const auto* base = job_.out + position * static_cast<std::ptrdiff_t>(item_size(lane_.store));
      report_.first_mismatch = describe(base - first_in_memory(), y, rounded);
    }
  }

  static bool same(T a, T b) {
    if constexpr (is_float)
      if (std::isnan(a) && std::isnan(b)) return true;
    return a == b;
  }

  // The lowest address of the result: a reversed axis is given from its end.
  const std::byte* first_in_memory() const {
    if (out_step_ >= 0 || out_length_ == 0) return job_.out;
    return job_.out + static_cast<std::ptrdiff_t>(out_length_ - 1) * out_step_ *
                          static_cast<std::ptrdiff_t>(item_size(lane_.store));
  }

  std::string describe(std::ptrdiff_t bytes, T y, T expected) const {
    return fmt::format("element {} in the order of the file: {} is not {}",
                       bytes / static_cast<std::ptrdiff_t>(item_size(lane_.store)), y, expected);
  }

  const scan_job& job_;
  const lane_choice lane_;
  const array_source<T> source_, results_;
  const std::optional<T> init_;
  const std::size_t length_, out_length_;
  std::ptrdiff_t in_step_ = 0, out_step_ = 0;
  std::size_t bundled_ = 0;  // the dimension that bundles run along; the rank when there is none
  verify_report report_;
  T x_[chunk], y_[chunk];
  reference expected_[chunk], sums_[chunk];
};

}  // namespace

std::string verify_report::text() const {
  std::string line =
      fmt::format("verify: {} elements, largest error {:.3g}, mismatches {} (tolerance {:g}): {}",
                  elements, largest_error, mismatches, tolerance, passed() ? "PASS" : "FAIL");
  if (overflows != 0)
    line += fmt::format(
        "\nverify: {} elements are inf or nan by the canonical order, and finite in a serial loop",
        overflows);
  if (!passed()) line += "\nverify: " + first_mismatch;
  return line;
}

verify_report verify_scan(const scan_job& job) {
  verify_report report;
  const lane_choice lane = choose_lane(job.op, job.out_type);
  with_lane(lane, [&]<class T, operation O>() { report = verifier<T, O>(job, lane).run(); });
  return report;
}

}  // namespace cli
