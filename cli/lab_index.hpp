// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace cli::lab {

// With an index below 2^53 and words of 16 bytes, addresses are below 2^64.
inline constexpr std::uint64_t most_base = std::uint64_t{1} << 53;

// What upsweep lab banks --index was asked for.
struct index_question {
  std::string index, pad;  // expressions in t and i; no padding where pad is empty
  unsigned threads = 32, banks = 32;
  unsigned word = 4;       // bytes that a thread accesses
  std::uint64_t base = 0;  // byte address of element 0
  bool json = false;
};

// Prints the table of threads, indices and banks, and what the access costs.
void print_index(const index_question& q);

}  // namespace cli::lab
