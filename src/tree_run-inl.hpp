// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of leaves in the canonical order, for one SIMD target at a time.

#if defined(UPSWEEP_TREE_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_RUN_INL
#undef UPSWEEP_TREE_RUN_INL
#else
#define UPSWEEP_TREE_RUN_INL
#endif

#include <algorithm>
#include <bit>
#include <cstddef>

#include "src/cells-inl.hpp"
#include "src/lanes-inl.hpp"
#include "upsweep/cpu/kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// One run over in[0, n); see cpu::simd_run. Stored is the type in memory, T that of the sums.
template <class T, class ScanOp, cpu::output mode, class Stored = T>
class tree_run {
  using map = lanes_of<T, ScanOp>;
  using lane = typename map::lane;
  using op = typename map::op;
  using D = hn::ScalableTag<lane>;
  using V = hn::Vec<D>;
  using cells = cells_of<Stored, D>;
  using cell = typename cells::cell;
  using kernel = leaf_kernel<D, op>;
  static constexpr std::size_t lanes = kernel::lanes, vectors = kernel::vectors;
  static constexpr int leaf_level = std::countr_zero(kernel::size);
  static constexpr int node_level = 2;                       // leaves joined in registers: 4
  static constexpr int sum_level = std::countr_zero(lanes);  // leaves whose sums fill a vector
  static constexpr int step_level = std::max(node_level, sum_level);
  using summer = tree_run<T, ScanOp, cpu::output::none, Stored>;
  template <class, class, cpu::output, class>
  friend class tree_run;

 public:
  static constexpr std::size_t leaf = kernel::size;

  HWY_INLINE tree_run() : carry_(hn::Zero(d_)) {}

  HWY_INLINE void run(const Stored* in, Stored* out, std::size_t n, prefix_stack<T, ScanOp>& stack,
                      cpu::store how, cpu::side_sum<T, ScanOp> side) {
    start(in, out, stack);
    summer beside;
    if constexpr (std::is_same_v<T, Stored>) {
      if (side.in) {
        beside.start(side.in, nullptr, *side.stack);
        beside.asks_ = false;
        ahead_ = beside.in_;  // what is scanned is in the cache
      }
    }
    streams_ = mode != cpu::output::none && how == cpu::store::streaming;
    if (streams_) streams_ = stream_.begin(out_);
    constexpr std::size_t step = leaf << step_level;
    for (; n >= step; n -= step) {
      if constexpr (mode == cpu::output::none)
        sum_step();
      else
        for (int i = 0; i < 1 << (step_level - node_level); ++i) whole<node_level>();
      if (side.in) beside.sum_step();
    }
    for (; n >= leaf; n -= leaf) {
      whole<0>();
      if (side.in) beside.template whole<0>();
    }
    if (streams_) stream_.end();
    if (n == 0) return;
    carry_ = prefix();
    stack_->close(n, tail(n));
  }

  // A whole scan of at most one leaf after the prefix carry; returns the prefix behind it.
  HWY_INLINE T one_leaf(const Stored* in, Stored* out, std::size_t n, T carry, cpu::store how) {
    streams_ = mode != cpu::output::none && how == cpu::store::streaming &&
               reinterpret_cast<std::uintptr_t>(out) % HWY_MAX_BYTES == 0;
    in_ = reinterpret_cast<const cell*>(in);
    out_ = reinterpret_cast<cell*>(out);
    carry_ = vector(carry);
    return n == leaf ? full_leaf() : part_of_leaf(n);
  }

 private:
  HWY_INLINE T full_leaf() {
    V x[vectors];
    for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in_ + v * lanes);
    const auto s = leaf_.up(x);
    const V after = op::apply(carry_, s.sum);
    if (streams_) stream_.begin(out_);
    if constexpr (mode != cpu::output::none) {
      leaf_.template down<mode == cpu::output::inclusive>(s, carry_, after, x);
      put(x, out_);
    }
    return scalar(after);
  }

  // Asks for the leaf some kilobytes on: between two loads there is more arithmetic than a
  // processor looks past, so that left to itself it asks too late.
  HWY_INLINE void prefetch(const cell* in) const {
    constexpr std::size_t distance = 2048;  // docs/performance.md tells what others gave
    for (std::size_t b = 0; b < leaf * sizeof(cell); b += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(in) + distance + b);
  }
  HWY_INLINE void put(const V (&x)[vectors], cell* out) {
    for (std::size_t v = 0; v < vectors; ++v) {
      const V y = map::from(d_, x[v]);
      if (streams_)
        stream_.put(y);
      else
        cells::store(d_, y, out + v * lanes);
    }
  }

  HWY_INLINE void start(const Stored* in, Stored* out, prefix_stack<T, ScanOp>& stack) {
    in_ = reinterpret_cast<const cell*>(in);
    out_ = reinterpret_cast<cell*>(out);
    stack_ = &stack;
    carry_ = prefix();
    ahead_ = in_;
  }

  // The sums of the next 2^step_level leaves, without results.
  HWY_INLINE void sum_step() {
    for (int i = 0; i < 1 << (step_level - sum_level); ++i) {
      stack_->push(leaf_level + sum_level, scalar(leaf_.total(group_sums<sum_level>(in_))));
      in_ += leaf << sum_level;
    }
  }
  // The group sums of 2^level leaves, merged. Where any order gives the same bits, lanes are added
  // as they come.
  template <int level>
  HWY_INLINE V group_sums(const cell* in) const {
    if constexpr (level != 0) {
      const V left = group_sums<level - 1>(in),
              right = group_sums<level - 1>(in + (leaf << (level - 1)));
      if constexpr (exactly_associative<ScanOp, T>) return op::apply(left, right);
      return leaf_.template merge<level - 1>(left, right);
    } else {
      if (asks_) prefetch(in);
      V x[vectors];
      for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in + v * lanes);
      if constexpr (exactly_associative<ScanOp, T>) {
        for (std::size_t v = 1; v < vectors; ++v) x[0] = op::apply(x[0], x[v]);
        return x[0];
      }
      typename kernel::state unused;
      return leaf_.groups(x, unused);
    }
  }

  // The next 2^level leaves. All go up before the first comes down: a processor looks past the
  // arithmetic of one leaf, whose operations wait for each other, but not past that of two.
  template <int level>
  HWY_INLINE void whole() {
    constexpr std::size_t leaves = std::size_t{1} << level;
    typename kernel::state s[leaves];
    V x[vectors];
#pragma GCC unroll 4
    for (std::size_t l = 0; l < leaves; ++l) {
      if (streams_) prefetch(ahead_ + l * leaf);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in_ + l * leaf + v * lanes);
      s[l] = leaf_.up(x);
    }
    V before[leaves + 1];
    const V sum = join(s, before);
    stack_->push(leaf_level + level, scalar(sum));
    before[leaves] = carry_ = prefix();
    in_ += leaves * leaf;
    if constexpr (mode != cpu::output::none) {
      ahead_ += leaves * leaf;
#pragma GCC unroll 4
      for (std::size_t l = 0; l < leaves; ++l) {
        leaf_.template down<mode == cpu::output::inclusive>(s[l], before[l], before[l + 1], x);
        put(x, out_ + l * leaf);
      }
      out_ += leaves * leaf;
    }
  }

  // The prefix before each of the leaves, top down; returns the sum of all.
  template <std::size_t leaves>
  HWY_INLINE V join(const typename kernel::state (&s)[leaves], V (&before)[leaves + 1]) const {
    before[0] = carry_;
    if constexpr (leaves == 1) {
      return s[0].sum;
    } else {
      static_assert(leaves == 4);
      const V left = op::apply(s[0].sum, s[1].sum);
      before[1] = op::apply(carry_, s[0].sum);
      before[2] = op::apply(carry_, left);
      before[3] = op::apply(before[2], s[2].sum);
      return op::apply(left, op::apply(s[2].sum, s[3].sum));
    }
  }

  HWY_INLINE T tail(std::size_t n) {
    if constexpr (std::is_same_v<T, Stored>) {
      if (n < 8) {
        const T* const carry = stack_->prefix();
        return cpu::tiny_run(reinterpret_cast<const T*>(in_), reinterpret_cast<T*>(out_), n,
                             carry ? *carry : ScanOp::template identity<T>(), ScanOp{}, mode);
      }
    }
    return part_of_leaf(n);
  }

  // Fewer elements than a leaf: the rest is filled with the identity, which no wanted output sees.
  // Returns the prefix behind the n elements.
  HWY_INLINE T part_of_leaf(std::size_t n) {
    const V pad = hn::Set(d_, pad_lane());
    const V raw_pad = map::from(d_, pad);
    V x[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v)
      x[v] = v * lanes < n
                 ? map::to(d_, cells::load_first(d_, n - v * lanes, in_ + v * lanes, raw_pad))
                 : pad;
    const auto s = leaf_.up(x);
    leaf_.template down<mode == cpu::output::inclusive>(s, carry_, carry_, x);
    HWY_ALIGN lane y[leaf];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      x[v] = map::from(d_, x[v]);
      hn::Store(x[v], d_, y + v * lanes);
      if (mode != cpu::output::none && v * lanes < n)
        cells::store_first(d_, n - v * lanes, x[v], out_ + v * lanes);
    }
    return std::bit_cast<T>(y[mode == cpu::output::inclusive ? n - 1 : n]);
  }
  HWY_INLINE V load(const cell* p) const { return map::to(d_, cells::load(d_, p)); }
  HWY_INLINE T scalar(V v) const { return std::bit_cast<T>(hn::GetLane(map::from(d_, v))); }
  HWY_INLINE V vector(T v) const { return map::to(d_, hn::Set(d_, std::bit_cast<lane>(v))); }
  HWY_INLINE V prefix() const {
    const T* p = stack_->prefix();
    return vector(p ? *p : ScanOp::template identity<T>());
  }
  static HWY_INLINE lane pad_lane() {
    if constexpr (std::is_same_v<op, add>)
      return std::bit_cast<lane>(ScanOp::template identity<T>());
    else
      return hwy::LimitsMin<lane>();
  }

  D d_;
  kernel leaf_;
  const cell* in_ = nullptr;
  cell* out_ = nullptr;
  prefix_stack<T, ScanOp>* stack_ = nullptr;
  typename cells::stream stream_;
  const cell* ahead_ = nullptr;  // what memory is asked for while in_ is scanned
  bool streams_ = false;
  bool asks_ = true;  // whether sums ask for memory
  V carry_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
