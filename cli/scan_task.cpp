// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_task.hpp"

#include <cstdio>
#include <new>
#include <utility>

#include "cli/device_gain.hpp"
#include "cli/failure.hpp"
#include "cli/job_setup.hpp"
#include "cli/ordered_run.hpp"
#include "cli/output_file.hpp"
#include "cli/overflow_check.hpp"
#include "cli/piecewise_run.hpp"
#include "cli/run_stats.hpp"
#include "cli/scan_device.hpp"
#include "cli/scan_verify.hpp"
#include "cli/stream_task.hpp"

namespace cli {
namespace {

void report_check(const scan_request& request, const scan_job& job) {
  const verify_report report = verify_scan(job);
  // A report that nobody can read is no reason to fail: the status says the same.
  if (!request.quiet || !report.passed()) std::fputs((report.text() + "\n").c_str(), stderr);
  if (!report.passed())
    throw failure(exit_status::verification_failed, "verification failed: nothing was written");
}

// On a GPU where that was asked for, or where there is one and it is faster. Tells where.
std::string run_where_asked(const scan_request& request, const scan_job& job, std::uint64_t bytes) {
  using kind = device_choice::kind;
  const device_choice& device = request.device;
  const bool on_gpu =
      device.what == kind::cuda ||
      (device.what == kind::automatic && gains_from_device(job) && !find_devices().devices.empty());
  if (on_gpu) {
    run_scan_on_device(job, device.index);
    return "cuda:" + std::to_string(device.index);
  }
  progress shown(!request.quiet, request.reduce ? "reduce" : "scan", bytes);
  run_scan_watched(job, shown);
  return "cpu";
}

// On the CPU, with the results written as they are formed.
void scan_in_order(const scan_request& request, const scan_job& job, const piece_order& order,
                   const array_shape& result, run_stats& stats) {
  check_output_dtype(request.output, stats.out_format, result.type);
  array_writer out(request.output, stats.out_format, result.type);
  if (request.checked && overflow_check::applies_to(result.type)) check_overflow(request, job);
  progress shown(!request.quiet, "scan", stats.elements * item_size(stats.in));
  out.begin(result);
  run_in_order(job, order, out, shown);
  out.commit();
  stats.results = out.count(), stats.bytes_out = out.bytes();
}

void scan_in_memory(const scan_request& request, input_array in, run_stats& stats) {
  const dtype out_type = out_type_of(request, in.item.type);
  stats.elements = in.count, stats.bytes_in = in.bytes_read;
  check_operator(request, in.item.type, out_type);
  check_fit(request, in.elements(), in.count, 0, out_type);
  const int axis = axis_of(request, in);
  if (!request.axis && in.shape.size() > 1) {
    if (in.fortran_order) in = in_c_order(in, request.threads);
    in.shape = {in.count};
  }
  const file_format format = out_format_of(request, in.format);
  const array_shape result = shape_of_result(request, in, axis, format, out_type);
  scan_job job = job_of(request, in, axis, result);
  stats.in = in.item.type, stats.out = out_type;
  stats.in_format = in.format, stats.out_format = format;
  if (!request.verify && !request.reverse && request.device.what != device_choice::kind::cuda)
    if (const auto order = order_of(job, !result.fortran_order))
      return scan_in_order(request, job, *order, result, stats);
  output_array out(request.output, format, shape_in_file(request, result, axis));
  job.out = out.data();
  if (request.reverse) reverse_axis(job);
  if (request.checked && overflow_check::applies_to(out_type)) check_overflow(request, job);
  stats.device = run_where_asked(request, job, in.count * item_size(in.item.type));
  if (request.verify) report_check(request, job);
  progress shown(!request.quiet, "write", out.count() * item_size(out_type));
  out.commit([&](std::uint64_t done) { shown.advance(done); });
  stats.results = out.count(), stats.bytes_out = out.bytes();
}

void run(const scan_request& request) {
  run_stats stats;
  const bool mappable = is_mappable(request.input);
  const file_format format = format_to_read(request.input, request.reading);
  const bool streamed = is_streamed(request, format, mappable);
  std::optional<input_array> whole;
  if (streamed) whole = run_stream_task(request, format, stats);
  if (!streamed) whole = read_array(request.input, request.reading);
  if (whole) scan_in_memory(request, std::move(*whole), stats);
  write_stats(request, stats);
}

}  // namespace

void run_scan_task(scan_request request) {
  check_output_name(request.output, request.out_format);
  check_stats(request);
  check_not_its_own_input(request.input, request.output);
  request.reading.type = stated_dtype(request);
  if (request.device.what == device_choice::kind::cuda) device_of(find_devices(), request.device);
  try {
    run(request);
  } catch (const std::bad_alloc&) {
    throw run_time_failure(input_name(request.input) + ": not enough memory");
  }
}

}  // namespace cli
