// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lookback: one kernel, one read and one write of every element. A block takes the next tile by a
// ticket, scans it, and publishes its total. Then a warp looks back, 32 tiles at a time: totals are
// added up until a tile is found whose whole prefix is known. That prefix plus what was added is
// the carry; with it the block publishes its own prefix.
//
//   tile   0        1        2        3 (I)
//          prefix   prefix   total    ?         carry(3) = prefix(1) + total(2)
//
// cost(n): traffic 2n elements and a few words a tile; 1 kernel
// Order: not the canonical one, and not even the same twice: which tiles are found with a prefix is
// a matter of time, and so is how a float sum is associated.
// Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA
// NVR-2016-002.
#pragma once

#include "lab/kernels/vectorized.hpp"

namespace upsweep::lab {

// The next tile that nobody has taken, so that a tile one waits for is always held by a block that
// runs. For all threads of the block. Ends with a barrier.
template <class M>
UPSWEEP_HD std::uint32_t take_tile(M& m, const words& ticket) {
  const shared_array<std::uint32_t> s = m.shared(of<std::uint32_t>, 1);
  if (m.thread() == 0) m.store(s, 0, m.add(ticket, 0, 1, "ticket"_at), "s_tile"_at);
  m.barrier("the tile is known"_at);
  return m.load(s, 0, "s_tile"_at);
}

// The lanes that look back: one warp of the block, or all of a smaller block.
template <class M>
UPSWEEP_HD unsigned lanes_of(const M& m) {
  return m.threads() < warp_lanes ? m.threads() : warp_lanes;
}

inline void check_whole_warps(unsigned threads) {
  if (threads == 0 || threads > 1024 || (threads > warp_lanes && threads % warp_lanes != 0))
    throw argument_error(
        "upsweep: look-back needs whole warps, up to 1024 threads, or less than "
        "one");
}

struct lookback {
  static constexpr const char* name = "lookback";
  enum state : std::uint32_t { nothing = 0, total_known = 1, prefix_known = 2 };

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y, totals, prefixes;
    words states, ticket;
    bool exclusive;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const std::uint32_t tile = take_tile(m, ticket);
      const shared_array<T> s = m.shared(of<T>, warps_of(m.threads()));
      const shared_array<T> s_carry = m.shared(of<T>, 1);
      const std::uint64_t i = (std::uint64_t{tile} * m.threads() + m.thread()) * quad;
      m.step("load"_at, 0, true);
      pack<T> p = load_quad(m, x, i, op);
      m.step("registers"_at, 0, true);
      scan_quad(m, p, op);
      show_sums(m, i, x.size, p);
      T carry;
      if (carry_of_thread(m, s, p.at[quad - 1], op, carry, last_shown(i, x.size))) {
        add_carry(m, p, carry, op);
        show_carried(m, i, x.size, p);
      }
      m.step("look-back"_at, 0, m.thread() < warp_lanes);
      if (m.thread() < warp_lanes) look_back(m, tile, m.load(s, s.size - 1, "s[last]"_at), s_carry);
      m.barrier("the carry is known"_at);
      m.step("carry"_at, 0, tile > 0);
      if (tile > 0) {
        add_carry(m, p, m.load(s_carry, 0, "s_carry"_at), op);
        for (unsigned k = 0; k < quad && i + k < x.size; ++k)
          if (i + k != last_of(m, tile)) m.show(i + k, p.at[k], begin_of(m, tile) - 1);
      }
      m.step("store"_at, 0, true);
      store_quad(m, y, i, exclusive, p, op);
    }

    template <class M>
    UPSWEEP_HD static std::uint64_t begin_of(const M& m, std::uint64_t tile) {
      return tile * m.threads() * quad;
    }
    template <class M>
    UPSWEEP_HD std::uint64_t last_of(const M& m, std::uint64_t tile) const {
      const std::uint64_t end = begin_of(m, tile + 1);
      return (end < x.size ? end : x.size) - 1;
    }

    // By the first warp. The total comes before its flag, and so does the prefix.
    template <class M>
    UPSWEEP_HD void look_back(M& m, std::uint32_t tile, const T& total,
                              const shared_array<T>& s_carry) const {
      const bool first_lane = m.thread() == 0;
      if (tile == 0) {
        if (first_lane) tell(m, prefixes, 0, total, prefix_known);
        return;
      }
      if (first_lane) tell(m, totals, tile, total, total_known);
      T carry{};
      bool any = false;
      for (std::int64_t nearest = std::int64_t{tile} - 1;; nearest -= lanes_of(m)) {
        T window;
        const bool done = fold_window(m, nearest, window);
        carry = any && first_lane ? m.apply(op, window, carry) : window;
        any = true;
        if (done) break;
      }
      if (!first_lane) return;
      m.store(s_carry, 0, carry, "s_carry"_at);
      const T prefix = m.apply(op, carry, total);
      m.show(last_of(m, tile), prefix, begin_of(m, tile) - 1);
      tell(m, prefixes, tile, prefix, prefix_known);
    }

    template <class M>
    UPSWEEP_HD void tell(M& m, const global<T>& to, std::uint32_t tile, const T& value,
                         state what) const {
      m.store(to, tile, value, "value[tile]"_at);
      m.publish(states, tile, what, "state[tile]"_at);
    }

    // Lane l takes tile nearest - l. In lane 0: the sum from the nearest tile with a prefix on,
    // or of all. True if there was a prefix.
    template <class M>
    UPSWEEP_HD bool fold_window(M& m, std::int64_t nearest, T& sum) const {
      const unsigned lane = m.thread(), lanes = lanes_of(m);
      const std::int64_t mine = nearest - lane;
      std::uint32_t found = prefix_known;  // in front of tile 0
      do {
        if (mine >= 0) found = m.observe(states, static_cast<std::uint64_t>(mine), "state[i]"_at);
      } while (m.vote(found == nothing, "all are known"_at) != 0);
      const std::uint32_t prefixed = m.vote(found == prefix_known, "prefixes"_at);
      unsigned last = 0;
      while (last < lanes - 1 && (prefixed >> last & 1) == 0) ++last;
      sum = fill_value<Op, T>();
      if (lane <= last) {
        const global<T>& from = found == prefix_known ? prefixes : totals;
        sum = m.load(from, static_cast<std::uint64_t>(mine), "value[i]"_at);
      }
      for (unsigned distance = 1; distance < warp_lanes; distance *= 2) {
        const T left = m.shuffle(sum, (lane + distance) % warp_lanes, "lane+distance"_at);
        if (lane + distance <= last) sum = m.apply(op, left, sum);
      }
      return prefixed != 0;
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size == 0) return;
    const unsigned threads = how.threads != 0 ? how.threads : 256;
    check_whole_warps(threads);
    const std::uint64_t size = std::uint64_t{threads} * quad, tiles = (x.size + size - 1) / size;
    const std::uint32_t bytes =
        shared_bytes<std::uint32_t>(1) + shared_bytes<T>(warps_of(threads)) + shared_bytes<T>(1);
    const kernel<T, Op> k{x,
                          y,
                          d.template array<T>("totals", tiles),
                          d.template array<T>("prefixes", tiles),
                          d.words("states", tiles),
                          d.words("ticket", 1),
                          how.exclusive,
                          op};
    d.launch(name, {tiles, threads, bytes, false}, k);
  }
};

}  // namespace upsweep::lab
