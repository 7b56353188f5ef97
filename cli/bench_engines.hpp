// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engines, by name, and the types and operators that they are measured on.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench_measure.hpp"
#include "cli/bench_workload.hpp"

namespace cli::bench {

// In the order of the table.
enum class role { copy, rival, upsweep };
enum class place { cpu, cuda };
struct engine {
  std::string_view name;
  role what;
  place where = place::cpu;
};
inline constexpr std::array engines{
    engine{"memcpy-1", role::copy},
    engine{"memcpy-all", role::copy},
    engine{"stream-copy-1", role::copy},
    engine{"stream-copy-all", role::copy},
    engine{"std", role::rival},
    engine{"std-par", role::rival},
    engine{"tbb", role::rival},
    engine{"upsweep-seq", role::upsweep},
    engine{"upsweep-par", role::upsweep},
    engine{"memcpy", role::copy, place::cuda},
    engine{"copy-kernel", role::copy, place::cuda},
    engine{"cub", role::rival, place::cuda},
    engine{"upsweep-cuda", role::upsweep, place::cuda},
};
inline constexpr std::array operator_names{"sum", "prod", "min", "max", "compose"};
inline constexpr std::array kind_names{"inclusive", "exclusive"};

// What there is for one element type.
struct element_type {
  std::string_view name;
  std::size_t size;
  void (*fill)(const workload&);                          // writes w.in
  std::vector<contender> (*contenders)(const workload&);  // all engines of the CPU that can do w
  // The first element of w.out that is not what `wanted` has, as far as the operator's order is
  // free: sums of floats and maps of floats within a tolerance, all else exactly.
  std::optional<std::size_t> (*first_difference)(const workload& w, const void* wanted);
  // How far off w.out is, a sum; null for what is exact.
  double (*worst_error)(const workload& w);
};

// i8 i32 i64 u8 u32 u64 f16 bf16 f32 f64 affine, in this order.
std::span<const element_type> element_types();

// Whether the bench has this operator on this type: affine maps are composed, and nothing else is.
// On a GPU it has the sums of all types but u32 and u64, which run as i32 and i64 do, the maximum
// of f32, and maps.
bool is_measured(place where, std::string_view type, std::string_view op);

// The type of that name. Needs a name from the list.
const element_type& element_type_of(std::string_view name);

}  // namespace cli::bench
