// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs a scan, and in which type it accumulates.
#pragma once

#include <type_traits>

#include "upsweep/float16.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

// The calling thread.
struct sequential_policy {};
inline constexpr sequential_policy seq{};

// Several threads. threads = 0 means all cores, and so does on(0); chunk_log2 = 0 lets the engine
// choose the chunk of 2^chunk_log2 elements (2^6 to 2^62) that one thread takes at a time. Neither
// changes a bit of the result.
struct parallel_policy {
  unsigned threads = 0;
  int chunk_log2 = 0;

  constexpr parallel_policy on(unsigned count) const { return {count, chunk_log2}; }
  constexpr parallel_policy with_chunk(int log2) const { return {threads, log2}; }
};
inline constexpr parallel_policy par{};

template <class P>
concept cpu_policy = std::is_same_v<std::remove_cvref_t<P>, sequential_policy> ||
    std::is_same_v<std::remove_cvref_t<P>, parallel_policy>;

namespace detail {

struct no_init {};  // stands for an init that was not given

template <class T>
using widened_t = std::conditional_t<std::is_same_v<T, f16> || std::is_same_v<T, bf16>, float, T>;

template <class Op>
inline constexpr bool is_logical =
    std::is_same_v<Op, logical_and> || std::is_same_v<Op, logical_or>;

}  // namespace detail

// The type a scan accumulates in: the type of init when given, else the output's value type; float
// for the 16-bit floats, bool for the logical operators. Elements are converted to it on load and
// from it on store.
template <class Op, class Out, class Init = detail::no_init>
using accumulator_t = std::conditional_t<
    detail::is_logical<Op>, bool,
    detail::widened_t<std::conditional_t<std::is_same_v<Init, detail::no_init>, Out, Init>>>;

}  // namespace upsweep
