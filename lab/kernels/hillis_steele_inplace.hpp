// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hillis-steele-inplace: one buffer. Everybody reads to registers, a barrier, everybody writes:
// half of the memory for twice the barriers. Idle threads neither read nor write.
//
//   read s[t-stride], s[t]  |  write s[t]  |  read ...      | is a barrier
//
// cost(n=2^k): work n k - (n-1), steps k, barriers 2k, bank conflicts 0
// Order: not the canonical one. Source: as hillis-steele.
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

struct hillis_steele_inplace {
  static constexpr const char* name = "hillis-steele-inplace";
  static constexpr unsigned items = 1;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T>(threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), n = m.threads();
    const shared_array<T> s = m.shared(of<T>, n);
    m.step("load"_at, 0, true);
    T value = load_element(m, job, t, op);
    m.store(s, t, value, "s[t]"_at);
    for (unsigned stride = 1; stride < n; stride *= 2) {
      m.barrier("s is complete"_at);
      m.step("step"_at, stride, t >= stride);
      if (t >= stride) {
        const T left = m.load(s, t - stride, "s[t-stride]"_at);
        value = m.apply(op, left, m.load(s, t, "s[t]"_at));
      }
      m.barrier("everybody has read"_at);
      if (t >= stride) {
        m.store(s, t, value, "s[t]"_at);
        m.show(job.begin + t, value, job.begin + t - stride);
      }
    }
    m.step("store"_at, 0, true);
    store_prefix(m, job, t, job.count(n), value, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<hillis_steele_inplace>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
