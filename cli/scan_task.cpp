// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_task.hpp"

#include <cstdio>
#include <new>
#include <utility>

#include "cli/device_gain.hpp"
#include "cli/failure.hpp"
#include "cli/job_setup.hpp"
#include "cli/scan_device.hpp"
#include "cli/scan_verify.hpp"
#include "cli/stream_task.hpp"

namespace cli {
namespace {

void report_check(const scan_job& job) {
  const verify_report report = verify_scan(job);
  // A report that nobody can read is no reason to fail: the status says the same.
  std::fputs((report.text() + "\n").c_str(), stderr);
  if (!report.passed())
    throw failure(exit_status::verification_failed, "verification failed: nothing was written");
}

// On a GPU where that was asked for, or where there is one and it is faster.
void run_where_asked(const device_choice& device, const scan_job& job) {
  using kind = device_choice::kind;
  const bool on_gpu =
      device.what == kind::cuda ||
      (device.what == kind::automatic && gains_from_device(job) && !find_devices().devices.empty());
  if (on_gpu)
    run_scan_on_device(job, device.index);
  else
    run_scan(job);
}

void scan_in_memory(const scan_request& request, input_array in) {
  const dtype out_type = out_type_of(request, in.item.type);
  check_operator(request, in.item.type, out_type);
  check_fit(request, in.elements(), in.count, 0, out_type);
  const int axis = axis_of(request, in);
  if (!request.axis && in.shape.size() > 1) {
    if (in.fortran_order) in = in_c_order(in);
    in.shape = {in.count};
  }
  const file_format format = out_format_of(request, in.format);
  const array_shape result = shape_of_result(request, in, axis, format, out_type);
  scan_job job = job_of(request, in, axis, result);
  output_array out(request.output, format, shape_in_file(request, result, axis));
  job.out = out.data();
  if (request.reverse) reverse_axis(job);
  run_where_asked(request.device, job);
  if (request.verify) report_check(job);
  out.commit();
}

void scan_file(const scan_request& request) {
  const bool mappable = is_mappable(request.input);
  const file_format format = format_to_read(request.input, request.reading);
  std::optional<input_array> whole;
  if (is_streamed(request, format, mappable)) {
    whole = run_stream_task(request, format);
    if (!whole) return;
  }
  scan_in_memory(request, whole ? std::move(*whole) : read_array(request.input, request.reading));
}

}  // namespace

void run_scan_task(scan_request request) {
  check_output_name(request.output, request.out_format);
  request.reading.type = stated_dtype(request);
  if (request.device.what == device_choice::kind::cuda) device_of(find_devices(), request.device);
  try {
    scan_file(request);
  } catch (const std::bad_alloc&) {
    throw run_time_failure(input_name(request.input) + ": not enough memory");
  }
}

}  // namespace cli
