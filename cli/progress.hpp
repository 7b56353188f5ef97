// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>

namespace cli {

// A line on standard error that tells how far something is: share, rate and time left. It is shown
// on a terminal only, and only when the program has run for more than a second; it goes with the
// object. One thread uses it.
class progress {
 public:
  // wanted: false for a user who asked for quiet. total: of bytes, 0 where it is not known.
  progress(bool wanted, const char* what, std::uint64_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  // Whether anything is to be shown, now or later: if not, there is no need to call advance().
  bool is_wanted() const { return wanted_; }

  // So many bytes are done by now.
  void advance(std::uint64_t done);

 private:
  using clock = std::chrono::steady_clock;

  bool wanted_, drawn_ = false;
  const char* what_;
  std::uint64_t total_;
  clock::time_point start_, next_;
};

}  // namespace cli
