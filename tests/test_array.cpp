// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays: every line along any axis of any layout is a scan of its own, and nothing but the
// output's elements is written.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "reference_cases.hpp"

namespace {

using cases::same;
using upsweep::array_view;
using upsweep::par;
using extents_t = std::vector<std::size_t>;
using strides_t = std::vector<std::ptrdiff_t>;

// Memory for an array of any strides, with guards around and between its elements.
template <class T>
struct buffer {
  buffer(extents_t shape, strides_t steps, T fill)
      : extents(std::move(shape)), strides(std::move(steps)) {
    std::ptrdiff_t low = 0, high = 0;
    for (std::size_t d = 0; d < extents.size(); ++d)
      if (extents[d] > 1)
        (strides[d] < 0 ? low : high) += static_cast<std::ptrdiff_t>(extents[d] - 1) * strides[d];
    origin = 16 - low;
    data.assign(static_cast<std::size_t>(high - low) + 33, fill);
  }
  template <class U>
  array_view<U> view() {
    return {data.data() + origin, std::span<const std::size_t>(extents),
            std::span<const std::ptrdiff_t>(strides)};
  }
  std::size_t place(const extents_t& index) const {
    std::ptrdiff_t at = origin;
    for (std::size_t d = 0; d < index.size(); ++d)
      at += static_cast<std::ptrdiff_t>(index[d]) * strides[d];
    return static_cast<std::size_t>(at);
  }
  extents_t extents;
  strides_t strides;
  std::ptrdiff_t origin;
  std::vector<T> data;
};

// C order, after a permutation of the dimensions, with a pitch that is `pad` longer, and the
// dimensions in `flips` running backwards.
strides_t layout(const extents_t& extents, const std::vector<std::size_t>& order, std::size_t pad,
                 unsigned flips) {
  strides_t strides(extents.size());
  std::ptrdiff_t step = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const std::size_t d = order[k];
    strides[d] = (flips >> d & 1) != 0 ? -step : step;
    step *= static_cast<std::ptrdiff_t>(std::max<std::size_t>(extents[d], 1));
    if (k + 1 == extents.size()) step += static_cast<std::ptrdiff_t>(pad);
  }
  return strides;
}
strides_t c_order(const extents_t& extents) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0u);
  return layout(extents, order, 0, 0);
}

enum class mode { inclusive, exclusive, total, reduce };

// Runs one call and compares the whole output buffer, guards included.
template <class In, class Out, class Op, class Init = upsweep::detail::no_init>
void expect_lines(upsweep::parallel_policy who, const extents_t& shape, const strides_t& in_strides,
                  extents_t order, std::size_t pad, unsigned flips, std::size_t axis, mode how,
                  const Op& op, Init init = {}) {
  using T = upsweep::accumulator_t<Op, Out, Init>;
  extents_t out_shape = shape;
  if (how == mode::total) out_shape[axis] += 1;
  if (how == mode::reduce) out_shape[axis] = 1;
  const Out fill = Out(77);
  buffer<In> in(shape, in_strides, In(55));
  auto source = cases::random_source(20 + shape[0] * 7 + axis);
  for (In& x : in.data) x = cases::random_value<In>(source);
  const std::vector<In> before = in.data;
  buffer<Out> out(out_shape, layout(out_shape, order, pad, flips), fill);
  std::vector<Out> want = out.data;
  std::optional<T> start;
  if constexpr (!std::is_same_v<Init, upsweep::detail::no_init>) start = static_cast<T>(init);

  std::size_t lines = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) lines *= d == axis ? 1 : shape[d];
  for (std::size_t line = 0; line < lines; ++line) {
    extents_t index(shape.size());
    std::size_t rest = line;
    for (std::size_t d = shape.size(); d-- > 0;)
      if (d != axis) index[d] = rest % shape[d], rest /= shape[d];
    std::vector<T> x, y;
    for (index[axis] = 0; index[axis] < shape[axis]; ++index[axis])
      x.push_back(static_cast<T>(in.data[in.place(index)]));
    const std::size_t n = x.size();
    y = how == mode::inclusive
            ? cases::inclusive(x, op, start)
            : cases::exclusive(x, op, start, n + (how == mode::exclusive ? 0 : 1));
    if (how == mode::reduce) y = {y.back()};
    for (index[axis] = 0; index[axis] < y.size(); ++index[axis])
      want[out.place(index)] = static_cast<Out>(y[index[axis]]);
  }
  const auto from = in.template view<const In>();
  const auto to = out.template view<Out>();
  const int a = static_cast<int>(axis);
  if (how == mode::inclusive)
    upsweep::inclusive_scan(who, from, to, a, op, init);
  else if (how == mode::reduce)
    upsweep::reduce(who, from, to, a - static_cast<int>(shape.size()), op, init);
  else
    upsweep::exclusive_scan(who, from, to, a, op, init);
  ASSERT_TRUE(cases::same_bits(want, out.data));
  ASSERT_TRUE(cases::same_bits(before, in.data)) << "the input was changed";
}
constexpr mode modes[] = {mode::inclusive, mode::exclusive, mode::total, mode::reduce};

std::string described(const extents_t& shape, std::size_t axis) {
  std::string text = "axis " + std::to_string(axis) + " of";
  for (const std::size_t e : shape) text += ' ' + std::to_string(e);
  return text;
}

const std::vector<extents_t> shapes = {
    {300, 7},   {40, 33},      {1000, 1},   {1, 1000},  {3, 2085},   {2, 4200},    {2085, 3},
    {300, 16},  {2100, 17},    {130, 1100}, {65, 2050}, {5, 64, 19}, {3, 200, 40}, {20, 3, 50},
    {2, 3, 70}, {2, 5, 3, 17}, {0, 5},      {5, 0},     {4, 0, 20},  {1, 1, 1},    {1, 70, 1, 40}};

TEST(Array, LinesStartAtZero) {
  cases::on_every_engine([](const auto& who) {
    for (const extents_t& shape : shapes)
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        SCOPED_TRACE(described(shape, axis));
        extents_t order(shape.size());
        std::iota(order.begin(), order.end(), 0u);
        for (const mode how : modes) {
          expect_lines<float, float>(who, shape, c_order(shape), order, 0, 0, axis, how,
                                     upsweep::plus{});
          if (upsweep::cpu::simd_target() == std::string("scalar"))  // it has no vector kernel
            expect_lines<std::uint64_t, std::uint64_t>(who, shape, c_order(shape), order, 3, 0,
                                                       axis, how, cases::tree_hash{},
                                                       std::uint64_t{5});
          if (testing::Test::HasFatalFailure()) return;
        }
      }
  });
}

// Random layouts: permuted, padded, running backwards, input broadcast along a dimension.
template <class In, class Out, class Op, class... Init>
void random_layouts(int rounds, std::uint64_t salt, const Op& op, Init... init) {
  auto source = cases::random_source(salt);
  const auto engines = cases::targets();
  for (int round = 0; round < rounds; ++round) {
    const std::size_t rank = 1 + source() % 4;
    extents_t shape(rank), in_order(rank), out_order(rank);
    for (auto& e : shape) e = source() % 12;
    shape[source() % rank] = 1 + source() % 70;
    if (round % 3 == 0) shape[source() % rank] = 1 + source() % 400;
    std::iota(in_order.begin(), in_order.end(), 0u);
    out_order = in_order;
    std::shuffle(in_order.begin(), in_order.end(), source);
    std::shuffle(out_order.begin(), out_order.end(), source);
    const auto flips = static_cast<unsigned>(source() % 16);
    strides_t strides = layout(shape, in_order, source() % 3, static_cast<unsigned>(source() % 16));
    if (round % 4 == 0) strides[source() % rank] = 0;
    const std::size_t axis = source() % rank;
    const char* const name = engines[source() % engines.size()];
    SCOPED_TRACE(described(shape, axis) + ", " + name + ", round " + std::to_string(round) +
                 ", seed " + std::to_string(cases::seed()));
    const cases::forced_target unit(name);
    const auto who = par.on(1 + static_cast<unsigned>(source() % 3)).with_chunk(cases::chunk_log2);
    expect_lines<In, Out>(who, shape, strides, out_order, source() % 3, flips, axis,
                          modes[source() % 4], op, init...);
    if (testing::Test::HasFatalFailure()) return;
  }
}
TEST(Array, AnyLayout) {
  random_layouts<float, float>(500, 30, upsweep::plus{});
  random_layouts<double, double>(300, 31, upsweep::minimum{}, 2.0);
  random_layouts<std::uint64_t, std::uint64_t>(300, 32, cases::tree_hash{}, std::uint64_t{1});
}
TEST(Array, AnyLayoutAnyTypes) {
  random_layouts<std::int8_t, std::int32_t>(200, 33, upsweep::plus{});
  random_layouts<upsweep::f16, upsweep::f16>(200, 34, upsweep::plus{}, 0.5f);
  random_layouts<std::uint8_t, std::uint8_t>(200, 35, upsweep::plus{});
  random_layouts<float, double>(200, 36, upsweep::maximum{}, 0.25);
}

TEST(Array, OperatorMeetsOnlyNeighbours) {
  std::atomic<std::uint64_t> faults{0};
  const cases::join op{&faults};
  cases::on_every_engine([&](const auto& who) {
    for (const auto& [rows, n] : {std::pair<std::size_t, std::size_t>{3, 300}, {200, 70}, {40, 17}})
      for (const bool columns : {false, true}) {
        std::vector<cases::interval> x(rows * n), y(rows * n);
        const auto down = static_cast<std::ptrdiff_t>(columns ? 1 : n);
        const auto along = static_cast<std::ptrdiff_t>(columns ? rows : 1);
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t i = 0; i < n; ++i)
            x[r * static_cast<std::size_t>(down) + i * static_cast<std::size_t>(along)] = {
                static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1,
                static_cast<std::int64_t>(r)};
        const array_view<const cases::interval> in(x.data(), {rows, n}, {down, along});
        upsweep::inclusive_scan(who, in, array_view(y.data(), {rows, n}, {down, along}), 1, op);
        for (std::size_t k = 0; k < x.size(); ++k)
          ASSERT_EQ(y[k], (cases::interval{0, x[k].hi, x[k].line}));
        std::vector<cases::interval> totals(rows);
        upsweep::reduce(who, in, array_view(totals.data(), {rows, std::size_t{1}}), 1, op);
        for (std::size_t r = 0; r < rows; ++r)
          ASSERT_EQ(totals[r], (cases::interval{0, static_cast<std::int64_t>(n),
                                                static_cast<std::int64_t>(r)}));
        ASSERT_EQ(faults.load(), 0u) << rows << " x " << n;
      }
  });
}

TEST(Array, ReversedAxis) {
  const auto x = cases::random_values<float>(60 * 70);
  std::vector<float> y(x.size()), back(x.size());
  for (const int axis : {0, 1}) {
    const array_view<const float> in(x.data(), {60, 70});
    const array_view<float> out(y.data(), {60, 70});
    upsweep::inclusive_scan(par, in.reversed(axis), out.reversed(axis), axis);
    for (std::size_t line = 0; line < (axis == 0 ? 70u : 60u); ++line) {
      std::vector<float> visited, got;
      for (std::size_t i = axis == 0 ? 60 : 70; i-- > 0;) {
        const std::size_t at = axis == 0 ? i * 70 + line : line * 70 + i;
        visited.push_back(x[at]), got.push_back(y[at]);
      }
      ASSERT_TRUE(cases::same_bits(cases::inclusive(visited, upsweep::plus{}), got)) << line;
    }
  }
}

TEST(Array, ReversedAxisWithTotal) {
  const std::vector<int> x{1, 2, 3, 10, 20, 30};
  std::vector<int> y(8);
  const array_view<const int> in(x.data(), {2, 3});
  upsweep::exclusive_scan(par, in.reversed(1), array_view(y.data(), {2, 4}).reversed(1), 1);
  EXPECT_EQ(y, (std::vector<int>{6, 5, 3, 0, 60, 50, 30, 0}));
}

TEST(Array, InPlace) {
  cases::on_every_engine([](const auto& who) {
    for (const extents_t& shape : {extents_t{40, 50}, extents_t{3, 300}, extents_t{300, 20}})
      for (const int axis : {0, 1}) {
        const auto x = cases::random_values<float>(shape[0] * shape[1]);
        std::vector<float> y(x.size()), z = x, w = x, v(x.size());
        const array_view<const float> in(x.data(), shape);
        upsweep::inclusive_scan(who, in, array_view<float>(y.data(), shape), axis);
        upsweep::inclusive_scan(who, array_view<const float>(z.data(), shape),
                                array_view<float>(z.data(), shape), axis);
        ASSERT_TRUE(cases::same_bits(y, z));
        upsweep::exclusive_scan(who, in, array_view<float>(v.data(), shape), axis);
        const auto back = array_view<float>(w.data(), shape);
        upsweep::exclusive_scan(who, back, back, axis);
        ASSERT_TRUE(cases::same_bits(v, w));
      }
  });
}

TEST(Array, RefusesWhatContradictsItself) {
  std::vector<float> x(24), y(40);
  const array_view<const float> in(x.data(), {4, 6});
  const auto refused = [&](const array_view<const float>& from, const array_view<float>& to,
                           int axis) {
    EXPECT_THROW(upsweep::inclusive_scan(par, from, to, axis), upsweep::argument_error);
  };
  refused(in, {y.data(), {4, 5}}, 1);
  refused(in, {y.data(), {4, 7}}, 1);  // only an exclusive scan has a total
  refused(in, {y.data(), {24}}, 0);
  refused(in, {y.data(), {4, 6}}, 2);
  refused(in, {y.data(), {4, 6}}, -3);
  refused({x.data(), extents_t{}}, {y.data(), extents_t{}}, 0);  // rank 0 has no axis
  refused({x.data(), {4, 5}}, {x.data() + 1, {4, 5}}, 1);
  refused({x.data(), {4, 6}, {6, 1}}, {x.data(), {4, 6}, {1, 4}}, 1);
  EXPECT_THROW(upsweep::exclusive_scan(par, in, array_view(y.data(), {5, 6}), 1),
               upsweep::argument_error);
  EXPECT_THROW(upsweep::reduce(par, in, array_view(y.data(), {4, 6}), 1), upsweep::argument_error);
  EXPECT_THROW(in.reversed(2), upsweep::argument_error);
  EXPECT_THROW(array_view<float>(y.data(), {2, 2}, {1}), upsweep::argument_error);
  EXPECT_THROW(array_view<float>(y.data(), extents_t(33, 1)), upsweep::argument_error);
  EXPECT_EQ(y, std::vector<float>(40));
}

}  // namespace
