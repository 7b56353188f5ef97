// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One line of n elements, on one thread or many. A runner knows where the line's elements are:
//   void run(begin, n, stack, mode)   scans elements [begin, begin + n) as the stack's continuation
//   void put(i, value)                writes one result
// and, where it can sum elsewhere beside a scan,
//   bool fuses()                      whether that is faster than one after the other
//   void run_beside(begin, n, stack, mode, next, sums)   run, and into sums n elements from next on
// staged_line is the runner for values that can be copied as bytes, iterator_line for all others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "upsweep/cpu/array.hpp"
#include "upsweep/cpu/spine.hpp"
#include "upsweep/cpu/threads.hpp"

namespace upsweep::cpu {

// Runner over a source and a sink, converting through a tile in the first-level cache where they
// are not contiguous values of T.
template <class T, class Op>
struct staged_line {
  source<T> in;
  sink<T> out;
  std::ptrdiff_t in_first = 0, in_stride = 1, out_first = 0, out_stride = 1;
  std::optional<T> empty;  // what P(0) is written as; unset where it cannot be asked for
  store how = store::cached;

  static constexpr std::size_t tile = std::max<std::size_t>(64, std::size_t{8192} / sizeof(T));

  void run(std::size_t begin, std::size_t n, prefix_stack<T, Op>& stack, output mode) const {
    const T* const from = in_stride == 1 && in.direct ? in.direct + in_at(begin) : nullptr;
    T* const to = out_stride == 1 && out.direct ? out.direct + out_at(begin) : nullptr;
    if (from && (to || mode == output::none)) {
      piece(from, to, n, stack, mode, how);
      return;
    }
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Op, plus>) {
      if (in.kind == stored::as_f16 && halves(begin, n, f16(), stack, mode)) return;
      if (in.kind == stored::as_bf16 && halves(begin, n, bf16(), stack, mode)) return;
    }
    alignas(std::max<std::size_t>(64, alignof(T))) unsigned char raw[tile * sizeof(T)];
    T* const staged = reinterpret_cast<T*>(raw);
    for (std::size_t i = 0; i < n; i += tile) {
      const std::size_t m = std::min(tile, n - i);
      if (!from) in.load(in.base, in_at(begin + i), in_stride, m, staged);
      T* const target = to ? to + i : staged;
      piece(from ? from + i : staged, target, m, stack, mode, to ? how : store::cached);
      if (!to && mode != output::none)
        out.store(out.base, out_at(begin + i), out_stride, m, target);
    }
  }

  // Kernels that are as fast as memory gain from it; conversions and templates are slower than
  // that.
  bool fuses() const {
    return has_simd_kernel<Op, T> && in_stride == 1 && in.direct && out_stride == 1 && out.direct;
  }
  void run_beside(std::size_t begin, std::size_t n, prefix_stack<T, Op>& stack, output mode,
                  std::size_t next, prefix_stack<T, Op>& sums) const {
    piece(in.direct + in_at(begin), out.direct + out_at(begin), n, stack, mode, how,
          {in.direct + in_at(next), &sums});
  }
  void put(std::size_t i, const T& value) const {
    if (out.direct)
      out.direct[out_at(i)] = value;
    else
      out.store(out.base, out_at(i), 1, 1, &value);
  }

 private:
  // The run where both sides are 16-bit floats of one kind; false where they are not.
  template <class Half>
  bool halves(std::size_t begin, std::size_t n, Half, prefix_stack<T, Op>& stack,
              output mode) const {
    if (in_stride != 1 || (mode != output::none && (out.kind != in.kind || out_stride != 1)))
      return false;
    const bool first = mode == output::exclusive && stack.prefix() == nullptr;
    const Half* const base = static_cast<const Half*>(in.base);
    Half* const to = mode == output::none ? nullptr : static_cast<Half*>(out.base) + out_at(begin);
    simd_run_half(base + in_at(begin), to, n, stack, mode, how);
    if (first && n != 0) to[0] = static_cast<Half>(*empty);
    return true;
  }
  std::ptrdiff_t in_at(std::size_t i) const {
    return in_first + static_cast<std::ptrdiff_t>(i) * in_stride;
  }
  std::ptrdiff_t out_at(std::size_t i) const {
    return out_first + static_cast<std::ptrdiff_t>(i) * out_stride;
  }
  void piece(const T* from, T* to, std::size_t n, prefix_stack<T, Op>& stack, output mode,
             store where, side_sum<T, Op> side = {}) const {
    const bool first = mode == output::exclusive && stack.prefix() == nullptr;
    cpu::run(from, to, n, stack, mode, where, side);
    if (first && n != 0) to[0] = *empty;
  }
};

// Runner over any random-access iterators and any movable T, element by element.
template <class T, class Op, class In, class Out>
struct iterator_line {
  In in;
  Out out;
  std::optional<T> empty;

  void run(std::size_t begin, std::size_t n, prefix_stack<T, Op>& stack, output mode) const {
    const bool first = mode == output::exclusive && stack.prefix() == nullptr;
    const auto at = static_cast<std::iter_difference_t<In>>(begin);
    const auto to = static_cast<std::iter_difference_t<Out>>(begin);
    template_run(in + at, out + (mode == output::none ? 0 : to), n, stack, mode);
    if (first && n != 0) put(begin, *empty);
  }
  void put(std::size_t i, const T& value) const {
    out[static_cast<std::iter_difference_t<Out>>(i)] = static_cast<std::iter_value_t<Out>>(value);
  }
};

namespace detail {

// What the spine asks of a line.
template <class T, class Op, class Runner>
struct line_chunks {
  const Runner& runner;
  const Op& op;
  output mode;
  std::size_t n, chunk;

  bool writes() const { return mode != output::none; }
  T sum(std::size_t c) const {
    prefix_stack<T, Op> stack(op, sums_only{});
    runner.run(c * chunk, chunk, stack, output::none);
    return stack.sum();
  }
  T scan(std::size_t c, const T* carry) const {
    prefix_stack<T, Op> stack(op, carry ? std::optional<T>(*carry) : std::nullopt);
    runner.run(c * chunk, chunk, stack, mode);
    return stack.sum();
  }
  bool fuses() const requires requires(const Runner& r) { r.fuses(); }
  { return runner.fuses(); }
  T scan_and_sum(std::size_t c, const T* carry, std::size_t next) const {
    prefix_stack<T, Op> stack(op, carry ? std::optional<T>(*carry) : std::nullopt);
    prefix_stack<T, Op> sums(op, sums_only{});
    runner.run_beside(c * chunk, chunk, stack, mode, next * chunk, sums);
    return sums.sum();
  }
  T scan_last(std::size_t c, const T* carry) const {
    prefix_stack<T, Op> stack(op, carry ? std::optional<T>(*carry) : std::nullopt);
    runner.run(c * chunk, n - c * chunk, stack, mode);
    return *stack.prefix();
  }
  // The last inclusive result of a chunk is the prefix behind it, whose association the chunk
  // cannot know: it depends on the chunks to the left that the block is merged with.
  void end(std::size_t c, const T& prefix) const {
    if (mode == output::inclusive) runner.put((c + 1) * chunk - 1, prefix);
  }
};

}  // namespace detail

// The chunk that one thread takes at a time, of n items: a power of two of them, so that each
// thread gets about eight, which keeps the first wait and the last short. At most half of the
// second-level cache, and 512 KB for few threads, 256 KB for many (measured, docs/performance.md):
// what a thread holds summed is to be there when it scans it. At least 32 KB.
inline int chunk_level(parallel_policy who, std::size_t n, std::size_t item) {
  constexpr std::size_t least = std::size_t{32} << 10;
  const std::size_t most = std::size_t{workers_of(who) <= 4 ? 512u : 256u} << 10;
  if (who.chunk_log2 > 0) return std::clamp(who.chunk_log2, 6, 62);
  const std::size_t fits = std::max(least, std::min(caches().l2 / 2, most)) / item;
  const std::size_t chunk = std::clamp(n / 8 / workers_of(who), least / item, fits);
  return std::max(6, 63 - std::countl_zero(chunk | 1));
}
inline int chunk_level(sequential_policy, std::size_t, std::size_t) { return 62; }

// Whether n items are too few to be shared: unless the chunk was asked for, starting other threads
// has to be worth it.
inline bool too_few(parallel_policy who, std::size_t n, std::size_t chunk) {
  return n / (who.chunk_log2 > 0 ? 2 : 8) < chunk;
}
inline bool too_few(sequential_policy, std::size_t, std::size_t) { return true; }

// Scans one line of n elements; returns P(n), empty only for n = 0 without init. A line that is
// too short to be shared stays on the calling thread.
template <class T, class Op, class Policy, class Runner>
std::optional<T> scan_line(Policy who, std::size_t n, const Op& op, std::optional<T> init,
                           output mode, const Runner& runner) {
  const int level = chunk_level(who, n, sizeof(T));
  const unsigned workers = workers_of(who);
  const std::size_t chunk = std::size_t{1} << level;
  if (workers <= 1 || too_few(who, n, chunk)) {
    prefix_stack<T, Op> stack(op, std::move(init));
    runner.run(0, n, stack, mode);
    const T* last = stack.prefix();
    return last ? std::optional<T>(*last) : std::nullopt;
  }
  detail::line_chunks<T, Op, Runner> body{runner, op, mode, n, chunk};
  spine<T, Op, decltype(body)> chunks(n / chunk, n % chunk != 0, op, std::move(init), body);
  return chunks.run(static_cast<unsigned>(std::min<std::size_t>(workers, n / chunk + 1)), level);
}

}  // namespace upsweep::cpu
