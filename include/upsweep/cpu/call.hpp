// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a public call to the CPU engine: which accumulator, which source and sink, what is refused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/arguments.hpp"
#include "upsweep/cpu/engine.hpp"
#include "upsweep/geometry.hpp"
#include "upsweep/policy.hpp"

namespace upsweep::detail {

template <class T, class It>
cpu::source<T> source_of(const It& it) {
  if constexpr (in_memory<It>)
    return cpu::make_source<T>(address(it));
  else
    return cpu::iterator_source<T>(it);
}
template <class T, class It>
cpu::sink<T> sink_of(It& it) {
  if constexpr (in_memory<It>)
    return cpu::make_sink<T>(address(it));
  else
    return cpu::iterator_sink<T>(it);
}

// A line of values that can be copied as bytes goes through tiles, any other element by element.
template <class T>
inline constexpr bool staged = std::is_trivially_copyable_v<T>;

// Lines up to this size are scanned without the engine's set-up: they stay on the calling thread.
inline constexpr std::size_t small_bytes = std::size_t{1} << 17;

// Scans a small line of contiguous accumulators; returns P(n), or nothing where there is no prefix.
template <cpu::output mode, class T, class Op>
std::optional<T> scan_small(const T* in, T* out, std::size_t n, const Op& op,
                            const std::optional<T>& init, const std::optional<T>& empty) {
  if constexpr (has_identity<Op, T> && std::is_default_constructible_v<T>) {
    if (n != 0 && n < cpu::tiny_line<Op, T>) {
      const T start = init ? *init : static_cast<T>(Op::template identity<T>());
      const T last = cpu::tiny_run(in, out, n, start, op, mode);
      if (mode == cpu::output::exclusive && !init) out[0] = *empty;
      return last;
    }
  }
  prefix_stack<T, Op> stack(op, init);
  cpu::run(in, out, n, stack, mode);
  if (mode == cpu::output::exclusive && !init && n != 0) out[0] = *empty;
  return stack.prefix() ? std::optional<T>(*stack.prefix()) : std::nullopt;
}

// A chunk that was asked for is made, however small the line.
inline bool is_small_for(sequential_policy) { return true; }
inline bool is_small_for(parallel_policy who) { return who.chunk_log2 == 0; }

// A scan whose types have been checked.
template <cpu::output mode, class T, class P, class In, class Out, class Op>
void checked_scan(const P& who, In first, std::size_t n, Out out, bool total, const Op& op,
                  std::optional<T> init) {
  const std::optional<T> empty = empty_of<T, Op>();
  const auto put_total = [&](const std::optional<T>& last_prefix) {
    const auto at = static_cast<std::iter_difference_t<Out>>(n);
    if (total) out[at] = static_cast<std::iter_value_t<Out>>(last_prefix ? *last_prefix : *empty);
  };
  if constexpr (staged<T> && std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
                std::is_same_v<std::iter_value_t<In>, T> &&
                std::is_same_v<std::iter_value_t<Out>, T>) {
    if (n * sizeof(T) <= small_bytes && is_small_for(who)) {
      put_total(scan_small<mode>(static_cast<const T*>(std::to_address(first)),
                                 static_cast<T*>(std::to_address(out)), n, op, init, empty));
      return;
    }
  }
  if constexpr (staged<T>) {
    const auto in = source_of<T>(first);
    const auto to = sink_of<T>(out);
    const cpu::store how = cpu::store_for(2 * n * sizeof(T), in.base == to.base);
    const cpu::staged_line<T, Op> line{
        in, to, first_from<In>, step_of<In>, first_from<Out>, step_of<Out>, empty, how};
    put_total(cpu::scan_line<T, Op>(who, n, op, std::move(init), mode, line));
  } else {
    const cpu::iterator_line<T, Op, In, Out> line{first, out, empty};
    put_total(cpu::scan_line<T, Op>(who, n, op, std::move(init), mode, line));
  }
}

template <cpu::output mode, class P, class In, class Out, class Op0, class Init>
void scan_call(const P& who, In first, In last, Out out, bool total, const Op0& op0,
               const Init& init) {
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using T = accumulator_t<Op, std::iter_value_t<Out>, Init>;
  constexpr bool exclusive = mode == cpu::output::exclusive;
  if constexpr (check_operator<T, Op>() && check_init<exclusive, T, Op, Init>() &&
                check_output<Out, T>()) {
    const std::size_t n = length_of(first, last);
    if constexpr (in_memory<In> && in_memory<Out>) {
      const bool same = sizeof(std::iter_value_t<In>) == sizeof(std::iter_value_t<Out>) &&
                        is_reversed<In> == is_reversed<Out> &&
                        static_cast<const void*>(address(first)) == address(out);
      refuse_overlap(bytes_of(first, n), bytes_of(out, n + (total ? 1 : 0)), same);
    }
    // Outputs that are no objects of their own, such as the bits of a vector<bool>, share words.
    if constexpr (std::is_reference_v<std::iter_reference_t<Out>>)
      checked_scan<mode, T>(who, first, n, out, total, op, init_value<T>(init));
    else
      checked_scan<mode, T>(seq, first, n, out, total, op, init_value<T>(init));
  }
}

template <class P, class In, class Op0, class Init>
auto reduce_call(const P& who, In first, In last, const Op0& op0, const Init& init0) {
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using T = accumulator_t<Op, std::iter_value_t<In>, Init>;
  if constexpr (!check_operator<T, Op>()) return T();
  const std::size_t n = length_of(first, last);
  std::optional<T> init = init_value<T>(init0), sum;
  if constexpr (staged<T>) {
    cpu::staged_line<T, Op> line;
    line.in = source_of<T>(first);
    line.in_first = first_from<In>;
    line.in_stride = step_of<In>;
    sum = cpu::scan_line<T, Op>(who, n, op, std::move(init), cpu::output::none, line);
  } else {
    const cpu::iterator_line<T, Op, In, T*> line{first, nullptr, std::nullopt};
    sum = cpu::scan_line<T, Op>(who, n, op, std::move(init), cpu::output::none, line);
  }
  if (!sum) sum = empty_of<T, Op>();
  if (!sum) detail::refuse("upsweep: reduce of nothing needs an init with this operator");
  return *std::move(sum);
}

template <cpu::output mode>
inline constexpr lines_to lines_of = mode == cpu::output::none        ? lines_to::one_value
                                     : mode == cpu::output::exclusive ? lines_to::exclusive
                                                                      : lines_to::inclusive;

template <cpu::output mode, class T, class P, class In, class Out, class Op>
void checked_array(const P& who, const array_view<In>& in, const array_view<Out>& out, int axis,
                   const Op& op, const std::optional<T>& init) {
  const geometry g = geometry_of(in, out, axis, lines_of<mode>);
  const parallel_policy threads = cpu::parallel(who);
  const std::optional<T> empty = empty_of<T, Op>();
  if (mode == cpu::output::none && in.extent(g.axis) == 0 && !empty && !init)
    detail::refuse("upsweep: reduce of nothing needs an init with this operator");
  cpu::scan_array<T, Op>(threads, cpu::make_source<T>(in.data()), cpu::make_sink<T>(out.data()), g,
                         mode, op, init, empty);
}

template <cpu::output mode, class P, class In, class Out, class Op0, class Init>
void array_call(const P& who, const array_view<In>& in, const array_view<Out>& out, int axis,
                const Op0& op0, const Init& init0) {
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using T = accumulator_t<Op, Out, Init>;
  static_assert(staged<T> && std::is_default_constructible_v<T>,
                "upsweep: arrays hold values that can be copied as bytes and made from nothing");
  constexpr bool exclusive = mode == cpu::output::exclusive;
  if constexpr (check_operator<T, Op>() && check_init<exclusive, T, Op, Init>() &&
                check_output<Out*, T>())
    checked_array<mode, T>(who, in, out, axis, op, init_value<T>(init0));
}

}  // namespace upsweep::detail
