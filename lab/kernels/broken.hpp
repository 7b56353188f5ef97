// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with the faults that beginners make, one fault each: what upsweep lab pitfalls shows. The
// block kernels are hillis-steele but for the line that names the fault.
#pragma once

#include "lab/kernels/blelloch.hpp"
#include "lab/kernels/hierarchical.hpp"

namespace upsweep::lab {

enum class defect {
  no_barrier,         // between the steps
  barrier_in_branch,  // only threads with something to add come by
  not_swapped,        // every step reads the first buffer
  no_copy,            // idle threads leave a hole in the other buffer
  too_much_shared     // a buffer for each step
};

template <defect D>
struct broken_hillis_steele {
  static constexpr const char* name = "broken hillis-steele";
  static constexpr unsigned items = 1;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return (D == defect::too_much_shared ? 16 : 2) * shared_bytes<T>(threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), n = m.threads();
    shared_array<T> src = m.shared(of<T>, n), dst = m.shared(of<T>, n);
    m.step("load"_at, 0, true);
    T value = load_element(m, job, t, op);
    m.store(src, t, value, "src[t]"_at);
    if (D == defect::barrier_in_branch) m.barrier("src is complete"_at);
    for (unsigned stride = 1; stride < n; stride *= 2) {
      if (D != defect::no_barrier && D != defect::barrier_in_branch)
        m.barrier("src is complete"_at);
      m.step("step"_at, stride, t >= stride);
      if (t >= stride || D != defect::no_copy) value = m.load(src, t, "src[t]"_at);
      if (t >= stride) value = m.apply(op, m.load(src, t - stride, "src[t-stride]"_at), value);
      if (t >= stride || D != defect::no_copy) m.store(dst, t, value, "dst[t]"_at);
      if (D == defect::barrier_in_branch && t >= stride) m.barrier("in the branch"_at);
      if (D == defect::not_swapped) continue;
      const shared_array<T> read = src;
      src = dst, dst = read;
    }
    m.step("store"_at, 0, true);
    store_prefix(m, job, t, job.count(n), value, op);
  }

  template <class D2, class T, class Op>
  static void scan(D2& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    if (D != defect::too_much_shared) return scan_by_block<broken_hillis_steele>(d, x, y, op, how);
    const scan_tiles<broken_hillis_steele, T, Op> kernel{{x, y, {}, 0, 0, how.exclusive}, op};
    d.launch(name, {1, how.threads, bytes<T>(how.threads), false}, kernel);
  }
};

// A thread for each output that forgets to ask whether there is one.
template <class T, class Op>
struct unchecked_copy {
  global<const T> x;
  global<T> y;

  template <class M>
  UPSWEEP_HD void operator()(M& m) const {
    const std::uint64_t i = std::uint64_t{m.block()} * m.threads() + m.thread();
    m.store(y, i, m.load(x, i, "x[i]"_at), "y[i]"_at);
  }
};

// A grid of x.size / threads blocks leaves the rest out; one rounded up needs the question.
template <bool RoundUp>
struct unchecked_grid {
  static constexpr const char* name = RoundUp ? "no bounds check" : "grid rounded down";

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op&, const options& how) {
    const std::uint64_t blocks = (x.size + (RoundUp ? how.threads - 1 : 0)) / how.threads;
    d.launch(name, {blocks, how.threads, 0, false}, unchecked_copy<T, Op>{x, y});
  }
};

// More threads than a block may have: the launch fails, and who does not ask never knows.
struct unchecked_launch {
  static constexpr const char* name = "unchecked launch";

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op&, const options&) {
    d.launch(name, {1, static_cast<unsigned>(x.size), 0, false}, unchecked_copy<T, Op>{x, y});
  }
};

// blelloch with 0 at the root, whatever the operator's identity is.
struct zero_at_the_root {
  static constexpr const char* name = "zero at the root";
  static constexpr unsigned items = 2;
  static constexpr bool power_of_two = true;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T>(2 * threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), half = m.threads(), leaves = 2 * half;
    const shared_array<T> s = m.shared(of<T>, leaves);
    m.store(s, t, load_element(m, job, t, op), "s[t]"_at);
    m.store(s, t + half, load_element(m, job, t + half, op), "s[t+n/2]"_at);
    m.barrier("s is complete"_at);
    tree_up(m, s, job.begin, op);
    T total{};
    if (t == 0) {
      total = m.load(s, leaves - 1, "s[root]"_at);
      m.store(s, leaves - 1, T{}, "s[root]"_at);
    }
    m.barrier("the root is 0"_at);
    tree_down(m, s, job.begin, op);
    blelloch<>::store(m, s, job, total, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<zero_at_the_root>(d, x, y, op, how);
  }
};

// Half of a warp waits for the others at a vote, these wait for all at a barrier.
struct vote_in_a_branch {
  static constexpr const char* name = "vote in a branch";

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const unsigned t = m.thread();
      if (t < warp_lanes / 2) m.vote(true, "half of the warp"_at);
      m.barrier("all of the block"_at);
      m.store(y, t, m.load(x, t, "x[t]"_at), "y[t]"_at);
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op&, const options& how) {
    d.launch(name, {1, how.threads, 0, false}, kernel<T, Op>{x, y});
  }
};

// Tiles by the number of the block, from the last to the first: each block waits for the prefix of
// one that begins after it. As many blocks as the device runs at a time wait for ever.
struct tiles_from_the_end {
  static constexpr const char* name = "tiles from the end";

  template <class T, class Op>
  struct kernel {
    global<const T> x;
    global<T> y;
    words known;
    Op op;

    template <class M>
    UPSWEEP_HD void operator()(M& m) const {
      const std::uint64_t tile = m.blocks() - 1 - m.block();
      T sum = m.load(x, tile, "x[tile]"_at);
      if (tile > 0) {
        while (m.observe(known, tile - 1, "known[tile-1]"_at) == 0) {
        }
        sum = m.apply(op, m.load(y, tile - 1, "y[tile-1]"_at), sum);
      }
      m.store(y, tile, sum, "y[tile]"_at);
      m.publish(known, tile, 1, "known[tile]"_at);
    }
  };

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options&) {
    d.launch(name, {x.size, 1, 0, false}, kernel<T, Op>{x, y, d.words("known", x.size), op});
  }
};

// The last kernel of hierarchical launched twice, as a loop that measures it would.
struct offsets_added_twice {
  static constexpr const char* name = "offsets added twice";

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    const std::uint64_t tiles = (x.size + how.threads - 1) / how.threads;
    const shape form{tiles, how.threads, hillis_steele::bytes<T>(how.threads), false};
    scan_tiles<hillis_steele, T, Op> first{{x, y, {}, 0, 0, how.exclusive}, op};
    first.job.totals = d.template array<T>("totals", tiles);
    const global<T> offsets = d.template array<T>("offsets", tiles);
    d.launch("scan tiles", form, first);
    hierarchical<>::scan(d, global<const T>(first.job.totals), offsets, op, {true, how.threads});
    const add_offsets<T, Op> last{offsets, y, how.threads, how.exclusive, op};
    for (int repeat = 0; repeat < 2; ++repeat)
      d.launch("add offsets", {tiles - 1, how.threads, 0, false}, last);
  }
};

// hillis-steele-inplace with the padding of a tree, though its strides never conflict.
template <class Pad>
struct padded_hillis_steele {
  static constexpr const char* name = "padded hillis-steele";
  static constexpr unsigned items = 1;
  static constexpr bool power_of_two = false;
  template <class T>
  static constexpr std::uint32_t bytes(unsigned threads) {
    return shared_bytes<T, Pad>(threads);
  }

  template <class M, class T, class Op>
  UPSWEEP_HD static void run(M& m, const tile<T>& job, const Op& op) {
    const unsigned t = m.thread(), n = m.threads();
    const shared_array<T, Pad> s = m.shared(of<T>, n, Pad{});
    T value = load_element(m, job, t, op);
    m.store(s, t, value, "s[t]"_at);
    for (unsigned stride = 1; stride < n; stride *= 2) {
      m.barrier("s is complete"_at);
      m.step("step"_at, stride, t >= stride);
      if (t >= stride) {
        const T left = m.load(s, t - stride, "s[t-stride]"_at);
        value = m.apply(op, left, m.load(s, t, "s[t]"_at));
      }
      m.barrier("everybody has read"_at);
      if (t >= stride) m.store(s, t, value, "s[t]"_at);
    }
    store_prefix(m, job, t, job.count(n), value, op);
  }

  template <class D, class T, class Op>
  static void scan(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
    scan_by_block<padded_hillis_steele>(d, x, y, op, how);
  }
};

}  // namespace upsweep::lab
