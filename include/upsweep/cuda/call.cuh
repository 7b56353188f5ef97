// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a public call to the CUDA engine: which accumulator, where the lines lie, what is refused.
#pragma once

#include <cstdint>
#include <string>

#include "upsweep/arguments.hpp"
#include "upsweep/cuda/array_engine.cuh"

namespace upsweep::cuda {

// Who runs a scan: a stream of the current device, with a workspace on that device.
struct device_policy {
  cudaStream_t stream = nullptr;
  workspace* space = nullptr;
  path which = path::best;

  // Forces a path, for tests and measurements. No path changes a bit of the result.
  device_policy by(path chosen) const { return {stream, space, chosen}; }
};

// Scans on this stream, asynchronously and in its order: one kernel launch a call, no allocation,
// no synchronisation. The workspace must outlive the work.
inline device_policy on(cudaStream_t stream, workspace& space) { return {stream, &space}; }

// A number of elements that lives in device memory and is read when the scan runs. It is at most
// `at_most`: what is beyond is not scanned. It must not lie where results go, nor be written by
// others meanwhile.
struct device_length {
  const std::uint64_t* count = nullptr;
  std::uint64_t at_most = 0;
};

}  // namespace upsweep::cuda

namespace upsweep {

template <class P>
concept cuda_policy = std::is_same_v<std::remove_cvref_t<P>, cuda::device_policy>;

namespace detail {

inline cuda::device_length length_of_call(const cuda::device_length& n) { return n; }
inline cuda::device_length length_of_call(std::uint64_t n) { return {nullptr, n}; }

inline void refuse_changing_length(const cuda::device_length& n, byte_range out) {
  if (n.count != nullptr && overlap(bytes_of(n.count, 1), out))
    throw argument_error("upsweep: the length on the device lies where results go");
}

template <class T, class Op, class... Items>
constexpr bool check_device_type() {
  static_assert(
      ((std::is_trivially_copyable_v<Items> && std::is_default_constructible_v<Items>) && ...),
      "upsweep: on a device items are copied as bytes and made from nothing");
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                "upsweep: on a device accumulators are copied as bytes and made from nothing");
  static_assert(sizeof(T) <= 64, "upsweep: on a device an accumulator has at most 64 bytes");
  static_assert(std::is_trivially_copyable_v<Op>,
                "upsweep: on a device an operator is copied as bytes");
  return true;
}

// The parts of a problem that depend on operator and init alone.
template <class In, class Out, class T, class Op, class Init>
cuda::problem<In, Out, T, Op> problem_of(cuda::result what, const Op& op, const Init& init) {
  cuda::problem<In, Out, T, Op> p{.what = what, .op = op};
  if constexpr (has_empty<Op, T>) p.empty = empty_value<Op, T>();
  if constexpr (!std::is_same_v<Init, no_init>) {
    p.start = static_cast<T>(init);
    p.has_start = p.has_init = true;
  } else if constexpr (cuda::harmless<Op, T>) {
    p.start = Op::template identity<T>();
    p.has_start = true;
  }
  return p;
}

enum class total { none, after };

template <cuda::result what, class In, class Out, class Op0, class Init>
void device_scan(const cuda::device_policy& who, const In& first, const cuda::device_length& n,
                 const Out& out, total sum, const Op0& op0, const Init& init) {
  static_assert(
      in_memory<In> && in_memory<Out>,
      "upsweep: on a device, arrays are pointers, contiguous iterators, or those reversed");
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using InT = std::iter_value_t<In>;
  using OutT = std::iter_value_t<Out>;
  using T = accumulator_t<Op, OutT, Init>;
  constexpr bool exclusive = what == cuda::result::exclusive;
  if constexpr (check_operator<T, Op>() && check_init<exclusive, T, Op, Init>() &&
                check_device_type<T, Op, InT, OutT>()) {
    const std::size_t length = n.at_most, extra = sum == total::after ? 1 : 0;
    const bool same = sizeof(InT) == sizeof(OutT) && is_reversed<In> == is_reversed<Out> &&
                      static_cast<const void*>(address(first)) == address(out);
    refuse_overlap(bytes_of(first, length), bytes_of(out, length + extra), same);
    refuse_changing_length(n, bytes_of(out, length + extra));
    who.space->check_device();
    if (length == 0 && extra == 0) return;
    auto p = problem_of<InT, OutT, T>(what, op, init);
    p.in = address(first) + first_from<In>;
    p.out = address(out) + first_from<Out>;
    p.set_lines(1, 0, 0);
    p.n = length;
    p.device_n = n.count;
    p.in_reversed = is_reversed<In>;
    p.out_reversed = is_reversed<Out>;
    p.total_after = extra != 0;
    cuda::engine(p, *who.space, who.stream).run(who.which);
  }
}

template <class In, class Out, class Op0, class Init>
void device_reduce(const cuda::device_policy& who, const In& first, const cuda::device_length& n,
                   Out* out, const Op0& op0, const Init& init) {
  static_assert(in_memory<In>, "upsweep: on a device, arrays are contiguous, or those reversed");
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using InT = std::iter_value_t<In>;
  using T = accumulator_t<Op, InT, Init>;
  if constexpr (check_operator<T, Op>() && check_device_type<T, Op, InT, Out>()) {
    refuse_changing_length(n, bytes_of(out, 1));
    constexpr bool can_be_empty = has_empty<Op, T> || !std::is_same_v<Init, no_init>;
    if (!can_be_empty && (n.at_most == 0 || n.count != nullptr))
      throw argument_error("upsweep: reduce of nothing needs an init with this operator");
    who.space->check_device();
    auto p = problem_of<InT, Out, T>(cuda::result::none, op, init);
    p.in = address(first) + first_from<In>;
    p.set_lines(1, 0, 0);
    p.n = n.at_most;
    p.device_n = n.count;
    p.in_reversed = is_reversed<In>;
    p.total = out;
    cuda::engine(p, *who.space, who.stream).run(who.which);
  }
}

template <cuda::result what>
inline constexpr lines_to device_lines = what == cuda::result::none        ? lines_to::one_value
                                         : what == cuda::result::exclusive ? lines_to::exclusive
                                                                           : lines_to::inclusive;

template <cuda::result what, class In, class Out, class Op0, class Init>
void device_array_scan(const cuda::device_policy& who, const array_view<In>& in,
                       const array_view<Out>& out, int axis, const Op0& op0, const Init& init) {
  const auto& op = own_operator(op0);
  using Op = std::remove_cvref_t<decltype(op)>;
  using InT = std::remove_const_t<In>;
  using T = accumulator_t<Op, Out, Init>;
  constexpr bool exclusive = what == cuda::result::exclusive;
  constexpr bool can_be_empty = has_empty<Op, T> || !std::is_same_v<Init, no_init>;
  if constexpr (check_operator<T, Op>() && check_init<exclusive, T, Op, Init>() &&
                check_device_type<T, Op, InT, std::remove_const_t<Out>>()) {
    const geometry g = geometry_of(in, out, axis, device_lines<what>);
    if (what == cuda::result::none && g.length() == 0 && !can_be_empty)
      throw argument_error("upsweep: reduce of nothing needs an init with this operator");
    who.space->check_device();
    auto p = problem_of<InT, Out, T>(what, op, init);
    p.in = in.data();
    (what == cuda::result::none ? p.total : p.out) = out.data();
    cuda::array_engine(p, g, *who.space, who.stream).run(who.which);
  }
}

}  // namespace detail
}  // namespace upsweep
