// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU engine for n-D arrays: every line along one axis is a scan of its own, from index 0.
//
//   axis contiguous      rows     lines one behind the other, many short ones in one kernel call
//   axis not contiguous  columns  strips of neighbouring lines, a row of values a step
//   neither              lines    gathered and scattered through a tile
//
// Threads share lines or strips where there are enough of them, else the chunks of each.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>

#include "upsweep/cpu/convert.hpp"
#include "upsweep/cpu/line.hpp"
#include "upsweep/cpu/strip.hpp"
#include "upsweep/geometry.hpp"

namespace upsweep::cpu {

// Calls task(0) ... task(count - 1), in order, on up to workers threads. Rethrows the first
// exception once all threads have stopped.
template <class Task>
void for_tasks(unsigned workers, std::size_t count, const Task& task) {
  if (workers <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  struct shared {
    const Task& task;
    std::size_t count;
    std::atomic<std::size_t> next{0};
    first_exception failure;

    static void take_all(void* self) {
      auto& a = *static_cast<shared*>(self);
      for (std::size_t i; (i = a.next.fetch_add(1, std::memory_order_relaxed)) < a.count;)
        a.task(i);
    }
    static void work(void* self) {
      auto& a = *static_cast<shared*>(self);
      if (!a.failure.capture_from(take_all, self)) a.next.store(a.count, std::memory_order_relaxed);
    }
  } all{task, count, {}, {}};
  run_workers(static_cast<unsigned>(std::min<std::size_t>(workers, count)), shared::work, &all);
  all.failure.rethrow();
}

// Results are written past the cache when the data exceeds half of it.
inline store store_for(std::size_t bytes, bool in_place) {
  return !in_place && bytes > caches().l3 / 2 ? store::streaming : store::cached;
}

// One scan of every line of an array; see scan_array.
template <class T, class Op>
class array_scan {
 public:
  array_scan(parallel_policy who, const source<T>& in, const sink<T>& out, const geometry& g,
             output mode, Op op, std::optional<T> init, std::optional<T> empty)
      : who_(who),
        in_(in),
        out_(out),
        mode_(mode),
        total_(g.out_extra != 0),
        op_(std::move(op)),
        init_(std::move(init)),
        empty_(std::move(empty)),
        outer_(g),
        n_(g.length()),
        in_step_(g.in_step()),
        out_step_(mode == output::none ? 1 : g.out_step()),
        how_(store_for(2 * sizeof(T) * n_ * outer_.size(outer_.rank), in.base == out.base)) {}

  void run() {
    if (outer_.size(outer_.rank) == 0 || (n_ == 0 && !total_ && mode_ != output::none)) return;
    const bool rows = in_step_ == 1 && out_step_ == 1 && in_.direct && out_.direct;
    if (rows && outer_.rank != 0 && n_ <= short_row)
      short_rows();
    else if (!rows && wide())
      columns();
    else
      lines();
  }

 private:
  static constexpr std::size_t short_row = std::size_t{65536} / sizeof(T);
  static constexpr std::size_t task_bytes = std::size_t{1} << 18;
  static constexpr std::size_t strip_bytes = 4096, least_width = 4;

  // True where lines lie side by side: a step to the next line is shorter than one along the line.
  bool wide() const {
    if (outer_.rank == 0) return false;
    const upsweep::detail::dimension& d = outer_.last();
    return d.extent >= least_width && std::abs(d.in) <= std::abs(in_step_) &&
           (mode_ == output::none || std::abs(d.out) <= std::abs(out_step_));
  }
  std::size_t workers() const { return workers_of(who_); }
  // Threads for the tasks themselves: one where the whole array is too small to share.
  unsigned task_workers() const {
    const std::size_t all = n_ * outer_.size(outer_.rank);
    const std::size_t chunk = std::size_t{1} << chunk_level(who_, all, sizeof(T));
    return too_few(who_, all, chunk) ? 1 : workers_of(who_);
  }

  void short_rows() const {
    const upsweep::detail::dimension& d = outer_.last();
    const std::size_t group = std::max<std::size_t>(1, task_bytes / (sizeof(T) * (n_ + 1)));
    const std::size_t groups = (d.extent + group - 1) / group;
    for_tasks(task_workers(), outer_.size(outer_.rank - 1) * groups, [&](std::size_t i) {
      const auto [in, out] = outer_.offsets(i / groups, outer_.rank - 1);
      const auto first = static_cast<std::ptrdiff_t>(i % groups * group);
      row_block<T> rows;
      rows.in = in_.direct + in + first * d.in;
      rows.out = out_.direct + out + first * d.out;
      rows.rows = std::min(group, d.extent - static_cast<std::size_t>(first));
      rows.n = n_, rows.in_pitch = d.in, rows.out_pitch = d.out;
      rows.init = init_, rows.empty = empty_, rows.total = total_;
      run_rows(rows, op_, mode_, how_);
    });
  }

  void columns() const {
    const upsweep::detail::dimension& d = outer_.last();
    const std::size_t width = std::max<std::size_t>(16, strip_bytes / sizeof(T));
    const std::size_t strips = (d.extent + width - 1) / width;
    const std::size_t tasks = outer_.size(outer_.rank - 1) * strips;
    const bool shared = tasks >= 2 * workers() || workers() <= 1;
    for_tasks(shared ? task_workers() : 1, tasks, [&](std::size_t i) {
      const auto [in, out] = outer_.offsets(i / strips, outer_.rank - 1);
      const auto first = static_cast<std::ptrdiff_t>(i % strips * width);
      strip<T> s;
      s.in = in_, s.out = out_, s.n = n_;
      s.w = std::min(width, d.extent - static_cast<std::size_t>(first));
      s.in_first = in + first * d.in, s.in_row = in_step_, s.in_column = d.in;
      s.out_first = out + first * d.out, s.out_row = out_step_, s.out_column = d.out;
      s.init = init_, s.empty = empty_, s.mode = mode_, s.total = total_, s.how = how_;
      scan_strip(shared ? who_.on(1) : who_, s, op_);
    });
  }

  void lines() const {
    const std::size_t count = outer_.size(outer_.rank);
    const bool shared = count >= 2 * workers() || workers() <= 1;
    for_tasks(shared ? task_workers() : 1, count, [&](std::size_t i) {
      const auto [in, out] = outer_.offsets(i, outer_.rank);
      const staged_line<T, Op> line{in_, out_, in, in_step_, out, out_step_, empty_, how_};
      std::optional<T> last = scan_line(shared ? who_.on(1) : who_, n_, op_, init_, mode_, line);
      if (!last) last = empty_;
      if (mode_ == output::none)
        line.put(0, *last);
      else if (total_)
        line.put(n_, *last);
    });
  }

  parallel_policy who_;
  source<T> in_;
  sink<T> out_;
  output mode_;
  bool total_;
  Op op_;
  std::optional<T> init_, empty_;
  upsweep::detail::outer_shape outer_;
  std::size_t n_;
  std::ptrdiff_t in_step_, out_step_;
  store how_;
};

// Scans every line of an array along g.axis, in mode inclusive or exclusive, with one more output
// a line for its total where g.out_extra says so; mode none writes one result a line, and the
// output's stride along the axis is ignored. empty is what a prefix of nothing is written as when
// there is no init; it must be set if such a prefix can occur. T must be copyable as bytes.
// Cost: one read and one write of memory, and two operations an element.
template <class T, class Op>
void scan_array(parallel_policy who, const source<T>& in, const sink<T>& out, const geometry& g,
                output mode, Op op, std::optional<T> init, std::optional<T> empty) {
  array_scan<T, Op>(who, in, out, g, mode, std::move(op), std::move(init), std::move(empty)).run();
}

}  // namespace upsweep::cpu
