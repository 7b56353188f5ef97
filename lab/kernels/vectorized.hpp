// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vectorized: four elements a thread. They come in one access of 16 bytes and are added one after
// the other in registers; the threads' sums are scanned as in warp-shuffle, and what is before a
// thread is added to its four. A quarter of the threads, barriers and shuffles an element.
//
//   a b c d  ->  a  a+b  a+b+c  [a+b+c+d]     the sum goes to the warp, and the carry comes back
//
// cost(n): work 3n/4 in registers, n to add carries, the scan of n/4 sums; barriers 2
// Order: not the canonical one. An exclusive scan is shifted by one element, so it stores one by
// one.
#pragma once

#include "lab/kernels/warp_shuffle.hpp"

namespace upsweep::lab {

inline constexpr unsigned quad = 4;

// Elements i to i + 3; behind the end, what changes nothing.
template <class M, class T, class Op>
UPSWEEP_HD pack<T> load_quad(M& m, const global<const T>& x, std::uint64_t i, const Op&) {
  if (i + quad <= x.size) return m.load4(x, i, "x[i..i+3]"_at);
  pack<T> p;
  for (unsigned k = 0; k < quad; ++k)
    p.at[k] = i + k < x.size ? m.load(x, i + k, "x[i]"_at) : fill_value<Op, T>();
  return p;
}

// Prefixes of the four.
template <class M, class T, class Op>
UPSWEEP_HD void scan_quad(M& m, pack<T>& p, const Op& op) {
  for (unsigned k = 1; k < quad; ++k) p.at[k] = m.apply(op, p.at[k - 1], p.at[k]);
}

// From a sum of each thread, what is before it in the block. False, and no value, for thread 0.
// Then s[last] is the sum of all. The sum is drawn as that of element last, unless that is nobody.
template <class M, class T, class Op>
UPSWEEP_HD bool carry_of_thread(M& m, const shared_array<T>& s, const T& sum, const Op& op,
                                T& carry, std::uint64_t last) {
  const unsigned lane = m.thread() % warp_lanes, warp = m.thread() / warp_lanes;
  const T prefix = warp_prefix(m, sum, op, "step"_at, [&](unsigned stride, const T& value) {
    if (last != nobody) m.show(last, value, last - std::uint64_t{stride} * quad);
  });
  const T left = m.shuffle_up(prefix, 1, "lane-1"_at);
  scan_warp_sums(m, s, prefix, op);
  m.step("add"_at, 0, m.thread() > 0);
  if (warp == 0) {
    carry = left;
  } else {
    carry = m.load(s, warp - 1, "s[warp-1]"_at);
    if (lane > 0) carry = m.apply(op, carry, left);
  }
  return m.thread() > 0;
}

template <class M, class T, class Op>
UPSWEEP_HD void add_carry(M& m, pack<T>& p, const T& carry, const Op& op) {
  for (unsigned k = 0; k < quad; ++k) p.at[k] = m.apply(op, carry, p.at[k]);
}

// Elements i to i + 3 as they are drawn, of which n are there: each its left neighbour plus itself;
// or what stands at element left plus itself. The sums of the first warp's threads are prefixes
// when these are scanned, and nothing is added to them.
template <class M, class T>
UPSWEEP_HD void show_sums(M& m, std::uint64_t i, std::uint64_t n, const pack<T>& p) {
  for (unsigned k = 1; k < quad && i + k < n; ++k) m.show(i + k, p.at[k], i + k - 1);
}
template <class M, class T>
UPSWEEP_HD void show_carried(M& m, std::uint64_t i, std::uint64_t n, const pack<T>& p) {
  const unsigned count = m.thread() < warp_lanes ? quad - 1 : quad;
  for (unsigned k = 0; k < count && i + k < n; ++k) m.show(i + k, p.at[k], i - 1);
}
UPSWEEP_HD constexpr std::uint64_t last_shown(std::uint64_t i, std::uint64_t n) {
  return i + quad <= n ? i + quad - 1 : nobody;
}

// The prefixes that end with elements i to i + 3 of all.
template <class M, class T, class Op>
UPSWEEP_HD void store_quad(M& m, const global<T>& y, std::uint64_t i, bool exclusive,
                           const pack<T>& p, const Op& op) {
  if (!exclusive && i + quad <= y.size) {
    m.store4(y, i, p, "y[i..i+3]"_at);
    return;
  }
  for (unsigned k = 0; k < quad; ++k)
    if (i + k < y.size) store_prefix(m, y, i + k, exclusive, p.at[k], op);
}

struct vectorized {
  static constexpr const char* name = "vectorized";
  static constexpr unsigned items = quad;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T>(warps_of(threads));
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned first = m.thread() * quad;
    const std::uint64_t i = job.begin + first, n = job.x.size;
    const shared_array<T> s = m.shared(of<T>, warps_of(m.threads()));
    m.step("load"_at, 0, true);
    pack<T> p = load_quad(m, job.x, i, op);
    m.step("registers"_at, 0, true);
    scan_quad(m, p, op);
    show_sums(m, i, n, p);
    T carry;
    if (carry_of_thread(m, s, p.at[quad - 1], op, carry, last_shown(i, n))) {
      add_carry(m, p, carry, op);
      show_carried(m, i, n, p);
    }
    m.step("store"_at, 0, true);
    store_quad(m, job.y, i, job.exclusive, p, op);
    const std::uint32_t last = job.count(m.threads() * quad) - 1;
    if (job.totals.size != 0 && first <= last && last < first + quad)
      m.store(job.totals, job.index, p.at[last - first], "totals[b]"_at);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<vectorized>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
