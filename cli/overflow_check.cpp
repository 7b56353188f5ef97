// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/overflow_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/failure.hpp"

namespace cli {
namespace {

bool is_unsigned(dtype type) { return kind_of(type) == dtype_kind::unsigned_integer; }

// A value of an integer dtype, as a 64-bit integer with or without a sign.
template <class T>
T integer_at(const stored_array& in) {
  T value;
  const array_source<T> source(in, std::is_signed_v<T> ? dtype::i8 : dtype::u8);
  const upsweep::cpu::source<T> from = source.get();
  if (from.direct != nullptr) return *from.direct;
  from.load(from.base, 0, 1, 1, &value);
  return value;
}

// The index of an element of an array: of a line, and along the line.
std::string index_text(const scan_job& job, bool reversed,
                       std::array<std::size_t, upsweep::max_rank> index, std::uint64_t along) {
  const auto axis = static_cast<std::size_t>(job.shape.axis);
  index[axis] = reversed ? job.line_length() - 1 - along : along;
  if (job.shape.rank == 1) return fmt::format("{}", index[0]);
  return fmt::format("({})", fmt::join(index.begin(), index.begin() + job.shape.rank, ", "));
}

}  // namespace

overflow_check::overflow_check(const scan_request& request, const scan_job& job, namer name)
    : request_(request), name_(std::move(name)), out_(job.out_type) {
  const int bits = static_cast<int>(8 * item_size(out_));
  low_ = is_unsigned(out_) ? wide{0} : -(wide{1} << (bits - 1));
  high_ = (wide{1} << (is_unsigned(out_) ? bits : bits - 1)) - 1;
  if (request.op == operation::prod) running_ = 1;
  if (!job.init) return;
  const stored_array init{job.init->data(), {out_}};
  running_ = is_unsigned(out_) ? wide{integer_at<std::uint64_t>(init)}
                               : wide{integer_at<std::int64_t>(init)};
}

void overflow_check::check_result(const std::string& where) const {
  if (fits(running_)) return;
  const char* const what = request_.op == operation::prod ? "product" : "sum";
  const char* const advice =
      item_size(out_) < 8 ? "a wider --out-dtype" : "--out-dtype f8, which rounds instead";
  throw run_time_failure(fmt::format("{}: {}: the {} overflows {} there: give {}",
                                     input_name(request_.input), where, what, name_of(out_),
                                     advice));
}

void overflow_check::take(wide value) {
  if (!fits(value))
    throw run_time_failure(fmt::format("{}: element {} does not fit {}: give a wider --out-dtype",
                                       input_name(request_.input), name_(taken_), name_of(out_)));
  if (request_.exclusive && !fits(running_)) check_result("element " + name_(taken_));
  if (request_.op == operation::sum) running_ += value;
  if (request_.op == operation::prod) running_ *= value;  // of two that fit 64 bits
  if (!request_.exclusive && !fits(running_)) check_result("element " + name_(taken_));
  ++taken_;
}

template <class T>
void overflow_check::feed_as(const stored_array& in, std::ptrdiff_t first, std::ptrdiff_t stride,
                             std::uint64_t n) {
  const array_source<T> source(in, std::is_signed_v<T> ? dtype::i8 : dtype::u8);
  const upsweep::cpu::source<T> from = source.get();
  constexpr std::uint64_t chunk = 512;
  T values[chunk];
  for (std::uint64_t at = 0; at < n; at += chunk) {
    const std::uint64_t m = std::min(chunk, n - at);
    const std::ptrdiff_t start = first + static_cast<std::ptrdiff_t>(at) * stride;
    if (from.direct != nullptr)
      for (std::uint64_t i = 0; i < m; ++i)
        values[i] = from.direct[start + static_cast<std::ptrdiff_t>(i) * stride];
    else
      from.load(from.base, start, stride, m, values);
    for (std::uint64_t i = 0; i < m; ++i) take(values[i]);
  }
}

void overflow_check::feed(const stored_array& in, std::ptrdiff_t first, std::ptrdiff_t stride,
                          std::uint64_t n) {
  const bool floats = kind_of(in.item.type) == dtype_kind::floating;
  if (is_unsigned(floats ? out_ : in.item.type))
    feed_as<std::uint64_t>(in, first, stride, n);
  else
    feed_as<std::int64_t>(in, first, stride, n);
}

void overflow_check::finish() const {
  if (request_.total) check_result("the end");
}

void check_overflow(const scan_request& request, const scan_job& job) {
  const auto axis = static_cast<std::size_t>(job.shape.axis);
  const auto rank = static_cast<std::size_t>(job.shape.rank);
  std::array<std::size_t, upsweep::max_rank> index{};
  for (std::size_t d = 0; d < rank; ++d)
    if (job.shape.extents[d] == 0) return;
  for (;;) {
    std::ptrdiff_t first = 0;
    for (std::size_t d = 0; d < rank; ++d)
      first += static_cast<std::ptrdiff_t>(index[d]) * job.shape.in_strides[d];
    overflow_check line(request, job, [&](std::uint64_t along) {
      return index_text(job, request.reverse, index, along);
    });
    line.feed(job.in, first, job.shape.in_strides[axis], job.line_length());
    line.finish();
    std::size_t d = rank;
    while (d-- > 0) {
      if (d == axis) continue;
      if (++index[d] < job.shape.extents[d]) break;
      index[d] = 0;
    }
    if (d >= rank) return;  // all dimensions have run over
  }
}

}  // namespace cli
