// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// brent-kung: blelloch's up-sweep, and the root stays. Then, from stride n/4 down, every node adds
// the prefix at its left neighbour to the left half of itself, which makes inclusive prefixes.
//
//   up    3  4  7 11  4  5  6 25       down, stride 2:  5 -> 4 + ...  the prefix at 3 to element 5
//         ^           ^   stride 1: the prefixes at 1, 3, 5 to the elements 2, 4, 6
//
// cost(n=2^k): work 2(n-1) - k, steps 2k-1, barriers 2k
// Order: the canonical one, bit for bit: P(k) is the prefix before k's last block plus that block.
// Source: Brent and Kung, A regular layout for parallel adders, IEEE Trans. Comp. C-31 (1982).
#pragma once

#include "lab/kernels/blelloch.hpp"

namespace upsweep::lab {

template <class Pad = no_padding>
struct brent_kung {
  static constexpr const char* name = "brent-kung";
  static constexpr unsigned items = 2;
  static constexpr bool power_of_two = true;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T, Pad>(2 * threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), half = m.threads(), leaves = 2 * half;
    const shared_array<T, Pad> s = m.shared(of<T>, leaves, Pad{});
    m.step("load"_at, 0, true);
    m.store(s, t, load_element(m, job, t, op), "s[t]"_at);
    m.store(s, t + half, load_element(m, job, t + half, op), "s[t+n/2]"_at);
    m.barrier("s is complete"_at);
    tree_up(m, s, job.begin, op);
    for (unsigned stride = leaves / 4, nodes = 2; stride > 0; stride /= 2, nodes *= 2) {
      const bool active = t < nodes - 1;
      m.step("down-sweep"_at, stride, active);
      if (active) {
        const unsigned left = (t + 1) * 2 * stride - 1, right = left + stride;
        const T low = m.load(s, left, "s[left]"_at), high = m.load(s, right, "s[right]"_at);
        const T sum = m.apply(op, low, high);
        m.store(s, right, sum, "s[right]"_at);
        m.show(job.begin + right, sum, job.begin + left);
      }
      m.barrier("this level is complete"_at);
    }
    m.step("store"_at, 0, true);
    const std::uint32_t count = job.count(leaves);
    store_prefix(m, job, t, count, m.load(s, t, "s[t]"_at), op);
    store_prefix(m, job, t + half, count, m.load(s, t + half, "s[t+n/2]"_at), op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<brent_kung>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
