// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// blelloch: a balanced tree in shared memory. Up: each node becomes the sum of its children. The
// root becomes the identity. Down: a node hands its prefix to its left child, and that prefix plus
// the left child's sum to the right one. Two leaves a thread; Pad says where elements lie.
//
//   up    3  1  7  0      down  3  4  7 [e]
//         3 [4] 7 [7]           3 [e] 7 [4]
//         3  4  7 [11]         [e][3][4][11]
//
// cost(n=2^k): work 2(n-1), steps 2k, barriers 2k+2    conflicts: see docs/lab.md
// Order: the canonical one, bit for bit: P(start of the right half) = P(start of node) + S(left).
// Source: Blelloch, Prefix sums and their applications, CMU-CS-90-190 (1990).
#pragma once

#include "lab/kernels/tile.hpp"

namespace upsweep::lab {

// Sums of the nodes over leaves 0 to 2 threads - 1; the root's is at the last one. Begins behind
// a barrier and ends with one.
template <class M, class T, class Pad, class Op>
UPSWEEP_HD void tree_up(M& m, const shared_array<T, Pad>& s, std::uint64_t begin, const Op& op) {
  const unsigned t = m.thread(), leaves = 2 * m.threads();
  for (unsigned stride = 1, nodes = m.threads(); stride < leaves; stride *= 2, nodes /= 2) {
    const bool active = t < nodes;
    m.step("up-sweep"_at, stride, active);
    if (active) {
      const unsigned right = (t + 1) * 2 * stride - 1, left = right - stride;
      const T low = m.load(s, left, "s[left]"_at), high = m.load(s, right, "s[right]"_at);
      const T sum = m.apply(op, low, high);
      m.store(s, right, sum, "s[right]"_at);
      m.show(begin + right, sum, begin + left);
    }
    m.barrier("this level is complete"_at);
  }
}

// From the prefix at the root to those at the leaves: element i is then the prefix before leaf i.
template <class M, class T, class Pad, class Op>
UPSWEEP_HD void tree_down(M& m, const shared_array<T, Pad>& s, std::uint64_t begin, const Op& op) {
  const unsigned t = m.thread(), leaves = 2 * m.threads();
  for (unsigned stride = leaves / 2, nodes = 1; stride > 0; stride /= 2, nodes *= 2) {
    const bool active = t < nodes;
    m.step("down-sweep"_at, stride, active);
    if (active) {
      const unsigned right = (t + 1) * 2 * stride - 1, left = right - stride;
      const T sum = m.load(s, left, "s[left]"_at), prefix = m.load(s, right, "s[right]"_at);
      const T behind = m.apply(op, prefix, sum);
      m.store(s, left, prefix, "s[left]"_at);
      m.store(s, right, behind, "s[right]"_at);
      m.show(begin + right, behind, begin + right, begin + left);
      m.show(begin + left, prefix, nobody, begin + right);
    }
    m.barrier("this level is complete"_at);
  }
}

template <class Pad = no_padding>
struct blelloch {
  static constexpr const char* name = "blelloch";
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
    m.step("root"_at, 0, t == 0);
    T total = fill_value<Op, T>();
    if (t == 0) {
      total = m.load(s, leaves - 1, "s[root]"_at);
      m.store(s, leaves - 1, fill_value<Op, T>(), "s[root]"_at);
      m.show(job.begin + leaves - 1, fill_value<Op, T>());
    }
    m.barrier("the root is the identity"_at);
    tree_down(m, s, job.begin, op);
    m.step("store"_at, 0, true);
    store(m, s, job, total, op);
  }

  // Leaf i holds the prefix that ends with element i - 1; that of all leaves was at the root.
  template <class M, class T, class Op>
  UPSWEEP_HD static void store(M& m, const shared_array<T, Pad>& s, const tile<T>& job,
                               const T& total, const Op& op) {
    const unsigned t = m.thread(), half = m.threads(), leaves = 2 * half;
    const std::uint32_t count = job.count(leaves);
    const T low = m.load(s, t, "s[t]"_at), high = m.load(s, t + half, "s[t+n/2]"_at);
    if (t > 0) store_prefix(m, job, t - 1, count, low, op);
    store_prefix(m, job, t + half - 1, count, high, op);
    if (t == 0) store_prefix(m, job, leaves - 1, count, total, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<blelloch>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
