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
// Then s[last] is the sum of all.
template <class M, class T, class Op>
UPSWEEP_HD bool carry_of_thread(M& m, const shared_array<T>& s, const T& sum, const Op& op,
                                T& carry) {
  const unsigned lane = m.thread() % warp_lanes, warp = m.thread() / warp_lanes;
  const T prefix = warp_prefix(m, sum, op, "step"_at);
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

// The prefixes that end with elements i to i + 3 of all.
template <class M, class T, class Op>
UPSWEEP_HD void store_quad(M& m, const global<T>& y, std::uint64_t i, bool exclusive,
                           const pack<T>& p, const Op& op) {
  for (unsigned k = 0; k < quad; ++k)
    if (i + k < y.size) m.show(i + k, p.at[k]);
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
    const shared_array<T> s = m.shared(of<T>, warps_of(m.threads()));
    m.step("load"_at, 0, true);
    pack<T> p = load_quad(m, job.x, job.begin + first, op);
    m.step("registers"_at, 0, true);
    scan_quad(m, p, op);
    for (unsigned k = 1; k < quad; ++k)
      m.show(job.begin + first + k, p.at[k], job.begin + first + k - 1);
    T carry;
    if (carry_of_thread(m, s, p.at[quad - 1], op, carry)) add_carry(m, p, carry, op);
    for (unsigned k = 0; k < quad && first > 0; ++k)
      m.show(job.begin + first + k, p.at[k], job.begin + first - 1);
    m.step("store"_at, 0, true);
    store_quad(m, job.y, job.begin + first, job.exclusive, p, op);
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
