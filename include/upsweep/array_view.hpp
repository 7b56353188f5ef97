// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include "upsweep/error.hpp"

namespace upsweep {

// The largest number of dimensions of an array; NumPy's own limit was this for two decades.
inline constexpr int max_rank = 32;

// An n-D array in memory that somebody else owns: a pointer to element (0, ..., 0), and for each
// dimension its extent and its stride, both counted in elements. Strides may be negative or zero.
template <class T>
class array_view {
 public:
  using element_type = T;

  // C order: the last dimension is contiguous.
  array_view(T* data, std::span<const std::size_t> extents) : data_(data) {
    set_rank(extents.size());
    std::ptrdiff_t stride = 1;
    for (int d = rank_ - 1; d >= 0; --d) {
      at(extents_, d) = extents[static_cast<std::size_t>(d)];
      at(strides_, d) = stride;
      stride *= static_cast<std::ptrdiff_t>(at(extents_, d));
    }
  }
  array_view(T* data, std::initializer_list<std::size_t> extents)
      : array_view(data, std::span(extents.begin(), extents.size())) {}

  // Any strides. Throws argument_error when the two lists differ in length.
  array_view(T* data, std::span<const std::size_t> extents, std::span<const std::ptrdiff_t> strides)
      : data_(data) {
    if (extents.size() != strides.size())
      detail::refuse("upsweep: an array needs a stride for each extent");
    set_rank(extents.size());
    for (int d = 0; d < rank_; ++d) {
      at(extents_, d) = extents[static_cast<std::size_t>(d)];
      at(strides_, d) = strides[static_cast<std::size_t>(d)];
    }
  }
  array_view(T* data, std::initializer_list<std::size_t> extents,
             std::initializer_list<std::ptrdiff_t> strides)
      : array_view(data, std::span(extents.begin(), extents.size()),
                   std::span(strides.begin(), strides.size())) {}

  T* data() const { return data_; }
  int rank() const { return rank_; }
  std::size_t extent(int d) const { return extents_[static_cast<std::size_t>(d)]; }
  std::ptrdiff_t stride(int d) const { return strides_[static_cast<std::size_t>(d)]; }

  // The same elements with one axis running backwards: a scan along it is a reverse scan.
  // Negative axes count from the end. Throws argument_error when there is no such axis.
  array_view reversed(int axis) const {
    if (axis < 0) axis += rank_;
    if (axis < 0 || axis >= rank_) detail::refuse("upsweep: axis out of range");
    array_view view = *this;
    if (extent(axis) != 0)
      view.data_ += static_cast<std::ptrdiff_t>(extent(axis) - 1) * stride(axis);
    view.at(view.strides_, axis) = -stride(axis);
    return view;
  }

 private:
  void set_rank(std::size_t rank) {
    if (rank > max_rank) detail::refuse("upsweep: an array has at most 32 dimensions");
    rank_ = static_cast<int>(rank);
  }
  template <class A>
  static auto& at(A& values, int d) {
    return values[static_cast<std::size_t>(d)];
  }

  T* data_;
  int rank_ = 0;
  std::array<std::size_t, max_rank> extents_{};
  std::array<std::ptrdiff_t, max_rank> strides_{};
};

}  // namespace upsweep
