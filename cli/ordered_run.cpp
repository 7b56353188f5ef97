// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ordered_run.hpp"

#include <algorithm>
#include <memory>

#include "cli/sequence_scan.hpp"
#include "cli/write_behind.hpp"

namespace cli {
namespace {

std::uint64_t results_along(const scan_job& job, std::size_t dimension) {
  const bool axis = dimension == static_cast<std::size_t>(job.shape.axis);
  return axis ? job.results_length() : job.shape.extents[dimension];
}

}  // namespace

std::optional<piece_order> order_of(const scan_job& job, bool c_order) {
  constexpr std::uint64_t most = 8 * piece_elements;  // 128 MiB at most
  const auto rank = static_cast<std::size_t>(job.shape.rank);
  const auto axis = static_cast<std::size_t>(job.shape.axis);
  std::uint64_t results = 1, others = 1;
  std::size_t outermost = rank;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t d = c_order ? i : rank - 1 - i;
    results *= results_along(job, d);
    if (d != axis) others *= job.shape.extents[d];
    if (outermost == rank && results_along(job, d) != 1) outermost = d;
  }
  if (job.reduce || results == 0 || job.shape.in_step() < 0) return std::nullopt;
  if (others == 1) return piece_order{axis, piece_elements, piece_elements + 1};
  if (outermost == axis) return std::nullopt;
  const std::uint64_t slice = results / job.shape.extents[outermost];
  if (slice > most) return std::nullopt;
  const std::uint64_t step = std::max<std::uint64_t>(1, piece_elements / slice);
  return piece_order{outermost, step, step * slice};
}

void run_in_order(const scan_job& job, const piece_order& order, array_writer& out,
                  progress& shown) {
  const bool is_line = order.dimension == static_cast<std::size_t>(job.shape.axis);
  const std::uint64_t extent = job.shape.extents[order.dimension];
  const std::uint64_t slice = order.results / order.step;
  const std::size_t in_size = item_size(job.in.item.type);
  std::unique_ptr<sequence_scan> line;
  if (is_line) line = open_sequence(job);
  write_behind behind(order.results * item_size(job.out_type),
                      [&](const std::byte* data, std::uint64_t n) { out.write(data, n); });
  for (std::uint64_t at = 0; at < extent; at += order.step) {
    const std::uint64_t n = std::min(order.step, extent - at);
    scan_job piece = job;
    piece.in.data += static_cast<std::ptrdiff_t>(at) * job.shape.in_strides[order.dimension] *
                     static_cast<std::ptrdiff_t>(in_size);
    piece.out = behind.buffer();
    piece.shape.extents[order.dimension] = n;
    if (is_line)
      piece.shape.out_extra = 0, line->run(piece);
    else
      run_scan(piece);
    behind.submit(is_line ? n : n * slice);
    shown.advance((at + n) * slice * in_size);
  }
  if (is_line && job.shape.out_extra != 0) {
    line->total(behind.buffer());
    behind.submit(1);
  }
  behind.finish();
}

}  // namespace cli
