// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the kernels of one SIMD target to the functions that the engine calls, for each (T, Op).

#if defined(UPSWEEP_SIMD_RUN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_RUN_INL
#undef UPSWEEP_SIMD_RUN_INL
#else
#define UPSWEEP_SIMD_RUN_INL
#endif

#include <hwy/cache_control.h>

#include <type_traits>

#include "src/column_step-inl.hpp"
#include "src/narrow_run-inl.hpp"
#include "src/tree_run-inl.hpp"
#include "upsweep/cpu/columns.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {

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
             cpu::store, cpu::side_sum<T, ScanOp> side) {
  cpu::template_run(in, out, n, stack, mode);
  if (side.in) cpu::template_run(side.in, out, n, *side.stack, cpu::output::none);
}
// One element at a time.
template <class Half>
void run_half(const Half* in, Half* out, std::size_t n, prefix_stack<float, plus>& stack,
              cpu::output mode, cpu::store) {
  for (std::size_t i = 0; i < n; ++i) {
    const float x = in[i];
    if (mode == cpu::output::exclusive)
      out[i] = Half(stack.prefix() ? *stack.prefix() : plus::identity<float>());
    stack.push(0, x);
    if (mode == cpu::output::inclusive) out[i] = Half(*stack.prefix());
  }
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
      for (; c + steps::width <= step.w; c += steps::width)
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
                        cpu::output mode, cpu::store how, cpu::side_sum<T, ScanOp> side) {
  with_mode(mode, [&](auto m) HWY_ATTR {
    runner<T, ScanOp, decltype(m)::value> run;
    run.run(in, out, n, stack, how, side);
  });
  if (how == cpu::store::streaming) hwy::FlushStream();
}
template <class Half>
HWY_INLINE void run_half(const Half* in, Half* out, std::size_t n, prefix_stack<float, plus>& stack,
                         cpu::output mode, cpu::store how) {
  with_mode(mode, [&](auto m) HWY_ATTR {
    tree_run<float, plus, decltype(m)::value, Half> run;
    run.run(in, out, n, stack, how, {});
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
          const T prefix = run.one_leaf(rows.in_row(r), rows.out_row(r), rows.n, carry, how);
          rows.finish(r, &prefix, mode);
        }
        return;
      }
    }
    for (std::size_t r = 0; r < rows.rows; ++r) {
      prefix_stack<T, ScanOp> stack{ScanOp{}, rows.init};
      run.run(rows.in_row(r), rows.out_row(r), rows.n, stack, how, {});
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
            cpu::store how, cpu::side_sum<T, Op> side) {                                      \
    run_any<T, Op>(in, out, n, stack, mode, how, side);                                       \
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
                       output mode, store how, side_sum<T, Op> side) {                 \
    HWY_DYNAMIC_DISPATCH(name)(in, out, n, stack, mode, how, side);                    \
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
