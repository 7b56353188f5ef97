// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/result_judge.hpp"
#include "cli/scan_lanes.hpp"
#include "upsweep/order.hpp"

namespace cli {
namespace {

// Elements at a time: a few buffers of them fit the L1 cache.
constexpr std::size_t chunk = 512;

// Written out here, and not taken from the library: this is the second opinion.
template <operation O, class R>
R combine(R left, R right) {
  if constexpr (O == operation::sum) return left + right;
  if constexpr (O == operation::prod) {
    if constexpr (is_complex<R>)
      return {left.real() * right.real() - left.imag() * right.imag(),
              left.real() * right.imag() + left.imag() * right.real()};
    else
      return left * right;
  }
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
  static_assert(chunk <= result_judge<T>::most);

 public:
  verifier(const scan_job& job, const lane_choice& lane)
      : job_(job),
        lane_(lane),
        source_(job.in, lane.as),
        results_({job.out, {lane.store}}, lane.as),
        init_(init_of<T>(job, lane)),
        length_(job.shape.extents[axis()]),
        out_length_(job.results_length()) {
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

  std::ptrdiff_t bundle_out_step() const {
    const bool bundles = bundled_ < static_cast<std::size_t>(job_.shape.rank);
    return bundles ? job_.shape.out_strides[bundled_] : 0;
  }

  // One line, a chunk of it at a time.
  bool line_is_good(const lines& at) {
    if (job_.reduce) return sum_is_good(at);
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
      if (!judge_.all_good(y_, expected_, n)) return false;
    }
    return true;
  }

  bool sum_is_good(const lines& at) {
    reference sum = start();
    for (std::size_t k = 0; k < length_; k += chunk) {
      const std::size_t n = std::min(chunk, length_ - k);
      load(source_, at.in + static_cast<std::ptrdiff_t>(k) * in_step_, in_step_, n, x_);
      for (std::size_t i = 0; i < n; ++i) sum = combine<O>(sum, reference(x_[i]));
    }
    load(results_, at.out, 1, 1, y_);
    return judge_.all_good(y_, &sum, 1);
  }

  // Lines side by side, one element of each at a time.
  bool bundle_is_good(const lines& at) {
    std::fill_n(sums_, at.count, start());
    for (std::size_t k = 0; k < std::max(length_, out_length_); ++k) {
      const auto step = static_cast<std::ptrdiff_t>(k);
      if (job_.exclusive) std::copy_n(sums_, at.count, expected_);
      if (k < length_) {
        load(source_, at.in + step * in_step_, 1, at.count, x_);
        for (std::size_t i = 0; i < at.count; ++i)
          sums_[i] = combine<O>(sums_[i], reference(x_[i]));
      }
      if (job_.reduce) continue;
      if (!results_are_good(at.out + step * out_step_, at.count,
                            job_.exclusive ? expected_ : sums_))
        return false;
    }
    return !job_.reduce || results_are_good(at.out, at.count, sums_);
  }

  // One result of each line of a bundle.
  bool results_are_good(std::ptrdiff_t first, std::size_t n, const reference* expected) {
    load(results_, first, bundle_out_step(), n, y_);
    return judge_.all_good(y_, expected, n);
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

  // The slow way through a line, which looks at each element and also knows the canonical order.
  void examine(const lines& at) {
    reference sum = start();
    upsweep::prefix_stack<T, operator_on<O, T>> stack({}, init_);
    for (std::size_t k = 0; k < std::max(length_, out_length_); ++k) {
      if (job_.exclusive) judge(at, k, sum, stack.prefix());
      if (k < length_) {
        T x;
        load(source_, at.in + static_cast<std::ptrdiff_t>(k) * in_step_, 1, 1, &x);
        sum = combine<O>(sum, reference(x));
        stack.push(0, x);
      }
      if (!job_.exclusive && !job_.reduce) judge(at, k, sum, stack.prefix());
    }
    if (job_.reduce) judge(at, 0, sum, stack.prefix());
  }

  // The result at index k of a line, beside what it should be: by a loop, and by the canonical
  // order.
  void judge(const lines& at, std::size_t k, reference expected, const T* prefix) {
    T y;
    const std::ptrdiff_t position = at.out + static_cast<std::ptrdiff_t>(k) * out_step_;
    load(results_, position, 1, 1, &y);
    judge_.examine(y, expected, prefix ? *prefix : empty_of<T>(lane_),
                   position - first_in_memory());
  }

  // Where the results begin in memory: a reversed axis is given from its end.
  std::ptrdiff_t first_in_memory() const {
    if (out_step_ >= 0 || out_length_ == 0) return 0;
    return static_cast<std::ptrdiff_t>(out_length_ - 1) * out_step_;
  }

  const scan_job& job_;
  const lane_choice lane_;
  const array_source<T> source_, results_;
  const std::optional<T> init_;
  const std::size_t length_, out_length_;
  std::ptrdiff_t in_step_ = 0, out_step_ = 0;
  std::size_t bundled_ = 0;  // the dimension that bundles run along; the rank when there is none
  verify_report report_;
  result_judge<T> judge_{lane_, report_};
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
