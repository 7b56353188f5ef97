// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans and reductions in the canonical order, on the CPU. The calls follow the standard library,
// with the policy first and always the operator before the init. Operators are applied as
// op(left, right). Input and output may be the same. Any other overlap of memory is refused, judged
// by the bytes from the first element to the last; overlap of other iterators is not seen, nor that
// of an output with itself beyond a stride of 0.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "upsweep/composites.hpp"
#include "upsweep/cpu/call.hpp"
#include "upsweep/policy.hpp"

namespace upsweep {

// out[i] = x[0] (+) ... (+) x[i], after init where given. Random-access iterators; the accumulator
// is accumulator_t<Op, value of out, Init>. Returns the end of the output. Throws argument_error
// for overlap, and whatever op throws; results are then unspecified. Cost: one read and one write
// of memory, two operations an element.
template <cpu_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out inclusive_scan(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  detail::scan_call<cpu::output::inclusive>(who, first, last, out, false, op, init);
  return out + (last - first);
}

// out[i] = x[0] (+) ... (+) x[i - 1], after init where given; out[0] is init, or else the
// operator's empty value (0 for a sum), which an operator must have to be called without init.
template <cpu_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out exclusive_scan(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  detail::scan_call<cpu::output::exclusive>(who, first, last, out, false, op, init);
  return out + (last - first);
}

// Exclusive scan with n + 1 outputs, the last of which is the total: counts to offsets.
template <cpu_policy P, std::random_access_iterator In, std::random_access_iterator Out,
          class Op = plus, class Init = detail::no_init>
Out exclusive_scan_with_total(P&& who, In first, In last, Out out, Op op = {}, Init init = {}) {
  detail::scan_call<cpu::output::exclusive>(who, first, last, out, true, op, init);
  return out + (last - first) + 1;
}

// The last value of the inclusive scan. The accumulator is the type of init, else the value type of
// the input, widened to float for the 16-bit floats. Of no elements: init, or else the operator's
// empty value; throws argument_error when there is neither.
template <cpu_policy P, std::random_access_iterator In, class Op = plus,
          class Init = detail::no_init>
auto reduce(P&& who, In first, In last, Op op = {}, Init init = {}) {
  return detail::reduce_call(who, first, last, op, init);
}

// The same over ranges. The output has as many elements as the input, or for an exclusive scan one
// more, which takes the total; anything else throws argument_error.
template <cpu_policy P, std::ranges::random_access_range In, std::ranges::random_access_range Out,
          class Op = plus, class Init = detail::no_init>
void inclusive_scan(P&& who, In&& in, Out&& out, Op op = {}, Init init = {}) {
  const auto [first, last] = detail::ends(in);
  if (std::ranges::size(out) != std::ranges::size(in))
    detail::refuse("upsweep: an inclusive scan has as many outputs as inputs");
  detail::scan_call<cpu::output::inclusive>(who, first, last, std::ranges::begin(out), false, op,
                                            init);
}
template <cpu_policy P, std::ranges::random_access_range In, std::ranges::random_access_range Out,
          class Op = plus, class Init = detail::no_init>
void exclusive_scan(P&& who, In&& in, Out&& out, Op op = {}, Init init = {}) {
  const std::size_t n = std::ranges::size(in), m = std::ranges::size(out);
  if (m != n && m != n + 1)
    detail::refuse("upsweep: an exclusive scan has n outputs, or n + 1 with the total");
  const auto [first, last] = detail::ends(in);
  detail::scan_call<cpu::output::exclusive>(who, first, last, std::ranges::begin(out), m != n, op,
                                            init);
}
template <cpu_policy P, std::ranges::random_access_range In, std::ranges::random_access_range Out,
          class Op = plus, class Init = detail::no_init>
void exclusive_scan_with_total(P&& who, In&& in, Out&& out, Op op = {}, Init init = {}) {
  if (std::ranges::size(out) != std::ranges::size(in) + 1)
    detail::refuse("upsweep: an exclusive scan with total has n + 1 outputs");
  exclusive_scan(who, in, out, std::move(op), std::move(init));
}
template <cpu_policy P, std::ranges::random_access_range In, class Op = plus,
          class Init = detail::no_init>
auto reduce(P&& who, In&& in, Op op = {}, Init init = {}) {
  const auto [first, last] = detail::ends(in);
  return detail::reduce_call(who, first, last, op, init);
}

// Scans every line of an array along one axis (negative axes count from the end), each in its own
// canonical order from index 0. Shapes must agree; along the axis, an exclusive scan may have one
// more output, the line's total. Throws argument_error for shapes that differ, an axis out of
// range, or overlap. Cost: as for one line of all elements, along any axis.
template <cpu_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void inclusive_scan(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {},
                    Init init = {}) {
  detail::array_call<cpu::output::inclusive>(who, in, out, axis, op, init);
}
template <cpu_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void exclusive_scan(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {},
                    Init init = {}) {
  detail::array_call<cpu::output::exclusive>(who, in, out, axis, op, init);
}

// Reduces every line along one axis to one value: along it, the output's extent is 1.
template <cpu_policy P, class In, class Out, class Op = plus, class Init = detail::no_init>
void reduce(P&& who, array_view<In> in, array_view<Out> out, int axis, Op op = {}, Init init = {}) {
  detail::array_call<cpu::output::none>(who, in, out, axis, op, init);
}

}  // namespace upsweep
