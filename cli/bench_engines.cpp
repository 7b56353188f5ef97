// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_engines.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "upsweep/composites.hpp"
#include "upsweep/float16.hpp"

namespace cli::bench {

// Instantiated in bench_types_*.cpp.
template <class T>
std::vector<contender> contenders_of(const workload& w);
template <class T>
void fill(const workload& w);
template <class T>
std::optional<std::size_t> first_difference(const workload& w, const void* wanted);
template <class T>
double worst_error(const workload& w);

namespace {

template <class T>
constexpr element_type entry(std::string_view name) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, upsweep::affine<float>>)
    return {name, sizeof(T), fill<T>, contenders_of<T>, first_difference<T>, nullptr};
  else
    return {name, sizeof(T), fill<T>, contenders_of<T>, first_difference<T>, worst_error<T>};
}

constexpr std::array all_types{
    entry<std::int8_t>("i8"),
    entry<std::int32_t>("i32"),
    entry<std::int64_t>("i64"),
    entry<std::uint8_t>("u8"),
    entry<std::uint32_t>("u32"),
    entry<std::uint64_t>("u64"),
    entry<upsweep::f16>("f16"),
    entry<upsweep::bf16>("bf16"),
    entry<float>("f32"),
    entry<double>("f64"),
    entry<upsweep::affine<float>>("affine"),
};

}  // namespace

bool is_measured(place where, std::string_view type, std::string_view op) {
  if (type == "affine" || op == "compose") return type == "affine" && op == "compose";
  if (where == place::cpu) return true;
  return op == "sum" ? type != "u32" && type != "u64" : op == "max" && type == "f32";
}

std::span<const element_type> element_types() { return all_types; }

const element_type& element_type_of(std::string_view name) {
  return *std::find_if(all_types.begin(), all_types.end(),
                       [=](const element_type& t) { return t.name == name; });
}

}  // namespace cli::bench
