// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-shuffle: Hillis and Steele's steps 1, 2, 4, 8, 16 in registers: a lane gets its left
// neighbour's value by a shuffle. Then the sums of the warps, which are at most 32, by one warp in
// the same way. Shared memory holds those sums only, and the first five barriers are gone.
//
//   lanes  0 ... 31 | 0 ... 31 | ...     5 steps, no barrier
//             sum0      sum1             to shared memory; barrier; warp 0: 5 steps; barrier
//   lanes           | sum0 + each | sum0 + sum1 + each
//
// cost(n=1024): work 5249, steps 11, barriers 2, shuffles 5 (n/32 + 1), bank conflicts 0
// Order: not the canonical one. Source: as hillis-steele; Harris, Garland, in GPU Computing Gems
// (2011), for the two levels.
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

// The prefix of the warp's values that ends with one's own. shown(stride, value) is told each sum.
template <class M, class T, class Op, class Phase, class Shown>
UPSWEEP_HD T warp_prefix(M& m, T value, const Op& op, Phase phase, const Shown& shown) {
  const unsigned lane = m.thread() % warp_lanes;
  for (unsigned stride = 1; stride < warp_lanes; stride *= 2) {
    m.step(phase, stride, lane >= stride);
    const T left = m.shuffle_up(value, stride, "lane-stride"_at);
    if (lane < stride) continue;
    value = m.apply(op, left, value);
    shown(stride, value);
  }
  return value;
}

// Prefixes over the warps' sums, of which sums[w] is the one that ends with warp w. value is the
// warp's prefix of each thread; s has an element for each warp. Ends with a barrier.
template <class M, class T, class Op>
UPSWEEP_HD void scan_warp_sums(M& m, const shared_array<T>& s, const T& value, const Op& op) {
  const unsigned t = m.thread(), warp = t / warp_lanes;
  if (t % warp_lanes == warp_lanes - 1 || t + 1 == m.threads())
    m.store(s, warp, value, "s[warp]"_at);
  m.barrier("all warps have their sums"_at);
  if (s.size > 1 && warp == 0) {
    const T sum = t < s.size ? m.load(s, t, "s[lane]"_at) : fill_value<Op, T>();
    const T prefix = warp_prefix(m, sum, op, "sums"_at, [](unsigned, const T&) {});
    if (t < s.size) m.store(s, t, prefix, "s[lane]"_at);
  }
  m.barrier("the sums are prefixes"_at);
}

UPSWEEP_HD constexpr unsigned warps_of(unsigned threads) {
  return (threads + warp_lanes - 1) / warp_lanes;
}

struct warp_shuffle {
  static constexpr const char* name = "warp-shuffle";
  static constexpr unsigned items = 1;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T>(warps_of(threads));
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), warp = t / warp_lanes;
    const shared_array<T> s = m.shared(of<T>, warps_of(m.threads()));
    m.step("load"_at, 0, true);
    T value = load_element(m, job, t, op);
    value = warp_prefix(m, value, op, "step"_at, [&](unsigned stride, const T& sum) {
      m.show(job.begin + t, sum, job.begin + t - stride);
    });
    scan_warp_sums(m, s, value, op);
    m.step("add"_at, 0, warp > 0);
    if (warp > 0) {
      value = m.apply(op, m.load(s, warp - 1, "s[warp-1]"_at), value);
      m.show(job.begin + t, value, job.begin + warp * warp_lanes - 1);
    }
    m.step("store"_at, 0, true);
    store_prefix(m, job, t, job.count(m.threads()), value, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<warp_shuffle>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
