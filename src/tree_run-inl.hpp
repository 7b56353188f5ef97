// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of leaves in the canonical order, for one SIMD target at a time.

#if defined(UPSWEEP_TREE_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_TREE_RUN_INL
#undef UPSWEEP_TREE_RUN_INL
#else
#define UPSWEEP_TREE_RUN_INL
#endif

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
  static constexpr int node_level = 2;  // leaves joined in registers: 4

 public:
  static constexpr std::size_t leaf = kernel::size;

  HWY_INLINE tree_run() : carry_(hn::Zero(d_)) {}

  HWY_INLINE void run(const Stored* in, Stored* out, std::size_t n, prefix_stack<T, ScanOp>& stack,
                      cpu::store how) {
    in_ = reinterpret_cast<const cell*>(in);
    out_ = reinterpret_cast<cell*>(out);
    stack_ = &stack;
    carry_ = prefix();
    constexpr std::size_t node = leaf << node_level;
    streams_ = mode != cpu::output::none && how == cpu::store::streaming;
    if (streams_) streams_ = stream_.begin(out_);
    for (; n >= node; n -= node, in_ += node, out_ += node) whole<node_level>();
    for (; n >= leaf; n -= leaf, in_ += leaf, out_ += leaf) whole<0>();
    if (streams_) stream_.end();
    if (n != 0) stack_->close(n, tail(n));
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
    constexpr std::size_t distance = 4096;  // docs/performance.md tells what others gave
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

  // Continuations: given the sum of a node, the prefix behind it. A right child's is its parent's,
  // given the sum of both children; so the carry chain is as deep as the tree and no deeper.
  struct behind_left {
    V carry;
    HWY_INLINE V operator()(V sum) const { return op::apply(carry, sum); }
  };
  template <class Parent>
  struct behind_right {
    V left;
    Parent& parent;
    HWY_INLINE V operator()(V sum) const { return parent(op::apply(left, sum)); }
  };
  struct behind_root {
    tree_run& self;
    int level;
    HWY_INLINE V operator()(V sum) const {
      self.stack_->push(level, self.scalar(sum));
      return self.carry_ = self.prefix();
    }
  };

  template <int level>
  HWY_INLINE void whole() {
    behind_root root{*this, leaf_level + level};
    node<level>(in_, out_, carry_, root);
  }

  // Scans a node of 2^level leaves after the prefix carry; returns its sum.
  template <int level, class Behind>
  HWY_INLINE V node(const cell* in, cell* out, V carry, Behind& behind) {
    if constexpr (level == 0) {
      if (mode == cpu::output::none || streams_) prefetch(in);
      V x[vectors];
      for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in + v * lanes);
      const auto s = leaf_.up(x);
      const V after = behind(s.sum);
      if constexpr (mode != cpu::output::none) {
        leaf_.template down<mode == cpu::output::inclusive>(s, carry, after, x);
        put(x, out);
      }
      return s.sum;
    } else {
      constexpr std::size_t half = leaf << (level - 1);
      behind_left at_left{carry};
      const V left = node<level - 1>(in, out, carry, at_left);
      behind_right<Behind> at_right{left, behind};
      const V right = node<level - 1>(in + half, out + half, op::apply(carry, left), at_right);
      return op::apply(left, right);
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
  bool streams_ = false;
  V carry_;
};

#endif  // vectors
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
