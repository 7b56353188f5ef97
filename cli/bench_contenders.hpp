// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contenders for one element type: a template that the bench_types_*.cpp instantiate, a few
// types each, since the parallel algorithms of the standard library are slow to compile.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/bench_check.hpp"
#include "cli/bench_copy.hpp"
#include "cli/bench_engines.hpp"
#include "cli/bench_rivals.hpp"
#include "upsweep/array_view.hpp"
#include "upsweep/scan.hpp"

namespace cli::bench {

// The call, as often as asked. The compiler has to take memory as read and written by something
// else between two calls, so that it can neither merge them nor drop one.
template <class Call>
auto repeated(Call call) {
  return [call](std::size_t times) {
    for (; times != 0; --times) {
      call();
      asm volatile("" ::: "memory");
    }
  };
}

inline void add_copies(const workload& w, std::size_t bytes, std::vector<contender>& to) {
  const auto verify = [w, bytes] {
    if (std::memcmp(w.in, w.out, bytes) != 0) throw run_time_failure("bench: a copy is wrong");
  };
  const auto add = [&](std::string_view name, auto copy) {
    to.push_back({std::string(name), repeated(copy), verify});
  };
  add("memcpy-1", [w, bytes] { std::memcpy(w.out, w.in, bytes); });
  add("memcpy-all", [w, bytes] { memcpy_all(w.out, w.in, bytes, w.threads); });
  add("stream-copy-1", [w, bytes] { stream_copy(w.out, w.in, bytes); });
  add("stream-copy-all", [w, bytes] { stream_copy_all(w.out, w.in, bytes, w.threads); });
}

template <class T, class Op>
void add_rivals(const workload& w, std::vector<contender>& to) {
  const T* in = static_cast<const T*>(w.in);
  T* out = static_cast<T*>(w.out);
  const T first = upsweep::empty_value<Op, T>();
  const standard_operator_t<T, Op> op{};
  const bool exclusive = w.exclusive();
  const auto add = [&](std::string_view name, auto scan) {
    const auto verify = [w, name] { check_against_reference<T, Op>(w, name); };
    to.push_back({std::string(name), repeated(scan), verify});
  };
  if (w.shape) {
    add("std", [=, shape = *w.shape] { std_scan_2d(in, out, shape, exclusive, first, op); });
    return;
  }
  const std::size_t n = w.n;
  add("std", [=] { std_scan(in, out, n, exclusive, first, op); });
  if constexpr (std_parallel_is_right<T, Op>)
    add("std-par", [=] { std_parallel_scan(in, out, n, exclusive, first, op); });
  add("tbb", [=] { tbb_scan(in, out, n, exclusive, first, op); });
}

// Upsweep's own call, as a user writes it.
template <class T, class Op, class Policy>
void upsweep_scan(const workload& w, Policy policy) {
  const T* in = static_cast<const T*>(w.in);
  T* out = static_cast<T*>(w.out);
  if (w.shape) {
    const upsweep::array_view<const T> from(in, {w.shape->rows, w.shape->columns});
    const upsweep::array_view<T> into(out, {w.shape->rows, w.shape->columns});
    if (w.exclusive())
      upsweep::exclusive_scan(policy, from, into, w.shape->axis, Op{});
    else
      upsweep::inclusive_scan(policy, from, into, w.shape->axis, Op{});
  } else if (w.exclusive()) {
    upsweep::exclusive_scan(policy, in, in + w.n, out, Op{});
  } else {
    upsweep::inclusive_scan(policy, in, in + w.n, out, Op{});
  }
}

// Right, and the same bits from every Upsweep engine: the first to be verified leaves a hash.
template <class T, class Op>
void add_upsweep(const workload& w, std::vector<contender>& to) {
  const auto bits = std::make_shared<std::optional<std::uint64_t>>();
  const auto add = [&](std::string_view name, auto policy) {
    const auto verify = [w, name, bits] {
      check_against_reference<T, Op>(w, name);
      const std::uint64_t hash = hash_of(w.out, w.n * sizeof(T));
      if (bits->value_or(hash) != hash)
        throw run_time_failure(
            fmt::format("bench: {} gives other bits than the engine before it: "
                        "{} {} of {} {}",
                        name, w.kind, w.op, w.n, w.type));
      *bits = hash;
    };
    to.push_back({std::string(name), repeated([=] { upsweep_scan<T, Op>(w, policy); }), verify});
  };
  add("upsweep-seq", upsweep::seq);
  add("upsweep-par", upsweep::par.on(w.threads));
}

template <class F>
auto with_operator(std::string_view name, F f) {
  if (name == "sum") return f(upsweep::plus{});
  if (name == "prod") return f(upsweep::multiplies{});
  if (name == "min") return f(upsweep::minimum{});
  return f(upsweep::maximum{});
}

template <class T>
std::vector<contender> contenders_of(const workload& w) {
  std::vector<contender> all;
  add_copies(w, w.n * sizeof(T), all);
  with_operator(w.op, [&](auto op) {
    using Op = decltype(op);
    // The standard library has no scan that accumulates 16-bit floats in a wider type.
    if constexpr (std::is_arithmetic_v<T>) add_rivals<T, Op>(w, all);
    add_upsweep<T, Op>(w, all);
  });
  return all;
}

template <class T>
void fill(const workload& w) {
  fill_input(static_cast<T*>(w.in), w.n, w.op == "prod");
}

}  // namespace cli::bench
