// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hillis-steele: at stride 1, 2, 4, ... every element takes in the one that far to its left. Two
// buffers that change roles: one is read, the other written, so one barrier a step is enough. A
// thread with nothing to add copies, or its value would stay in the other buffer.
//
//   3  1  7  0        stride 1:  | \| \| \|      3  4  8  7
//   3  4  8  7        stride 2:  |  |\ |\ |      3  4 11 11
//
// cost(n=2^k): work n k - (n-1), steps k, barriers k, bank conflicts 0
// Order: not the canonical one. Source: Hillis and Steele, Data parallel algorithms, CACM 29
// (1986); as a circuit it is Kogge and Stone's adder (1973).
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

struct hillis_steele {
  static constexpr const char* name = "hillis-steele";
  static constexpr unsigned items = 1;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return 2 * shared_bytes<T>(threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), n = m.threads();
    shared_array<T> src = m.shared(of<T>, n), dst = m.shared(of<T>, n);
    m.step("load"_at, 0, true);
    T value = load_element(m, job, t, op);
    m.store(src, t, value, "src[t]"_at);
    for (unsigned stride = 1; stride < n; stride *= 2) {
      m.barrier("src is complete"_at);
      m.step("step"_at, stride, t >= stride);
      value = m.load(src, t, "src[t]"_at);
      if (t >= stride) {
        value = m.apply(op, m.load(src, t - stride, "src[t-stride]"_at), value);
        m.show(job.begin + t, value, job.begin + t - stride);
      }
      m.store(dst, t, value, "dst[t]"_at);  // idle threads copy
      const shared_array<T> read = src;
      src = dst, dst = read;
    }
    m.step("store"_at, 0, true);
    store_prefix(m, job, t, job.count(n), value, op);  // each thread its own: no barrier
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<hillis_steele>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
