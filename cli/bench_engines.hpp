// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engines, by name, and the types and operators that they are measured on.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench_measure.hpp"
#include "cli/bench_workload.hpp"

namespace cli::bench {

// In the order of the table. A device's own copy and rivals will be rows of the same kind.
enum class role { copy, rival, upsweep };
struct engine {
  std::string_view name;
  role what;
};
inline constexpr std::array engines{
    engine{"memcpy-1", role::copy},       engine{"memcpy-all", role::copy},
    engine{"stream-copy-1", role::copy},  engine{"stream-copy-all", role::copy},
    engine{"std", role::rival},           engine{"std-par", role::rival},
    engine{"tbb", role::rival},           engine{"upsweep-seq", role::upsweep},
    engine{"upsweep-par", role::upsweep},
};
inline constexpr std::array operator_names{"sum", "prod", "min", "max"};
inline constexpr std::array kind_names{"inclusive", "exclusive"};

// What there is for one element type.
struct element_type {
  std::string_view name;
  std::size_t size;
  void (*fill)(const workload&);                          // writes w.in
  std::vector<contender> (*contenders)(const workload&);  // all engines that can do w
};

// i8 i32 i64 u8 u32 u64 f16 bf16 f32 f64, in this order.
std::span<const element_type> element_types();

// The type of that name. Needs a name from the list.
const element_type& element_type_of(std::string_view name);

}  // namespace cli::bench
