// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tree-lookback: look-back in the canonical order, in its plainest form. Let tile t have r trailing
// one bits. It publishes one word, F(t): the sum of the 2^r tiles that end with it, a Fenwick tree.
// The prefix before t is the left fold, over t's one bits j from the highest, of the words of tiles
// ((t >> j) << j) - 1. The r lowest of them also make F(t). All are to the left, and all lanes of a
// warp read at once. F(t) is published before anything else is waited for.
//
//   tiles  0 1 2 3 4 5 6      F(0)=S0  F(1)=S0..1  F(3)=S0..3  F(5)=S4..5
//   carry(6 = 110b) = F(3) + F(5)
//
// cost(n): traffic 2n elements and 2 words a tile; work 2 an element and log2(tiles) a tile
// Order: the canonical one, bit for bit, whatever the schedule and the tile's size.
// Source: this project's docs/order.md; Fenwick, A new data structure for cumulative frequency
// tables, Software: Practice and Experience 24 (1994).
#pragma once

#include "lab/kernels/blelloch.hpp"
#include "lab/kernels/lookback.hpp"

namespace upsweep::lab {

struct tree_lookback {
  static constexpr const char* name = "tree-lookback";
  using tree = blelloch<>;

  // What a tile must know of those before it.
  template <class T>
  struct carries {
    T begin, end;  // the prefixes before the tile and with it
  };

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y, sums;
    words known, ticket;
    bool exclusive;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const std::uint32_t t = take_tile(m, ticket);
      const unsigned me = m.thread(), half = m.threads(), leaves = 2 * half;
      const shared_array<T> s = m.shared(of<T>, leaves);
      const tile<T> job{x, y, {}, std::uint64_t{t} * leaves, t, exclusive};
      m.step("load"_at, 0, true);
      m.store(s, me, load_element(m, job, me, op), "s[t]"_at);
      m.store(s, me + half, load_element(m, job, me + half, op), "s[t+n/2]"_at);
      m.barrier("s is complete"_at);
      tree_up(m, s, job.begin, op);
      m.step("look-back"_at, 0, me < warp_lanes);
      T total = fill_value<Op, T>();
      if (me < warp_lanes) {
        if (me == 0) total = m.load(s, leaves - 1, "s[root]"_at);
        const carries<T> found = look_back(m, t, total);
        total = found.end;
        if (me == 0) {
          m.store(s, leaves - 1, found.begin, "s[root]"_at);
          show_carry(m, t, found.begin);
        }
      }
      m.barrier("the root is the carry"_at);
      tree_down(m, s, job.begin, op);
      m.step("store"_at, 0, true);
      tree::store(m, s, job, total, op);
    }

    // By the first warp; lane 0 has the tile's sum, and adds.
    template <class M>
    UPSWEEP_HD carries<T> look_back(M& m, std::uint32_t t, const T& sum) const {
      unsigned low = 0;
      while ((t >> low & 1) != 0) ++low;
      T own = sum, before{};
      const T near = words_of(m, t, 0, low);
      for (unsigned j = 0; j < low; ++j) {
        const T part = m.shuffle(near, j, "F of bit j"_at);
        if (m.thread() != 0) continue;
        own = m.apply(op, part, own);
        m.show(last_of(m, t), own, last_of(m, word_of(t, j)));
      }
      if (m.thread() == 0) {
        m.store(sums, t, own, "F[t]"_at);
        m.publish(known, t, 1, "known[t]"_at);
      }
      m.step("carry"_at, 0, true);
      const T far = words_of(m, t, low, warp_lanes);
      bool any = false;
      carries<T> result{fill_value<Op, T>(), own};
      for (unsigned j = warp_lanes; j-- > 0;) {
        const T part = m.shuffle(j < low ? near : far, j, "F of bit j"_at);
        if ((t >> j & 1) == 0 || m.thread() != 0) continue;
        before = any ? m.apply(op, before, part) : part;
        any = true;
        if (j > low) result.end = before;  // so far; own comes behind
      }
      if (m.thread() == 0 && t >> low != 0) result.end = m.apply(op, result.end, own);
      if (any) result.begin = before;
      return result;
    }

    // The tile whose word belongs to bit j of t, and the element at which its sum is drawn.
    UPSWEEP_HD static std::uint64_t word_of(std::uint32_t t, unsigned j) {
      return (std::uint64_t{t} >> j << j) - 1;
    }
    template <class M>
    UPSWEEP_HD static std::uint64_t last_of(const M& m, std::uint64_t t) {
      return (t + 1) * 2 * m.threads() - 1;
    }
    // The carry at the root: where it comes from, unless that is more than two words.
    template <class M>
    UPSWEEP_HD void show_carry(M& m, std::uint32_t t, const T& carry) const {
      std::uint64_t left = nobody, right = nobody;
      unsigned words = 0;
      for (unsigned j = 0; j < warp_lanes; ++j) {
        if ((t >> j & 1) == 0) continue;
        (words++ == 0 ? right : left) = last_of(m, word_of(t, j));
      }
      if (words > 2) left = right = nobody;
      m.show(last_of(m, t), carry, left, right);
    }

    // Lane j waits for the word of bit j of t, where t has it and first <= j < last.
    template <class M>
    UPSWEEP_HD T words_of(M& m, std::uint32_t t, unsigned first, unsigned last) const {
      const unsigned j = m.thread();
      const bool need = j >= first && j < last && (t >> j & 1) != 0;
      const std::uint64_t from = need ? word_of(t, j) : 0;
      std::uint32_t found = 1;
      do {
        if (need) found = m.observe(known, from, "known[i]"_at);
      } while (m.vote(found == 0, "all are known"_at) != 0);
      return need ? m.load(sums, from, "F[i]"_at) : fill_value<Op, T>();
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size == 0) return;
    const unsigned threads = how.threads != 0 ? how.threads : 256;
    check_whole_warps(threads);
    check_threads<tree>(threads, name);
    const std::uint64_t size = 2 * std::uint64_t{threads}, tiles = (x.size + size - 1) / size;
    if (threads < warp_lanes && tiles >> threads != 0)
      throw argument_error("upsweep: tree-lookback with " + std::to_string(threads) +
                           (threads == 1 ? " thread" : " threads") + " a block takes at most " +
                           std::to_string(size << threads) +
                           " elements: a lane for each bit of "
                           "a tile's number");
    const std::uint32_t bytes = shared_bytes<std::uint32_t>(1) + tree::bytes<T>(threads);
    check_shared(name, threads, sizeof(T), bytes);
    const kernel<T, Op> k{x,
                          y,
                          d.template array<T>("F", tiles),
                          d.words("known", tiles),
                          d.words("ticket", 1),
                          how.exclusive,
                          op};
    d.launch(name, {tiles, threads, bytes, false}, k);
  }
};

}  // namespace upsweep::lab
