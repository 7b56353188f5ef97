// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// grid-sync: the three phases of hierarchical in one cooperative kernel, with barriers of the whole
// grid between them. A block owns a run of tiles. If that is one tile, its prefixes stay in
// registers over the barriers: every element is read once and written once. Longer runs are summed
// first and read again.
//
//   each block: sum of its run | block 0: scan of the sums | each block: scan of its run, carried
//                        grid barrier                grid barrier
//
// cost(n): traffic 2n elements if each block has one tile, 3n otherwise; 1 kernel, 2 grid barriers
// Order: not the canonical one. All blocks must run at once: the device says how many can.
#pragma once

#include "lab/kernels/vectorized.hpp"

namespace upsweep::lab {

struct grid_sync {
  static constexpr const char* name = "grid-sync";

  // What a block knows while it goes along a run.
  template <class T>
  struct carried {
    T value;
    bool any;
  };

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y, sums;
    std::uint32_t tiles_a_block;
    bool exclusive;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const shared_array<T> s = m.shared(of<T>, warps_of(m.threads()));
      const std::uint64_t run = std::uint64_t{tiles_a_block} * m.threads() * quad;
      const std::uint64_t begin = m.block() * run;
      const bool keep = tiles_a_block == 1;  // and drawn at once
      pack<T> kept;
      carried<T> sum = along(m, s, x, begin, run, {T{}, false}, kept, nullptr, keep);
      if (m.thread() == 0) m.store(sums, m.block(), sum.value, "sums[b]"_at);
      m.grid_barrier("all runs are summed"_at);
      if (m.block() == 0) {
        pack<T> unused;
        along(m, s, global<const T>(sums), 0, sums.size, {T{}, false}, unused, &sums, false);
      }
      m.grid_barrier("the sums are prefixes"_at);
      carried<T> before{T{}, m.block() > 0};
      if (before.any) before.value = m.load(sums, m.block() - 1, "sums[b-1]"_at);
      if (!keep) {
        along(m, s, x, begin, run, before, kept, &y, true);
        return;
      }
      const std::uint64_t i = begin + m.thread() * quad;
      add_before(m, before, i, begin, kept, true);
      m.step("store"_at, 0, true);
      store_quad(m, y, i, exclusive, kept, op);
    }

    // What is before a tile that begins at element begin, to the four from element i on.
    template <class M>
    UPSWEEP_HD void add_before(M& m, const carried<T>& before, std::uint64_t i, std::uint64_t begin,
                               pack<T>& p, bool drawn) const {
      m.step("carry"_at, 0, before.any);
      if (!before.any) return;
      add_carry(m, p, before.value, op);
      for (unsigned k = 0; k < quad && drawn && i + k < x.size; ++k)
        m.show(i + k, p.at[k], begin - 1);
    }

    // Prefixes along elements [begin, begin + length), tile by tile: to out, where given; those of
    // the last tile also to kept. Returns what comes after the run.
    template <class M>
    UPSWEEP_HD carried<T> along(M& m, const shared_array<T>& s, const global<const T>& in,
                                std::uint64_t begin, std::uint64_t length, carried<T> before,
                                pack<T>& kept, const global<T>* out, bool drawn) const {
      const std::uint64_t end = begin + length < in.size ? begin + length : in.size;
      for (std::uint64_t tile = begin; tile < end; tile += m.threads() * quad) {
        const std::uint64_t i = tile + m.thread() * quad;
        m.step("load"_at, 0, true);
        kept = load_quad(m, in, i, op);
        m.step("registers"_at, 0, true);
        scan_quad(m, kept, op);
        const std::uint64_t n = drawn ? in.size : 0;
        show_sums(m, i, n, kept);
        T carry;
        const bool has = carry_of_thread(m, s, kept.at[quad - 1], op, carry, last_shown(i, n));
        const T total = m.load(s, s.size - 1, "s[last]"_at);
        if (has) {
          add_carry(m, kept, carry, op);
          show_carried(m, i, n, kept);
        }
        if (out != nullptr) add_before(m, before, i, tile, kept, drawn);
        before = {before.any ? m.apply(op, before.value, total) : total, true};
        m.step("store"_at, 0, true);
        const bool shift = out == &y && exclusive;
        if (out != nullptr) store_quad(m, *out, i, shift, kept, op);
        m.barrier("the sums have been read"_at);
      }
      return before;
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (x.size == 0) return;
    const unsigned threads = how.threads != 0 ? how.threads : 256;
    check_threads<vectorized>(threads);
    const std::uint64_t size = std::uint64_t{threads} * quad, tiles = (x.size + size - 1) / size;
    const std::uint32_t bytes = shared_bytes<T>(warps_of(threads));
    kernel<T, Op> k{x, y, {}, 1, how.exclusive, op};
    const std::uint64_t most = d.cooperative_blocks(k, threads, bytes);
    if (most == 0)
      throw argument_error("upsweep: grid-sync: the device holds no block of " +
                           std::to_string(threads) + " threads: take smaller blocks");
    k.tiles_a_block = static_cast<std::uint32_t>((tiles + most - 1) / most);
    const std::uint64_t blocks = (tiles + k.tiles_a_block - 1) / k.tiles_a_block;
    k.sums = d.template array<T>("sums", blocks);
    d.launch(name, {blocks, threads, bytes, true}, k);
  }
};

}  // namespace upsweep::lab
