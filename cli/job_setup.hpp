// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a request and the array that it is about to a job: dtypes, axis, shapes and strides, and
// the refusal of what does not go together. All of it throws failure, before anything is written.
#pragma once

#include "cli/array_file.hpp"
#include "cli/scan_job.hpp"
#include "cli/scan_request.hpp"

namespace cli {

// The dtype that --dtype and --byte-order state.
std::optional<stored_dtype> stated_dtype(const scan_request& request);

// The dtype of results: --out-dtype, else NumPy's.
dtype out_type_of(const scan_request& request, dtype in);

// That the operator is defined for the dtypes of both sides, and elements of one become the other.
void check_operator(const scan_request& request, dtype in, dtype out);

// That n elements become integers; the first of them is element `first` of the input.
void check_fit(const scan_request& request, const stored_array& in, std::uint64_t n,
               std::uint64_t first, dtype out);

// The request's axis from 0 on.
int axis_of(const scan_request& request, const input_array& in);

// An unknown name gets what the input is: text for a text, else the bytes alone.
file_format out_format_of(const scan_request& request, file_format in);

// The shape of the result in memory: that of the input, in its order where the format can say so,
// with one element more along the axis for a total, and one alone for a reduction.
array_shape shape_of_result(const scan_request& request, const input_array& in, int axis,
                            file_format format, dtype type);

// As NumPy shapes it: a reduction loses the axis, or all of them.
array_shape shape_in_file(const scan_request& request, array_shape result, int axis);

// The job of one sequence, without its elements and its output.
scan_job job_of_sequence(const scan_request& request, stored_dtype in, dtype out);

// The job without its output.
scan_job job_of(const scan_request& request, const input_array& in, int axis,
                const array_shape& result);

// A reverse scan is a scan of the axis from its last element, and its results go the same way: the
// total of an exclusive one is at index 0. Needs the job's output.
void reverse_axis(scan_job& job);

}  // namespace cli
