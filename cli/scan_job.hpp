// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One scan or reduction of one array in memory, with its dtypes known at run time only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/dtype_convert.hpp"
#include "upsweep/geometry.hpp"

namespace cli {

enum class operation { sum, prod, min, max, bit_and, bit_or, bit_xor };

// As the command line has them, in the order of the enumeration.
inline constexpr std::array<const char*, 7> operation_names{"sum", "prod", "min", "max",
                                                            "and", "or",   "xor"};
inline std::string name_of(operation op) { return operation_names[static_cast<std::size_t>(op)]; }

// A value of some dtype, as it is in memory.
using element = std::array<std::byte, 16>;

struct scan_job {
  stored_array in;  // data is the first element in the order of the scan
  std::byte* out = nullptr;
  dtype out_type = dtype::f8;  // what the elements become before anything is combined
  operation op = operation::sum;
  bool exclusive = false;
  bool reduce = false;          // one result a line: the last of its inclusive scan
  std::optional<element> init;  // of out_type
  // The prefix before the first element, instead of an init, as an accumulator.
  std::optional<element> before{};
  unsigned threads = 0;  // 0 is all cores
  upsweep::geometry shape;

  std::uint64_t line_length() const { return shape.length(); }
  // Results of a line.
  std::uint64_t results_length() const { return reduce ? 1 : shape.length() + shape.out_extra; }
};

// The dtype that NumPy gives the result: sums and products of bool and of integers narrower than 64
// bits are 64 bits wide, all else keeps its type.
dtype default_out_type(operation op, dtype in);

// Runs it. Bitwise operators need integers or bool on both sides; floats that become integers must
// fit (see first_unfit). Bool results are logical: a sum is "any so far", a product "all so far".
void run_scan(const scan_job& job);

}  // namespace cli
