// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hillis-steele-racy: wrong on purpose. One buffer and one barrier a step: a thread may overwrite
// its element before its right neighbour has read the old value (write after read). A warp that
// runs in step may hide it; nothing makes it right.
//
//   thread t:    read s[t-stride] ... write s[t]
//   thread t-stride:   write s[t-stride]              before, between or after: nobody knows
//
// cost(n=2^k): work n k - (n-1), steps k, barriers k
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

struct hillis_steele_racy {
  static constexpr const char* name = "hillis-steele-racy";
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
      m.barrier("the only one"_at);
      m.step("step"_at, stride, t >= stride);
      if (t >= stride) {
        const T left = m.load(s, t - stride, "s[t-stride]"_at);
        value = m.apply(op, left, m.load(s, t, "s[t]"_at));
        m.store(s, t, value, "s[t]"_at);
        m.show(job.begin + t, value, job.begin + t - stride);
      }
    }
    m.step("store"_at, 0, true);
    store_prefix(m, job, t, job.count(n), value, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<hillis_steele_racy>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
