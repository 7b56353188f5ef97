// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of leaves in the canonical order, for one SIMD target at a time.

#if defined(UPSWEEP_SIMD_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_RUN_INL
#undef UPSWEEP_SIMD_RUN_INL
#else
#define UPSWEEP_SIMD_RUN_INL
#endif

#include <hwy/cache_control.h>

#include <bit>
#include <type_traits>

#include "src/narrow_run-inl.hpp"
#include "src/tree_kernel-inl.hpp"
#include "upsweep/cpu/columns.hpp"

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

// Writes vectors one behind the other past the cache. Such stores need aligned addresses, so where
// out is not aligned each vector is rotated by the misalignment and completed from its neighbour.
template <class D>
class stream_out {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);

 public:
  HWY_INLINE stream_out() : before_(hn::Zero(d_)), pending_(hn::FirstN(d_, 0)) {}

  // Starts at out, which must be aligned to its own size, as any array is.
  HWY_INLINE void begin(T* out) {
    shift_ = reinterpret_cast<std::uintptr_t>(out) % HWY_MAX_BYTES / sizeof(T);
    at_ = out - shift_;
    HWY_ALIGN hwy::MakeSigned<T> from[lanes];
    for (std::size_t l = 0; l < lanes; ++l)
      from[l] = static_cast<hwy::MakeSigned<T>>((l + lanes - shift_) % lanes);
    rotate_ = hn::SetTableIndices(d_, from);
    pending_ = hn::FirstN(d_, shift_);
    first_ = shift_ != 0;
  }
  HWY_INLINE void put(V v) {
    if (shift_ == 0) {
      hn::Stream(v, d_, at_);
    } else {
      const V rotated = hn::TableLookupLanes(v, rotate_);
      if (HWY_UNLIKELY(first_))
        store_lanes(d_, shift_, lanes, rotated, at_);
      else
        hn::Stream(hn::IfThenElse(pending_, before_, rotated), d_, at_);
      before_ = rotated;
      first_ = false;
    }
    at_ += lanes;
  }
  // Completes the last vector.
  HWY_INLINE void end() {
    if (shift_ != 0 && !first_) store_lanes(d_, 0, shift_, before_, at_);
  }

 private:
  D d_;
  T* at_ = nullptr;
  std::size_t shift_ = 0;
  bool first_ = false;
  V before_;
  hn::Mask<D> pending_;
  decltype(hn::SetTableIndices(D{}, static_cast<const hwy::MakeSigned<T>*>(nullptr))) rotate_;
};

// One run over in[0, n); see cpu::simd_run.
template <class T, class ScanOp, cpu::output mode>
class tree_run {
  using map = lanes_of<T, ScanOp>;
  using lane = typename map::lane;
  using op = typename map::op;
  using D = hn::ScalableTag<lane>;
  using V = hn::Vec<D>;
  using kernel = leaf_kernel<D, op>;
  static constexpr std::size_t lanes = kernel::lanes, vectors = kernel::vectors;
  static constexpr int leaf_level = std::countr_zero(kernel::size);
  static constexpr int node_level = 2;  // leaves joined in registers: 4

 public:
  static constexpr std::size_t leaf = kernel::size;

  HWY_INLINE tree_run() : carry_(hn::Zero(d_)) {}

  HWY_INLINE void run(const T* in, T* out, std::size_t n, prefix_stack<T, ScanOp>& stack,
                      cpu::store how) {
    in_ = reinterpret_cast<const lane*>(in);
    out_ = reinterpret_cast<lane*>(out);
    stack_ = &stack;
    carry_ = prefix();
    constexpr std::size_t node = leaf << node_level;
    streams_ = mode != cpu::output::none && how == cpu::store::streaming;
    if (streams_) stream_.begin(out_);
    for (; n >= node; n -= node, in_ += node, out_ += node) whole<node_level>();
    for (; n >= leaf; n -= leaf, in_ += leaf, out_ += leaf) whole<0>();
    if (streams_) stream_.end();
    if (n != 0) stack_->close(n, part_of_leaf(n));
  }

  // A whole scan of at most one leaf after the prefix carry; returns the prefix behind it.
  HWY_INLINE T one_leaf(const T* in, T* out, std::size_t n, T carry) {
    in_ = reinterpret_cast<const lane*>(in);
    out_ = reinterpret_cast<lane*>(out);
    carry_ = vector(carry);
    return n == leaf ? full_leaf() : part_of_leaf(n);
  }

 private:
  HWY_INLINE T full_leaf() {
    V x[vectors];
    for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in_ + v * lanes);
    const auto s = leaf_.up(x);
    const V after = op::apply(carry_, s.sum);
    if constexpr (mode != cpu::output::none) {
      leaf_.template down<mode == cpu::output::inclusive>(s, carry_, after, x);
      for (std::size_t v = 0; v < vectors; ++v)
        hn::StoreU(map::from(d_, x[v]), d_, out_ + v * lanes);
    }
    return scalar(after);
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
  HWY_INLINE V node(const lane* in, lane* out, V carry, Behind& behind) {
    if constexpr (level == 0) {
      V x[vectors];
      for (std::size_t v = 0; v < vectors; ++v) x[v] = load(in + v * lanes);
      const auto s = leaf_.up(x);
      const V after = behind(s.sum);
      if constexpr (mode != cpu::output::none) {
        leaf_.template down<mode == cpu::output::inclusive>(s, carry, after, x);
        for (std::size_t v = 0; v < vectors; ++v) {
          const V y = map::from(d_, x[v]);
          if (streams_)
            stream_.put(y);
          else
            hn::StoreU(y, d_, out + v * lanes);
        }
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
  // Returns the prefix behind the n elements.
  HWY_INLINE T part_of_leaf(std::size_t n) {
    const V pad = hn::Set(d_, pad_lane());
    const V raw_pad = map::from(d_, pad);
    V x[vectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v)
      x[v] = v * lanes < n ? map::to(d_, load_first(d_, n - v * lanes, in_ + v * lanes, raw_pad))
                           : pad;
    const auto s = leaf_.up(x);
    leaf_.template down<mode == cpu::output::inclusive>(s, carry_, carry_, x);
    HWY_ALIGN lane y[leaf];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      x[v] = map::from(d_, x[v]);
      hn::Store(x[v], d_, y + v * lanes);
      if (mode != cpu::output::none && v * lanes < n)
        store_lanes(d_, 0, n - v * lanes, x[v], out_ + v * lanes);
    }
    return std::bit_cast<T>(y[mode == cpu::output::inclusive ? n - 1 : n]);
  }
  HWY_INLINE V load(const lane* p) const { return map::to(d_, hn::LoadU(d_, p)); }
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
  const lane* in_ = nullptr;
  lane* out_ = nullptr;
  prefix_stack<T, ScanOp>* stack_ = nullptr;
  stream_out<D> stream_;
  bool streams_ = false;
  V carry_;
};

// Eight rows of a strip of columns; see cpu::row_step. All operations are vertical.
template <class T, class ScanOp>
class column_step {
  using map = lanes_of<T, ScanOp>;
  using lane = typename map::lane;
  using op = typename map::op;
  using D = hn::ScalableTag<lane>;
  using V = hn::Vec<D>;

 public:
  static constexpr std::size_t lanes = HWY_MAX_BYTES / sizeof(T);

  HWY_INLINE explicit column_step(const cpu::row_step<T>& step) : s_(step), streams_(aligned()) {}

  // Columns [c, c + lanes).
  template <cpu::output mode>
  HWY_INLINE void columns(std::size_t c) const {
    // Rows may be pages apart, where no processor looks ahead by itself.
    if (s_.ahead != 0)
      for (const T* row : s_.in) __builtin_prefetch(row + c + s_.ahead, 0, 2);
    const V x0 = load(s_.in[0] + c), x1 = load(s_.in[1] + c), x2 = load(s_.in[2] + c);
    const V x3 = load(s_.in[3] + c), x4 = load(s_.in[4] + c), x5 = load(s_.in[5] + c);
    const V x6 = load(s_.in[6] + c), x7 = load(s_.in[7] + c);
    const V s01 = op::apply(x0, x1), s23 = op::apply(x2, x3);
    const V s45 = op::apply(x4, x5), s67 = op::apply(x6, x7);
    const V s03 = op::apply(s01, s23), s47 = op::apply(s45, s67);
    hn::StoreU(map::from(d_, op::apply(s03, s47)), d_, to_lanes(s_.sum + c));
    if constexpr (mode != cpu::output::none) {
      constexpr std::size_t shift = mode == cpu::output::exclusive ? 1 : 0;
      const V p0 = load(s_.carry + c);
      const V p2 = op::apply(p0, s01), p4 = op::apply(p0, s03), p6 = op::apply(p4, s45);
      if constexpr (shift != 0) put(0, c, p0);
      put(0 + shift, c, op::apply(p0, x0));
      put(1 + shift, c, p2);
      put(2 + shift, c, op::apply(p2, x2));
      put(3 + shift, c, p4);
      put(4 + shift, c, op::apply(p4, x4));
      put(5 + shift, c, p6);
      put(6 + shift, c, op::apply(p6, x6));
    }
  }

 private:
  static HWY_INLINE lane* to_lanes(T* p) { return reinterpret_cast<lane*>(p); }
  HWY_INLINE V load(const T* p) const {
    return map::to(d_, hn::LoadU(d_, reinterpret_cast<const lane*>(p)));
  }
  HWY_INLINE void put(std::size_t row, std::size_t c, V v) const {
    lane* const p = to_lanes(s_.out[row] + c);
    if (streams_)
      hn::Stream(map::from(d_, v), d_, p);
    else
      hn::StoreU(map::from(d_, v), d_, p);
  }
  HWY_INLINE bool aligned() const {
    if (s_.how != cpu::store::streaming || s_.mode == cpu::output::none) return false;
    for (const T* row : s_.out)
      if (reinterpret_cast<std::uintptr_t>(row) % HWY_MAX_BYTES != 0) return false;
    return true;
  }

  D d_;
  const cpu::row_step<T>& s_;
  bool streams_;
};

#endif  // vectors

// Calls f with the mode as a compile-time constant.
template <class F>
HWY_INLINE void with_mode(cpu::output mode, const F& f) {
  using cpu::output;
  if (mode == output::inclusive)
    f(std::integral_constant<output, output::inclusive>{});
  else if (mode == output::exclusive)
    f(std::integral_constant<output, output::exclusive>{});
  else
    f(std::integral_constant<output, output::none>{});
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
template <class T, class ScanOp>
void run_any(const T* in, T* out, std::size_t n, prefix_stack<T, ScanOp>& stack, cpu::output mode,
             cpu::store) {
  cpu::template_run(in, out, n, stack, mode);
}
template <class T, class ScanOp>
void step_any(const cpu::row_step<T>& step) {
  cpu::detail::template_step(step, ScanOp{});
}
template <class T, class ScanOp>
void combine_any(const T* left, const T* right, T* to, std::size_t w) {
  for (std::size_t i = 0; i < w; ++i) to[i] = ScanOp{}(left[i], right[i]);
}
template <class T, class ScanOp>
void rows_any(const cpu::row_block<T>& rows, cpu::output mode, cpu::store) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    prefix_stack<T, ScanOp> stack{ScanOp{}, rows.init};
    cpu::template_run(rows.in_row(r), rows.out_row(r), rows.n, stack, mode);
    rows.finish(r, stack.prefix(), mode);
  }
}
#else
template <class T, class ScanOp, cpu::output mode>
using runner = std::conditional_t<(sizeof(T) < 4), narrow_run<T, mode>, tree_run<T, ScanOp, mode>>;

template <class T, class ScanOp>
HWY_INLINE void step_any(const cpu::row_step<T>& step) {
  if constexpr (sizeof(T) < 4) {
    cpu::detail::template_step(step, ScanOp{});
  } else {
    using steps = column_step<T, ScanOp>;
    const steps all(step);
    std::size_t c = 0;
    with_mode(step.mode, [&](auto m) HWY_ATTR {
      for (; c + steps::lanes <= step.w; c += steps::lanes)
        all.template columns<decltype(m)::value>(c);
    });
    if (c < step.w) cpu::detail::template_step(step.from(c), ScanOp{});
  }
}
template <class T, class ScanOp>
HWY_INLINE void combine_any(const T* left, const T* right, T* to, std::size_t w) {
  std::size_t i = 0;
  if constexpr (sizeof(T) >= 4) {
    using map = lanes_of<T, ScanOp>;
    using lane = typename map::lane;
    const hn::ScalableTag<lane> d;
    const auto load = [&](const T* p) HWY_ATTR {
      return map::to(d, hn::LoadU(d, reinterpret_cast<const lane*>(p + i)));
    };
    for (; i + hn::Lanes(d) <= w; i += hn::Lanes(d))
      hn::StoreU(map::from(d, map::op::apply(load(left), load(right))), d,
                 reinterpret_cast<lane*>(to + i));
  }
  for (; i < w; ++i) to[i] = ScanOp{}(left[i], right[i]);
}

template <class T, class ScanOp>
HWY_INLINE void run_any(const T* in, T* out, std::size_t n, prefix_stack<T, ScanOp>& stack,
                        cpu::output mode, cpu::store how) {
  with_mode(mode, [&](auto m) HWY_ATTR {
    runner<T, ScanOp, decltype(m)::value> run;
    run.run(in, out, n, stack, how);
  });
  if (how == cpu::store::streaming) hwy::FlushStream();
}
template <class T, class ScanOp>
HWY_INLINE void rows_any(const cpu::row_block<T>& rows, cpu::output mode, cpu::store how) {
  with_mode(mode, [&](auto m) HWY_ATTR {
    runner<T, ScanOp, decltype(m)::value> run;
    if constexpr (sizeof(T) >= 4) {
      if (rows.n != 0 && rows.n <= run.leaf) {
        const T carry = rows.init ? *rows.init : ScanOp::template identity<T>();
        for (std::size_t r = 0; r < rows.rows; ++r) {
          const T prefix = run.one_leaf(rows.in_row(r), rows.out_row(r), rows.n, carry);
          rows.finish(r, &prefix, mode);
        }
        return;
      }
    }
    for (std::size_t r = 0; r < rows.rows; ++r) {
      prefix_stack<T, ScanOp> stack{ScanOp{}, rows.init};
      run.run(rows.in_row(r), rows.out_row(r), rows.n, stack, how);
      rows.finish(r, stack.prefix(), mode);
    }
  });
  if (how == cpu::store::streaming) hwy::FlushStream();
}
#endif

}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard

// Defines the kernel of one (T, Op) for each target and, once, cpu::simd_run and cpu::simd_rows,
// which call the best.
#ifndef UPSWEEP_SIMD_RUN_TARGET
#define UPSWEEP_SIMD_RUN_TARGET(name, T, Op)                                                  \
  HWY_BEFORE_NAMESPACE();                                                                     \
  namespace upsweep::HWY_NAMESPACE {                                                          \
  void name(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, cpu::output mode, \
            cpu::store how) {                                                                 \
    run_any<T, Op>(in, out, n, stack, mode, how);                                             \
  }                                                                                           \
  void name##_rows(const cpu::row_block<T>& rows, Op, cpu::output mode, cpu::store how) {     \
    rows_any<T, Op>(rows, mode, how);                                                         \
  }                                                                                           \
  void name##_step(const cpu::row_step<T>& step, Op) { step_any<T, Op>(step); }               \
  void name##_combine(const T* left, const T* right, T* to, std::size_t w) {                  \
    combine_any<T, Op>(left, right, to, w);                                                   \
  }                                                                                           \
  }                                                                                           \
  HWY_AFTER_NAMESPACE();
#define UPSWEEP_SIMD_RUN_ONCE(name, T, Op)                                             \
  namespace upsweep {                                                                  \
  HWY_EXPORT(name);                                                                    \
  HWY_EXPORT(name##_rows);                                                             \
  HWY_EXPORT(name##_step);                                                             \
  HWY_EXPORT(name##_combine);                                                          \
  namespace cpu {                                                                      \
  template <>                                                                          \
  void simd_run<T, Op>(const T* in, T* out, std::size_t n, prefix_stack<T, Op>& stack, \
                       output mode, store how) {                                       \
    HWY_DYNAMIC_DISPATCH(name)(in, out, n, stack, mode, how);                          \
  }                                                                                    \
  template <>                                                                          \
  void simd_rows<T, Op>(const row_block<T>& rows, Op op, output mode, store how) {     \
    HWY_DYNAMIC_DISPATCH(name##_rows)(rows, op, mode, how);                            \
  }                                                                                    \
  template <>                                                                          \
  void simd_step<T, Op>(const row_step<T>& step, Op op) {                              \
    HWY_DYNAMIC_DISPATCH(name##_step)(step, op);                                       \
  }                                                                                    \
  template <>                                                                          \
  void simd_combine<T, Op>(const T* left, const T* right, T* to, std::size_t w, Op) {  \
    HWY_DYNAMIC_DISPATCH(name##_combine)(left, right, to, w);                          \
  }                                                                                    \
  }                                                                                    \
  }
#endif
#undef UPSWEEP_SIMD_RUN
#if HWY_ONCE
#define UPSWEEP_SIMD_RUN(name, T, Op) \
  UPSWEEP_SIMD_RUN_TARGET(name, T, Op) UPSWEEP_SIMD_RUN_ONCE(name, T, Op)
#else
#define UPSWEEP_SIMD_RUN(name, T, Op) UPSWEEP_SIMD_RUN_TARGET(name, T, Op)
#endif
