// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "cli/array_file.hpp"
#include "cli/run_stats.hpp"
#include "cli/scan_request.hpp"

namespace cli {

// Whether the request can be run with bounded memory, and is to be: a scan from the first element
// to the last of one sequence on the CPU, whose input is a text or is not a file that can be
// mapped.
bool is_streamed(const scan_request& request, file_format format, bool mappable);

// Runs it, from the input to the output. Returns the array instead where it turns out that it has
// to be in memory as a whole. Throws failure; a part of the result may then have gone to an output
// that is no file.
std::optional<input_array> run_stream_task(const scan_request& request, file_format format,
                                           run_stats& stats);

}  // namespace cli
