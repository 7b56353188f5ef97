// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/piecewise_run.hpp"

#include <algorithm>

#include "cli/sequence_scan.hpp"

namespace cli {
namespace {

std::ptrdiff_t signed_of(std::uint64_t n) { return static_cast<std::ptrdiff_t>(n); }

std::ptrdiff_t bytes_of(std::ptrdiff_t elements, dtype type) {
  return elements * static_cast<std::ptrdiff_t>(item_size(type));
}

// The job's elements and results from an index of a dimension on.
void move_to(scan_job& job, std::size_t dimension, std::uint64_t index) {
  job.in.data += bytes_of(signed_of(index) * job.shape.in_strides[dimension], job.in.item.type);
  job.out += bytes_of(signed_of(index) * job.shape.out_strides[dimension], job.out_type);
}

// All of the job in one line.
void run_line(const scan_job& job, std::size_t axis, std::size_t item, progress& shown) {
  const std::uint64_t length = job.line_length();
  const std::unique_ptr<sequence_scan> sequence = open_sequence(job);
  for (std::uint64_t at = 0; at < length; at += piece_elements) {
    scan_job piece = job;
    if (!job.reduce)
      move_to(piece, axis, at);
    else
      piece.in.data += bytes_of(signed_of(at) * job.shape.in_strides[axis], job.in.item.type);
    piece.shape.extents[axis] = std::min<std::uint64_t>(piece_elements, length - at);
    piece.shape.out_extra = 0;
    sequence->run(piece);
    shown.advance((at + piece.shape.extents[axis]) * item);
  }
  const std::ptrdiff_t behind = signed_of(length) * job.shape.out_strides[axis];
  if (job.reduce) sequence->total(job.out);
  if (job.shape.out_extra != 0) sequence->total(job.out + bytes_of(behind, job.out_type));
}

// Slices across the longest dimension that is not scanned.
void run_slices(const scan_job& job, std::size_t dimension, std::uint64_t slices,
                std::uint64_t bytes, progress& shown) {
  const std::uint64_t extent = job.shape.extents[dimension];
  for (std::uint64_t k = 0; k < slices; ++k) {
    const std::uint64_t begin = extent * k / slices, end = extent * (k + 1) / slices;
    scan_job slice = job;
    move_to(slice, dimension, begin);
    slice.shape.extents[dimension] = end - begin;
    run_scan(slice);
    shown.advance(bytes / slices * (k + 1));
  }
}

}  // namespace

void run_scan_watched(const scan_job& job, progress& shown) {
  constexpr std::uint64_t few = std::uint64_t{1} << 22, most_slices = 100;
  const auto axis = static_cast<std::size_t>(job.shape.axis);
  std::size_t longest = axis;
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(job.shape.rank); ++d) {
    const std::uint64_t extent = job.shape.extents[d];
    elements *= extent;
    if (d != axis && extent > 1 && (longest == axis || extent > job.shape.extents[longest]))
      longest = d;
  }
  const std::size_t item = item_size(job.in.item.type);
  if (!shown.is_wanted() || elements < few) return run_scan(job);
  if (longest == axis) return run_line(job, axis, item, shown);
  const std::uint64_t slices =
      std::min({job.shape.extents[longest], most_slices, elements / (few / 4)});
  run_slices(job, longest, slices, elements * item, shown);
}

}  // namespace cli
