// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays along an axis on a GPU: the bits of the CPU for shapes that take every kernel, for strides
// of all kinds, totals, reductions, and operators that must not meet what is not an element.
#include <numeric>

#include "cuda_cases.cuh"

namespace {

using namespace cuda_cases;
using upsweep::array_view;

struct ArraysCuda : OnGpu {};

// An array of some shape in a larger piece of memory.
struct layout {
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;
  std::ptrdiff_t first = 0;  // element (0, ..., 0)
  std::size_t size = 0;      // of the memory, in elements

  template <class T>
  array_view<T> view(T* data) const {
    return {data + first, std::span(extents), std::span(strides)};
  }
};

// C order, with `gap` elements that do not belong to it after each line of the last dimension.
layout packed(std::vector<std::size_t> extents, std::size_t gap = 0) {
  layout a{extents, std::vector<std::ptrdiff_t>(extents.size()), 0, 1};
  for (std::size_t d = extents.size(); d-- > 0;) {
    a.strides[d] = static_cast<std::ptrdiff_t>(a.size);
    a.size = a.size * extents[d] + (d + 1 == extents.size() ? gap : 0);
  }
  return a;
}

layout reversed(layout a, std::size_t axis) {
  a.first += a.strides[axis] * (static_cast<std::ptrdiff_t>(a.extents[axis]) - 1);
  a.strides[axis] = -a.strides[axis];
  return a;
}

// The same elements with the dimensions in the opposite order: Fortran order.
layout transposed(layout a) {
  std::reverse(a.extents.begin(), a.extents.end());
  std::reverse(a.strides.begin(), a.strides.end());
  return a;
}

enum class call { inclusive, exclusive, exclusive_with_total, reduce };

template <class In, class Out, class P, class Op, class... Init>
void run(call what, const P& who, array_view<const In> in, array_view<Out> out, int axis, Op op,
         Init... init) {
  using T = typename accumulator<Op, Out, Init...>::type;
  if (what == call::inclusive) return upsweep::inclusive_scan(who, in, out, axis, op, init...);
  if (what == call::reduce) return upsweep::reduce(who, in, out, axis, op, init...);
  if constexpr (upsweep::has_empty<Op, T> || sizeof...(Init) != 0)
    upsweep::exclusive_scan(who, in, out, axis, op, init...);
}

// One call on both engines, over the same memory: all of it must come out with the same bits, what
// lies between the lines included.
template <class In, class Out, class Op, class... Init>
void compare(call what, const layout& in, const layout& out, int axis, Op op, Init... init) {
  const std::vector<In> values = some_values<In>(in.size, in.size);
  std::vector<Out> expected(out.size);
  std::memset(static_cast<void*>(expected.data()), 0xa5, out.size * sizeof(Out));
  const device_array<In> from(values);
  const device_array<Out> to(out.size);
  uc::workspace space;
  run<In, Out>(what, upsweep::seq, in.view(values.data()), out.view(expected.data()), axis, op,
               init...);
  run<In, Out>(what, uc::on(nullptr, space), in.view<const In>(from.data()), out.view(to.data()),
               axis, op, init...);
  const std::string shape = testing::PrintToString(in.extents) + " strides " +
                            testing::PrintToString(in.strides) + " to " +
                            testing::PrintToString(out.strides) + " axis " + std::to_string(axis) +
                            " call " + std::to_string(static_cast<int>(what));
  ASSERT_EQ(first_difference(to.get(), expected), expected.size()) << shape;
  ASSERT_TRUE(to.guards_hold()) << shape;
}

// Every call along every axis of an array in C order, its output likewise.
template <class In, class Out, class Op, class... Init>
void every_call(const std::vector<std::size_t>& extents, Op op, Init... init) {
  using T = typename accumulator<Op, Out, Init...>::type;
  constexpr bool empty = upsweep::has_empty<Op, T> || sizeof...(Init) != 0;
  for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    std::vector<std::size_t> longer = extents, one = extents;
    ++longer[a], one[a] = 1;
    compare<In, Out>(call::inclusive, packed(extents), packed(extents), axis, op, init...);
    if (empty) {
      compare<In, Out>(call::exclusive, packed(extents), packed(extents), axis, op, init...);
      compare<In, Out>(call::exclusive_with_total, packed(extents), packed(longer), axis, op,
                       init...);
    }
    if (empty || extents[a] != 0)
      compare<In, Out>(call::reduce, packed(extents), packed(one), axis, op, init...);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Row lengths at which a kernel, a lane or a group begins, for 16-byte vectors of `items`.
std::vector<std::size_t> row_lengths(std::size_t items) {
  std::vector<std::size_t> all{1, 2, 3, 5};
  for (const std::size_t vectors : {1, 2, 3, 8, 16, 32, 33, 64, 65, 96, 128})
    for (const std::size_t n : {vectors * items - 1, vectors * items, vectors * items + 1})
      if (n > 0) all.push_back(n);
  return all;
}

TEST_F(ArraysCuda, ShortRows) {
  for (const std::size_t n : row_lengths(4)) {
    every_call<float, float>({777, n}, upsweep::plus{});
    every_call<float, float>({33, n}, upsweep::plus{}, 0.1f);
    if (HasFatalFailure()) return;
  }
}

TEST_F(ArraysCuda, OperatorsMeetOnlyElementsInOrder) {
  for (const std::size_t n : row_lengths(2)) {
    every_call<std::uint64_t, std::uint64_t>({67, n}, tree_hash{});
    every_call<std::uint64_t, std::uint64_t>({67, n}, tree_hash{}, std::uint64_t{99});
    if (HasFatalFailure()) return;
  }
}

TEST_F(ArraysCuda, BytesAndHalves) {
  for (const std::size_t n : row_lengths(16))
    every_call<std::uint8_t, std::uint8_t>({41, n}, upsweep::plus{});
  for (const std::size_t n : row_lengths(8))
    every_call<upsweep::f16, upsweep::f16>({41, n}, upsweep::plus{});
  for (const std::size_t n : {3u, 40u, 1000u})
    every_call<std::uint8_t, std::uint64_t>({41, n}, upsweep::plus{});
}

// Items eight times as large as what they add up to.
TEST_F(ArraysCuda, NarrowSumsOfWideItems) {
  const std::size_t extents[] = {3000, 40}, all = extents[0] * extents[1];
  std::vector<double> values(all), expected(all);
  for (std::size_t i = 0; i < all; ++i) values[i] = i % 7919 == 7 ? 2 : 0;
  const device_array<double> in(values), out(all);
  uc::workspace space;
  for (const int axis : {0, 1}) {
    upsweep::inclusive_scan(upsweep::seq, array_view<const double>(values.data(), extents),
                            array_view<double>(expected.data(), extents), axis,
                            upsweep::logical_or{});
    upsweep::inclusive_scan(uc::on(nullptr, space), array_view<const double>(in.data(), extents),
                            array_view<double>(out.data(), extents), axis, upsweep::logical_or{});
    EXPECT_TRUE(out.get() == expected) << "axis " << axis;
  }
}

TEST_F(ArraysCuda, LongRows) {
  for (const std::size_t n : {513u, 700u, 2048u, 4096u, 4097u, 8192u, 8193u, 65536u, 100003u})
    every_call<float, float>({5, n}, upsweep::plus{});
  every_call<float, float>({2, 3000000}, upsweep::plus{});
}

TEST_F(ArraysCuda, Columns) {
  for (const std::size_t rows :
       {1u, 15u, 16u, 17u, 255u, 256u, 257u, 511u, 1000u, 4096u, 16384u + 257u})
    for (const std::size_t columns : {1u, 2u, 31u, 32u, 33u, 100u})
      every_call<float, float>({rows, columns}, upsweep::plus{});
  every_call<float, float>({300000, 3}, upsweep::plus{});
  every_call<float, float>({40, 70000}, upsweep::plus{}, 0.25f);
}

TEST_F(ArraysCuda, ColumnsMeetOnlyElementsInOrder) {
  for (const std::size_t rows : {1u, 7u, 8u, 9u, 127u, 128u, 129u, 1025u, 9000u})
    for (const std::size_t columns : {3u, 40u}) {
      every_call<std::uint64_t, std::uint64_t>({rows, columns}, tree_hash{});
      every_call<std::uint64_t, std::uint64_t>({rows, columns}, tree_hash{}, std::uint64_t{5});
    }
}

// Lanes that walk down out of a ring: rows at multiples of 16 bytes, whose results go by bulk
// copies too, and others; several chunks, a part of one, more groups than blocks; results of
// another size.
TEST_F(ArraysCuda, WideArrays) {
  for (const auto& extents :
       {std::vector<std::size_t>{16, 40000}, {17, 36001}, {300, 34000}, {1000, 17001}})
    every_call<float, float>(extents, upsweep::plus{});
  every_call<float, float>({50, 150002}, upsweep::plus{}, 0.5f);
  every_call<double, double>({41, 40004}, upsweep::plus{});
  every_call<std::uint8_t, std::uint8_t>({71, 60007}, upsweep::plus{});
  every_call<std::uint8_t, std::uint64_t>({71, 60016}, upsweep::plus{});
  every_call<upsweep::f16, upsweep::f16>({71, 50000}, upsweep::plus{});
  every_call<std::uint64_t, std::uint64_t>({35, 40001}, tree_hash{});
  every_call<std::uint64_t, std::uint64_t>({35, 40002}, tree_hash{}, std::uint64_t{5});
  every_call<float, float>({300, 40, 256}, upsweep::plus{});
}

TEST_F(ArraysCuda, WideArraysWithGapsAndReversed) {
  const layout c = packed({40, 36000}), gaps = packed({40, 36000}, 5), odd = packed({40, 36000}, 4);
  for (const layout& from : {c, gaps, odd, reversed(c, 0), reversed(gaps, 0), reversed(c, 1)})
    for (const layout& to : {c, gaps, odd, reversed(c, 0)}) {
      compare<float, float>(call::inclusive, from, to, 0, upsweep::plus{});
      compare<float, float>(call::exclusive, from, to, 0, upsweep::plus{});
    }
}

// More than one group of 1024 tiles in a line, whose blocks and prefixes have words of their own;
// in a ring of strips, and in blocks, where rows lie anywhere.
TEST_F(ArraysCuda, LongColumns) {
  constexpr std::size_t groups = std::size_t{256} * 1024;
  for (const std::size_t columns : {32u, 33u})
    for (const call what : {call::inclusive, call::exclusive_with_total}) {
      const std::size_t n = (columns == 32 ? 8 : 2) * groups + 300;
      const std::vector<std::size_t> from{n, columns},
          to{what == call::inclusive ? n : n + 1, columns};
      compare<float, float>(what, packed(from), packed(to), 0, upsweep::plus{});
    }
  for (const std::size_t columns : {40u, 41u})
    compare<std::uint64_t, std::uint64_t>(call::inclusive, packed({groups + 77, columns}),
                                          packed({groups + 77, columns}), 0, tree_hash{});
  const layout c = packed({2, 70000, 64});
  compare<float, float>(call::inclusive, c, c, 1, upsweep::plus{});
  compare<float, float>(call::inclusive, reversed(c, 1), c, 1, upsweep::plus{});
  compare<float, float>(call::inclusive, reversed(c, 0), c, 1, upsweep::plus{});
}

TEST_F(ArraysCuda, MiddleAxesAndManyDimensions) {
  every_call<float, float>({7, 300, 5}, upsweep::plus{});
  every_call<float, float>({3, 2, 4, 500, 2, 3}, upsweep::plus{});
  every_call<std::uint64_t, std::uint64_t>({2, 3, 2, 3, 2, 3, 4}, tree_hash{});
}

// Neighbouring dimensions that do not join, so that lines are found by division, or by more
// launches than one.
TEST_F(ArraysCuda, GapsReversalsAndTranspositions) {
  const std::vector<std::size_t> shapes[] = {{9, 40, 33}, {2, 3, 2, 3, 2, 33}, {70, 600}};
  for (const auto& extents : shapes)
    for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const layout c = packed(extents), gaps = packed(extents, 5);
      std::vector<std::size_t> turned(extents.rbegin(), extents.rend());
      const layout fortran = transposed(packed(turned));
      for (const layout& from :
           {c, gaps, reversed(c, a), reversed(gaps, a), reversed(c, 0), fortran})
        for (const layout& to : {c, gaps, reversed(c, a), fortran})
          compare<float, float>(call::inclusive, from, to, axis, upsweep::plus{});
      if (HasFatalFailure()) return;
    }
}

TEST_F(ArraysCuda, EmptyArraysAndLines) {
  every_call<float, float>({0, 5}, upsweep::plus{});
  every_call<float, float>({5, 0}, upsweep::plus{});
  every_call<float, float>({5, 0, 3}, upsweep::plus{}, 2.5f);
  every_call<float, float>({1}, upsweep::plus{});
}

TEST_F(ArraysCuda, InPlace) {
  for (const auto& extents : {std::vector<std::size_t>{500, 33},
                              {3, 9000},
                              {9000, 3},
                              {9000, 64},
                              {100, 40000},
                              {50, 40001}}) {
    for (int axis = 0; axis < 2; ++axis) {
      std::vector<float> values = some_values<float>(extents[0] * extents[1]);
      const device_array<float> data(values);
      uc::workspace space;
      const layout a = packed(extents);
      run<float, float>(call::inclusive, uc::on(nullptr, space), a.view<const float>(data.data()),
                        a.view(data.data()), axis, upsweep::plus{});
      run<float, float>(call::inclusive, upsweep::seq, a.view<const float>(values.data()),
                        a.view(values.data()), axis, upsweep::plus{});
      EXPECT_EQ(first_difference(data.get(), values), values.size()) << extents[0] << " " << axis;
    }
  }
}

TEST_F(ArraysCuda, RefusesWhatTheCpuRefuses) {
  uc::workspace space;
  const device_array<float> data(64);
  const auto who = uc::on(nullptr, space);
  const array_view<const float> in(data.data(), {4, 8});
  const array_view<float> shifted(data.data() + 1, {4, 8}), other(data.data() + 32, {8, 4});
  EXPECT_THROW(upsweep::inclusive_scan(who, in, shifted, 0), upsweep::argument_error);
  EXPECT_THROW(upsweep::inclusive_scan(who, in, other, 0), upsweep::argument_error);
  const array_view<float> out(data.data() + 32, {4, 8});
  EXPECT_THROW(upsweep::inclusive_scan(who, in, out, 2), upsweep::argument_error);
  EXPECT_THROW(upsweep::inclusive_scan(who, in, out, -3), upsweep::argument_error);
}

}  // namespace
