// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the array of a scan job, of any dtype and strides, and buffers of accumulators.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "cli/scan_lanes.hpp"
#include "cli/stream_plan.hpp"
#include "upsweep/cpu/threads.hpp"

namespace cli {

// The lines of the job's array along its axis, numbered in C order of the other dimensions. Both
// calls use the job's number of threads; several may go on at once.
template <class T>
class line_buffers {
 public:
  line_buffers(const scan_job& job, const lane_choice& lane)
      : job_(job),
        source_(job.in, lane.as),
        in_(source_.get()),
        out_(array_sink<T>(job.out, lane.store)) {}
  line_buffers(const line_buffers&) = delete;
  line_buffers& operator=(const line_buffers&) = delete;

  std::uint64_t length() const { return job_.shape.extents[axis()]; }
  std::uint64_t lines() const {
    std::uint64_t n = 1;
    for (std::size_t d = 0; d < rank(); ++d)
      if (d != axis()) n *= job_.shape.extents[d];
    return n;
  }

  // The chunk's elements, line by line.
  void load(const stream_chunk& chunk, T* to) const {
    const std::ptrdiff_t stride = job_.shape.in_strides[axis()];
    for_each_run(chunk, chunk.length, [&](std::uint64_t line, std::uint64_t at, std::size_t n) {
      const std::ptrdiff_t first =
          start_of(chunk.line + line).first + signed_of(chunk.begin + at) * stride;
      T* const into = to + line * chunk.length + at;
      if (in_.direct != nullptr && stride == 1)
        std::memcpy(into, in_.direct + first, n * sizeof(T));
      else
        in_.load(in_.base, first, stride, n, into);
    });
  }

  // The chunk's results, line by line, with the totals of lines that end in it.
  void store(const stream_chunk& chunk, const T* from) const {
    const std::ptrdiff_t stride = job_.shape.out_strides[axis()];
    const std::uint64_t length = chunk.length + (chunk.closes ? job_.shape.out_extra : 0);
    for_each_run(chunk, length, [&](std::uint64_t line, std::uint64_t at, std::size_t n) {
      const std::ptrdiff_t first =
          start_of(chunk.line + line).second + signed_of(chunk.begin + at) * stride;
      const T* const results = from + line * length + at;
      if (out_.direct != nullptr && stride == 1)
        std::memcpy(out_.direct + first, results, n * sizeof(T));
      else
        out_.store(out_.base, first, stride, n, results);
    });
  }

  // The last result of each of the chunk's lines, as that line's only one.
  void store_last(const stream_chunk& chunk, const T* from) const {
    for (std::uint64_t line = 0; line < chunk.lines; ++line) {
      const std::ptrdiff_t at = start_of(chunk.line + line).second;
      const T* const last = from + (line + 1) * chunk.length - 1;
      if (out_.direct != nullptr)
        out_.direct[at] = *last;
      else
        out_.store(out_.base, at, 1, 1, last);
    }
  }

 private:
  static constexpr std::uint64_t run = std::uint64_t{1} << 16;  // elements for a thread at a time

  static std::ptrdiff_t signed_of(std::uint64_t n) { return static_cast<std::ptrdiff_t>(n); }
  std::size_t axis() const { return static_cast<std::size_t>(job_.shape.axis); }
  std::size_t rank() const { return static_cast<std::size_t>(job_.shape.rank); }

  // Where a line begins in the input and in the output, in elements.
  std::pair<std::ptrdiff_t, std::ptrdiff_t> start_of(std::uint64_t line) const {
    std::ptrdiff_t in = 0, out = 0;
    for (std::size_t d = rank(); d-- > 0;) {
      if (d == axis()) continue;
      const std::uint64_t index = line % job_.shape.extents[d];
      line /= job_.shape.extents[d];
      in += signed_of(index) * job_.shape.in_strides[d];
      out += signed_of(index) * job_.shape.out_strides[d];
    }
    return {in, out};
  }

  // Calls f(line of the chunk, position, how many) for every part of every line, by all threads:
  // a run of one line, or as many neighbouring lines as make a run.
  template <class F>
  void for_each_run(const stream_chunk& chunk, std::uint64_t length, const F& f) const {
    const std::uint64_t runs_a_line = (length + run - 1) / run;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, run / length);
    const std::uint64_t tasks = (chunk.lines + at_once - 1) / at_once * runs_a_line;
    std::atomic<std::uint64_t> next{0};
    auto work = [&] {
      for (std::uint64_t task; (task = next.fetch_add(1)) < tasks;) {
        const std::uint64_t first = task / runs_a_line * at_once, at = task % runs_a_line * run;
        const std::uint64_t end = std::min(chunk.lines, first + at_once);
        for (std::uint64_t line = first; line < end; ++line)
          f(line, at, static_cast<std::size_t>(std::min(run, length - at)));
      }
    };
    const std::uint64_t threads = upsweep::cpu::workers_of(upsweep::par.on(job_.threads));
    upsweep::cpu::run_workers(
        static_cast<unsigned>(std::min(threads, tasks)),
        [](void* context) { (*static_cast<decltype(work)*>(context))(); }, &work);
  }

  const scan_job& job_;
  array_source<T> source_;
  upsweep::cpu::source<T> in_;
  upsweep::cpu::sink<T> out_;
};

}  // namespace cli
