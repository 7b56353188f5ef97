// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of host memory on a device, streamed through it in chunks: the array may be larger than the
// device's memory, and the bits are those of run_scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cli/failure.hpp"
#include "cli/line_buffers.hpp"
#include "cli/scan_job.hpp"
#include "cli/scan_stream.hpp"

namespace cli {

// What a device is asked to hold.
struct device_room {
  std::size_t gpu = 0;         // its index
  std::uint64_t elements = 0;  // of a slot
  std::uint64_t results = 0;   // of a slot, where they are more
};

// The most elements of a chunk: 16 MiB of accumulators, half a millisecond of the link's time. In
// that time the host starts many copies and kernels, and four such buffers are locked quickly.
template <class T>
constexpr int default_chunk_log2() {
  return sizeof(T) == 8 ? 21 : 22;
}

// A reduction is an inclusive scan of which the last results are kept.
//
// Runs the job on the device that open.template operator()<T>(op, room) gives, as a pointer to
// chunk_device<T>, for the accumulator T. chunk_log2: the most elements of a chunk, 0 for the
// default; it changes no bit. A job without elements is run by the CPU.
template <class Open>
void stream_job(const scan_job& job, int chunk_log2, device_room room, const Open& open) {
  const lane_choice lane = choose_lane(job.op, job.out_type);
  with_lane(lane, [&]<class T, operation O>() {
    if constexpr (is_complex<T>) {
      throw usage_failure("--device: complex numbers are scanned on the CPU only");
    } else {
      const line_buffers<T> array(job, lane);
      const std::uint64_t lines = array.lines(), length = array.length();
      if (lines == 0 || length == 0) return run_scan(job);
      const stream_plan plan(lines, length, chunk_log2 != 0 ? chunk_log2 : default_chunk_log2<T>());
      room.elements = plan.most_elements();
      room.results = plan.most_results(job.shape.out_extra);
      const std::unique_ptr<chunk_device<T>> device = open.template operator()<T>(lane.op, room);
      const stream_task<T> task{job.exclusive, job.shape.out_extra != 0, init_of<T>(job, lane),
                                empty_of<T>(lane)};
      scan_stream(
          plan, *device, task, operator_t<O>{},
          [&](const stream_chunk& chunk, T* to) { array.load(chunk, to); },
          [&](const stream_chunk& chunk, const T* from) {
            if (!job.reduce) return array.store(chunk, from);
            if (chunk.closes) array.store_last(chunk, from);
          })
          .run();
    }
  });
}

// Runs the job on a GPU. Throws failure when something goes wrong there, or when the tool was built
// without CUDA; the output is then incomplete.
void run_scan_on_device(const scan_job& job, std::size_t gpu, int chunk_log2 = 0);

}  // namespace cli
