// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/scan_task.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "cli/array_file.hpp"
#include "cli/device_gain.hpp"
#include "cli/failure.hpp"
#include "cli/npy_header.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"
#include "cli/scan_device.hpp"
#include "cli/scan_verify.hpp"

namespace cli {
namespace {

std::optional<stored_dtype> stated_dtype(const std::optional<std::string>& name,
                                         const std::string& option) {
  if (!name) return std::nullopt;
  const std::optional<stored_dtype> type = parse_dtype(*name);
  if (!type)
    throw usage_failure(
        fmt::format("{}: '{}' is not a dtype: bool, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 "
                    "f8, bf16 or their long names are",
                    option, printable(*name)));
  return type;
}

dtype out_type_of(const scan_request& request, dtype in) {
  const std::optional<stored_dtype> stated = stated_dtype(request.out_type, "--out-dtype");
  if (stated && stated->big_endian)
    throw usage_failure("--out-dtype: results are written little-endian: drop the >");
  return stated ? stated->type : default_out_type(request.op, in);
}

bool is_bitwise(operation op) {
  return op == operation::bit_and || op == operation::bit_or || op == operation::bit_xor;
}

void check_operator(const scan_request& request, const input_array& in, dtype out) {
  for (const dtype type : {in.item.type, out})
    if (is_bitwise(request.op) && kind_of(type) == dtype_kind::floating)
      throw usage_failure(fmt::format("{}: {} is not defined for {}: integers and bool only",
                                      input_name(request.input), name_of(request.op),
                                      name_of(type)));
  if (const auto position = first_unfit(in.elements(), in.count, out))
    throw run_time_failure(
        fmt::format("{}: element {} in the order of the file does not fit {}: give a wider "
                    "--out-dtype",
                    input_name(request.input), *position, name_of(out)));
}

parsed parse_element(const std::string& word, dtype type, element& to) {
  return with_dtype(type, [&]<dtype D>() {
    stored_t<D> value{};
    const parsed how = parse_number<D>(word, value);
    std::memcpy(to.data(), &value, sizeof value);
    return how;
  });
}

// What to do about an init that its dtype does not hold: take one that does, where there is one.
std::string advice_for_init(const std::string& word, operation op) {
  element unused{};
  for (const auto& [type, code] :
       {std::pair(dtype::i8, "i8"), std::pair(dtype::u8, "u8"), std::pair(dtype::f8, "f8")})
    if (parse_element(word, type, unused) == parsed::number &&
        !(is_bitwise(op) && kind_of(type) == dtype_kind::floating))
      return fmt::format(": give --out-dtype {}", code);
  return "";
}

element parse_init(const std::string& word, operation op, dtype type) {
  element init{};
  const parsed result = parse_element(word, type, init);
  if (result != parsed::number)
    throw usage_failure(
        fmt::format("--init: '{}' {} {}{}", printable(word),
                    result == parsed::out_of_range ? "is out of range for" : "is not a value of",
                    name_of(type), advice_for_init(word, op)));
  return init;
}

int axis_of(const scan_request& request, const input_array& in) {
  const int rank = static_cast<int>(in.shape.size());
  const int axis = request.axis.value_or(0);
  if (axis < -rank || axis >= rank)
    throw usage_failure(
        fmt::format("{}: no axis {}: the array has {} (0 to {}, or from the end -1 "
                    "to -{})",
                    input_name(request.input), axis, rank, rank - 1, rank));
  return axis < 0 ? axis + rank : axis;
}

std::array<std::ptrdiff_t, upsweep::max_rank> strides_of(const std::vector<std::uint64_t>& extents,
                                                         bool fortran) {
  std::array<std::ptrdiff_t, upsweep::max_rank> strides{};
  std::ptrdiff_t step = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::size_t d = fortran ? i : extents.size() - 1 - i;
    strides[d] = step;
    step *= static_cast<std::ptrdiff_t>(extents[d]);
  }
  return strides;
}

// The result has the input's shape, order where its format can say so, and one element more along
// the axis for a total.
array_shape shape_of_result(const input_array& in, int axis, bool total, file_format format,
                            dtype type) {
  array_shape result{type, in.shape, in.fortran_order && format == file_format::npy};
  if (total) ++result.extents[static_cast<std::size_t>(axis)];
  return result;
}

scan_job job_of(const scan_request& request, const input_array& in, int axis,
                const array_shape& result) {
  scan_job job;
  job.in = in.elements();
  job.out_type = result.type;
  job.op = request.op;
  job.exclusive = request.exclusive;
  if (request.init) job.init = parse_init(*request.init, request.op, result.type);
  job.threads = request.threads;
  job.shape.rank = static_cast<int>(in.shape.size());
  job.shape.axis = axis;
  job.shape.out_extra = request.total ? 1 : 0;
  for (std::size_t d = 0; d < in.shape.size(); ++d) job.shape.extents[d] = in.shape[d];
  job.shape.in_strides = strides_of(in.shape, in.fortran_order);
  job.shape.out_strides = strides_of(result.extents, result.fortran_order);
  return job;
}

// A reverse scan is a scan of the axis from its last element, and its results go the same way: the
// total of an exclusive one is at index 0.
void reverse_axis(scan_job& job) {
  const auto axis = static_cast<std::size_t>(job.shape.axis);
  const auto length = static_cast<std::ptrdiff_t>(job.shape.extents[axis]);
  const auto extra = static_cast<std::ptrdiff_t>(job.shape.out_extra);
  const auto turn = [](auto*& data, std::ptrdiff_t n, std::ptrdiff_t& stride, dtype type) {
    if (n > 0) data += (n - 1) * stride * static_cast<std::ptrdiff_t>(item_size(type));
    stride = -stride;
  };
  turn(job.in.data, length, job.shape.in_strides[axis], job.in.item.type);
  turn(job.out, length + extra, job.shape.out_strides[axis], job.out_type);
}

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

void scan_file(const scan_request& request) {
  input_array in = read_array(request.input, stated_dtype(request.in_type, "--dtype"));
  const dtype out_type = out_type_of(request, in.item.type);
  check_operator(request, in, out_type);
  const int axis = axis_of(request, in);
  if (!request.axis && in.shape.size() > 1) {
    if (in.fortran_order) in = in_c_order(in);
    in.shape = {in.count};
  }
  // An unknown name gets what the input is: text for a text, else the bytes alone.
  const file_format format =
      format_of_name(request.output)
          .value_or(in.format == file_format::text ? file_format::text : file_format::raw);
  const array_shape result = shape_of_result(in, axis, request.total, format, out_type);
  scan_job job = job_of(request, in, axis, result);
  output_array out(request.output, format, result);
  job.out = out.data();
  if (request.reverse) reverse_axis(job);
  run_where_asked(request.device, job);
  if (request.verify) report_check(job);
  out.commit();
}

}  // namespace

void run_scan_task(const scan_request& request) {
  check_output_name(request.output);
  if (request.device.what == device_choice::kind::cuda) device_of(find_devices(), request.device);
  try {
    scan_file(request);
  } catch (const std::bad_alloc&) {
    throw run_time_failure(input_name(request.input) + ": not enough memory");
  }
}

}  // namespace cli
