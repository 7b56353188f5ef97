// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/job_setup.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "cli/failure.hpp"
#include "cli/number_text.hpp"
#include "cli/printable.hpp"

namespace cli {
namespace {

std::optional<stored_dtype> parse_option(const std::optional<std::string>& name,
                                         const std::string& option) {
  if (!name) return std::nullopt;
  const std::optional<stored_dtype> type = parse_dtype(*name);
  if (!type)
    throw usage_failure(
        fmt::format("{}: '{}' is not a dtype: bool, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 "
                    "f8, c8 c16, bf16 or their long names are",
                    option, printable(*name)));
  return type;
}

bool is_bitwise(operation op) {
  return op == operation::bit_and || op == operation::bit_or || op == operation::bit_xor;
}

bool has_bits(dtype type) {
  return kind_of(type) != dtype_kind::floating && kind_of(type) != dtype_kind::complex;
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
    if (parse_element(word, type, unused) == parsed::number && !(is_bitwise(op) && !has_bits(type)))
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

}  // namespace

std::optional<stored_dtype> stated_dtype(const scan_request& request) {
  std::optional<stored_dtype> type = parse_option(request.in_type, "--dtype");
  if (!request.byte_order) return type;
  if (!type) throw usage_failure("--byte-order: raw binary needs --dtype, too, such as --dtype f4");
  const bool big = *request.byte_order == "big";
  const char stated = (*request.in_type)[0];
  if (stated == (big ? '<' : '>'))
    throw usage_failure(fmt::format("--byte-order {} contradicts --dtype {}", *request.byte_order,
                                    *request.in_type));
  type->big_endian = big && item_size(type->type) != 1;
  return type;
}

dtype out_type_of(const scan_request& request, dtype in) {
  const std::optional<stored_dtype> stated = parse_option(request.out_type, "--out-dtype");
  if (stated && stated->big_endian)
    throw usage_failure("--out-dtype: results are written little-endian: drop the >");
  return stated ? stated->type : default_out_type(request.op, in);
}

void check_operator(const scan_request& request, dtype in, dtype out) {
  const auto refuse = [&](dtype type, const char* domain) {
    throw usage_failure(fmt::format("{}: {} is not defined for {}: {} only",
                                    input_name(request.input), name_of(request.op), name_of(type),
                                    domain));
  };
  const bool adds = request.op == operation::sum || request.op == operation::prod;
  for (const dtype type : {in, out}) {
    if (is_bitwise(request.op) && !has_bits(type)) refuse(type, "integers and bool");
    if (!adds && kind_of(type) == dtype_kind::complex) refuse(type, "real numbers");
  }
  if (kind_of(in) == dtype_kind::complex && kind_of(out) != dtype_kind::complex)
    throw usage_failure(fmt::format("{}: {} does not become {}: give --out-dtype c8 or c16",
                                    input_name(request.input), name_of(in), name_of(out)));
}

void check_fit(const scan_request& request, const stored_array& in, std::uint64_t n,
               std::uint64_t first, dtype out) {
  if (const auto position = first_unfit(in, n, out))
    throw run_time_failure(fmt::format(
        "{}: element {} in the order of the file does not fit {}: give a {} --out-dtype",
        input_name(request.input), first + *position, name_of(out),
        kind_of(in.item.type) == dtype_kind::floating ? "float" : "wider"));
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

file_format out_format_of(const scan_request& request, file_format in) {
  if (request.out_format) return *request.out_format;
  return format_of_name(request.output)
      .value_or(in == file_format::text ? file_format::text : file_format::raw);
}

array_shape shape_of_result(const scan_request& request, const input_array& in, int axis,
                            file_format format, dtype type) {
  array_shape result{type, in.shape, in.fortran_order && format == file_format::npy};
  std::uint64_t& length = result.extents[static_cast<std::size_t>(axis)];
  if (request.total) ++length;
  if (request.reduce) length = 1;
  return result;
}

array_shape shape_in_file(const scan_request& request, array_shape result, int axis) {
  if (request.reduce) result.extents.erase(result.extents.begin() + axis);
  result.fortran_order = result.fortran_order && result.extents.size() > 1;
  return result;
}

scan_job job_of_sequence(const scan_request& request, stored_dtype in, dtype out) {
  scan_job job;
  job.in.item = in;
  job.out_type = out;
  job.op = request.op;
  job.exclusive = request.exclusive;
  job.reduce = request.reduce;
  if (request.init) job.init = parse_init(*request.init, request.op, out);
  job.threads = request.threads;
  job.shape.rank = 1;
  job.shape.in_strides[0] = job.shape.out_strides[0] = 1;
  return job;
}

scan_job job_of(const scan_request& request, const input_array& in, int axis,
                const array_shape& result) {
  scan_job job = job_of_sequence(request, in.item, result.type);
  job.in.data = in.data;
  job.shape.rank = static_cast<int>(in.shape.size());
  job.shape.axis = axis;
  job.shape.out_extra = request.total ? 1 : 0;
  for (std::size_t d = 0; d < in.shape.size(); ++d) job.shape.extents[d] = in.shape[d];
  job.shape.in_strides = strides_of(in.shape, in.fortran_order);
  job.shape.out_strides = strides_of(result.extents, result.fortran_order);
  return job;
}

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

}  // namespace cli
