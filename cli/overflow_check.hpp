// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --checked: integers that wrap are an error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/scan_job.hpp"
#include "cli/scan_request.hpp"

namespace cli {

// Follows one line with a running value that does not wrap, whatever the order of the scan.
class overflow_check {
 public:
  // Names an element of the line by its index, for the message.
  using namer = std::function<std::string(std::uint64_t)>;

  overflow_check(const scan_request& request, const scan_job& job, namer name);

  // Whether anything can wrap: results are integers.
  static bool applies_to(dtype out) {
    return kind_of(out) == dtype_kind::signed_integer ||
           kind_of(out) == dtype_kind::unsigned_integer;
  }

  // The next n elements. Throws failure at the first that does not fit the dtype of the results, or
  // whose result does not.
  void feed(const stored_array& in, std::ptrdiff_t first, std::ptrdiff_t stride, std::uint64_t n);
  // The same for the total behind an exclusive scan.
  void finish() const;

 private:
  __extension__ using wide = __int128;

  template <class T>
  void feed_as(const stored_array& in, std::ptrdiff_t first, std::ptrdiff_t stride,
               std::uint64_t n);
  void take(wide value);
  void check_result(const std::string& where) const;
  bool fits(wide value) const { return low_ <= value && value <= high_; }

  const scan_request& request_;
  namer name_;
  dtype out_;
  wide low_, high_, running_ = 0;
  std::uint64_t taken_ = 0;
};

// All lines of the job's array. Throws failure. Cost: one pass on one thread.
void check_overflow(const scan_request& request, const scan_job& job);

}  // namespace cli
