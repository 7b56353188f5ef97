// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of leaves in the canonical order, for one SIMD target at a time.

#if defined(UPSWEEP_SIMD_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_RUN_INL
#undef UPSWEEP_SIMD_RUN_INL
#else
#define UPSWEEP_SIMD_RUN_INL
#endif

#include <bit>
#include <limits>

#include "src/tree_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

// How values of T are kept in lanes. Sums: as they are, unsigned as signed.
template <class T, class ScanOp>
struct lanes_of {
  using lane = std::conditional_t<std::is_floating_point_v<T>, T, hwy::MakeSigned<T>>;
  using op = add;
  template <class D, class V>
  static HWY_INLINE V to(D, V v) {
    return v;
  }
  template <class D, class V>
  static HWY_INLINE V from(D, V v) {
    return v;
  }
};

// Minima and maxima: as signed keys in whose order the wanted value is the largest, so that one
// signed maximum serves all. Integers need an exclusive or; floats order like their sign and
// magnitude, with NaN moved to the top: IEEE 754-2019 minimum and maximum.
template <class T, bool is_max>
struct key_lanes {
  using lane = hwy::MakeSigned<T>;
  using op = signed_max;
  template <class D>
  static HWY_INLINE hn::Vec<D> to(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T>) {
      const auto nan = hn::IsNaN(hn::BitCast(hn::RebindToFloat<D>{}, v));
      return hn::IfThenElse(hn::RebindMask(d, nan), hn::Set(d, hwy::LimitsMax<lane>()), flip(d, v));
    } else {
      return flip(d, v);
    }
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> from(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T> && !is_max) v = hn::Not(v);
    return std::is_floating_point_v<T> ? magnitude(d, v) : flip(d, v);
  }

 private:
  template <class D>
  static HWY_INLINE hn::Vec<D> flip(D d, hn::Vec<D> v) {
    if constexpr (std::is_floating_point_v<T>) {
      v = magnitude(d, v);
      return is_max ? v : hn::Not(v);
    } else {
      const lane sign = std::is_unsigned_v<T> ? hwy::LimitsMin<lane>() : lane{0};
      return hn::Xor(v, hn::Set(d, is_max ? sign : static_cast<lane>(~sign)));
    }
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> magnitude(D d, hn::Vec<D> v) {
    return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), hn::Set(d, hwy::LimitsMax<lane>())));
  }
};
template <class T>
struct lanes_of<T, maximum> : key_lanes<T, true> {};
template <class T>
struct lanes_of<T, minimum> : key_lanes<T, false> {};

// One run over in[0, n); see cpu::simd_run.
template <class T, class ScanOp, cpu::output mode>
class tree_run {
  using map = lanes_of<T, ScanOp>;
  using lane = typename map::lane;
  using op = typename map::op;
  using D = hn::ScalableTag<lane>;
  using V = hn::Vec<D>;
  using kernel = leaf_kernel<D, op>;
  static constexpr std::size_t lanes = kernel::lanes, leaf = kernel::size;
  static constexpr int leaf_level = std::countr_zero(leaf);
  static constexpr int node_level = 2;  // leaves joined in registers: 4

 public:
  HWY_INLINE tree_run(const T* in, T* out, prefix_stack<T, ScanOp>& stack)
      : in_(reinterpret_cast<const lane*>(in)), out_(reinterpret_cast<lane*>(out)), stack_(stack) {
    carry_ = prefix();
  }

  HWY_INLINE void run(std::size_t n) {
    constexpr std::size_t node = leaf << node_level;
    for (; n >= node; n -= node, in_ += node, out_ += node) whole<node_level>();
    for (; n >= leaf; n -= leaf, in_ += leaf, out_ += leaf) whole<0>();
    if (n != 0) rest(n);
  }

 private:
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
      self.stack_.push(level, self.scalar(sum));
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
  HWY_INLINE V node(const lane* in, lane* out, V carry, Behind& behind) {
    if constexpr (level == 0) {
      const auto s = leaf_.up(load(in), load(in + lanes));
      const V after = behind(s.sum);
      if constexpr (mode != cpu::output::none) {
        V first, second;
        leaf_.template down<mode == cpu::output::inclusive>(s, carry, after, first, second);
        hn::StoreU(map::from(d_, first), d_, out);
        hn::StoreU(map::from(d_, second), d_, out + lanes);
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

  // Fewer elements than a leaf: the rest is filled with the identity, which no wanted output sees.
  HWY_INLINE void rest(std::size_t n) {
    const auto in_first = hn::FirstN(d_, n);
    const auto in_second = hn::FirstN(d_, n > lanes ? n - lanes : 0);
    const V pad = hn::Set(d_, pad_lane());
    const V x0 = hn::IfThenElse(in_first, map::to(d_, hn::MaskedLoad(in_first, d_, in_)), pad);
    V x1 = pad;
    if (n > lanes)
      x1 = hn::IfThenElse(in_second, map::to(d_, hn::MaskedLoad(in_second, d_, in_ + lanes)), pad);
    const auto s = leaf_.up(x0, x1);
    V first, second;
    leaf_.template down<mode == cpu::output::inclusive>(s, carry_, carry_, first, second);
    first = map::from(d_, first);
    second = map::from(d_, second);
    HWY_ALIGN lane y[leaf];
    hn::Store(first, d_, y);
    hn::Store(second, d_, y + lanes);
    if constexpr (mode != cpu::output::none) {
      hn::BlendedStore(first, in_first, d_, out_);
      if (n > lanes) hn::BlendedStore(second, in_second, d_, out_ + lanes);
    }
    stack_.close(n, std::bit_cast<T>(y[mode == cpu::output::inclusive ? n - 1 : n]));
  }

  HWY_INLINE V load(const lane* p) const { return map::to(d_, hn::LoadU(d_, p)); }
  HWY_INLINE T scalar(V v) const { return std::bit_cast<T>(hn::GetLane(map::from(d_, v))); }
  HWY_INLINE V vector(T v) const { return map::to(d_, hn::Set(d_, std::bit_cast<lane>(v))); }
  HWY_INLINE V prefix() const {
    const T* p = stack_.prefix();
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
  const lane* in_;
  lane* out_;
  prefix_stack<T, ScanOp>& stack_;
  V carry_;
};

#endif  // vectors

template <class T, class ScanOp>
HWY_INLINE void run_any(const T* in, T* out, std::size_t n, prefix_stack<T, ScanOp>& stack,
                        cpu::output mode) {
  using cpu::output;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  cpu::template_run(in, out, n, stack, mode);
#else
  if (mode == output::inclusive)
    tree_run<T, ScanOp, output::inclusive>(in, out, stack).run(n);
  else if (mode == output::exclusive)
    tree_run<T, ScanOp, output::exclusive>(in, out, stack).run(n);
  else
    tree_run<T, ScanOp, output::none>(in, out, stack).run(n);
#endif
}

}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
