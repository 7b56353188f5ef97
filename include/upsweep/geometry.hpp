// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays as scans see them: an axis, and all other dimensions as the lines along it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "upsweep/arguments.hpp"
#include "upsweep/array_view.hpp"

namespace upsweep {

// A scan of every line along one axis. out_extra is 1 when each line has one more output than
// inputs: the total of an exclusive scan.
struct geometry {
  int rank = 0;
  int axis = 0;
  std::size_t out_extra = 0;
  std::array<std::size_t, max_rank> extents{};
  std::array<std::ptrdiff_t, max_rank> in_strides{}, out_strides{};

  std::size_t length() const { return extents[static_cast<std::size_t>(axis)]; }
  std::ptrdiff_t in_step() const { return in_strides[static_cast<std::size_t>(axis)]; }
  std::ptrdiff_t out_step() const { return out_strides[static_cast<std::size_t>(axis)]; }
};

namespace detail {

// One dimension of the array other than the scanned one.
struct dimension {
  std::size_t extent;
  std::ptrdiff_t in, out;
};

// The array without its axis: neighbouring dimensions that form one are joined, and the one with
// the smallest strides comes last.
struct outer_shape {
  std::array<dimension, max_rank> dims{};
  int rank = 0;

  explicit outer_shape(const geometry& g) {
    for (int d = 0; d < g.rank; ++d) {
      const auto u = static_cast<std::size_t>(d);
      if (d == g.axis || g.extents[u] == 1) continue;
      const dimension next{g.extents[u], g.in_strides[u], g.out_strides[u]};
      const auto steps = static_cast<std::ptrdiff_t>(next.extent);
      if (rank != 0 && last().in == next.in * steps && last().out == next.out * steps)
        last() = {last().extent * next.extent, next.in, next.out};
      else
        dims[static_cast<std::size_t>(rank++)] = next;
    }
    for (int d = 0; d + 1 < rank; ++d)
      if (reach(dims[static_cast<std::size_t>(d)]) < reach(last()))
        std::swap(dims[static_cast<std::size_t>(d)], last());
  }
  dimension& last() { return dims[static_cast<std::size_t>(rank - 1)]; }
  const dimension& last() const { return dims[static_cast<std::size_t>(rank - 1)]; }
  // The product of the extents of the first `count` dimensions.
  std::size_t size(int count) const {
    std::size_t n = 1;
    for (int d = 0; d < count; ++d) n *= dims[static_cast<std::size_t>(d)].extent;
    return n;
  }
  // Offsets of the i-th combination of the first `count` dimensions.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> offsets(std::size_t i, int count) const {
    std::ptrdiff_t in = 0, out = 0;
    for (int d = count - 1; d >= 0; --d) {
      const dimension& dim = dims[static_cast<std::size_t>(d)];
      const auto at = static_cast<std::ptrdiff_t>(i % dim.extent);
      in += at * dim.in;
      out += at * dim.out;
      i /= dim.extent;
    }
    return {in, out};
  }

 private:
  static std::ptrdiff_t reach(const dimension& d) {
    return std::max(std::abs(d.in), std::abs(d.out));
  }
};

// What a call makes of each line.
enum class lines_to { inclusive, exclusive, one_value };

// The geometry of a call, checked: throws argument_error.
template <class In, class Out>
geometry geometry_of(const array_view<In>& in, const array_view<Out>& out, int axis,
                     lines_to what) {
  const int rank = in.rank();
  if (rank != out.rank()) detail::refuse("upsweep: arrays of different rank");
  if (axis < -rank || axis >= rank) detail::refuse("upsweep: axis out of range");
  geometry g;
  g.rank = rank;
  g.axis = axis < 0 ? axis + rank : axis;
  bool on_each_other = false, nothing = false;
  bool same = static_cast<const void*>(in.data()) == out.data() && sizeof(In) == sizeof(Out);
  for (int d = 0; d < rank; ++d) {
    const auto u = static_cast<std::size_t>(d);
    g.extents[u] = in.extent(d);
    g.in_strides[u] = in.stride(d);
    g.out_strides[u] = out.stride(d);
    on_each_other = on_each_other || (out.stride(d) == 0 && out.extent(d) > 1);
    nothing = nothing || out.extent(d) == 0;
    same = same && (in.stride(d) == out.stride(d) || in.extent(d) <= 1);
    if (d == g.axis && what == lines_to::exclusive && out.extent(d) == in.extent(d) + 1)
      g.out_extra = 1;
    else if (out.extent(d) != (d == g.axis && what == lines_to::one_value ? 1 : in.extent(d)))
      detail::refuse("upsweep: arrays of different shape");
  }
  if (on_each_other && !nothing)  // C order strides of an empty array are 0, and harmless
    detail::refuse("upsweep: results would lie on each other: an output has stride 0");
  refuse_overlap(bytes_of(in), bytes_of(out), same && what != lines_to::one_value);
  return g;
}

}  // namespace detail
}  // namespace upsweep
