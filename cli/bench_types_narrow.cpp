// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_contenders.hpp"

namespace cli::bench {

template std::vector<contender> contenders_of<std::int8_t>(const workload&);
template std::vector<contender> contenders_of<std::uint8_t>(const workload&);
template std::vector<contender> contenders_of<upsweep::f16>(const workload&);
template std::vector<contender> contenders_of<upsweep::bf16>(const workload&);
template void fill<std::int8_t>(const workload&);
template std::optional<std::size_t> first_difference<std::int8_t>(const workload&, const void*);
template void fill<std::uint8_t>(const workload&);
template std::optional<std::size_t> first_difference<std::uint8_t>(const workload&, const void*);
template void fill<upsweep::f16>(const workload&);
template std::optional<std::size_t> first_difference<upsweep::f16>(const workload&, const void*);
template double worst_error<upsweep::f16>(const workload&);
template void fill<upsweep::bf16>(const workload&);
template std::optional<std::size_t> first_difference<upsweep::bf16>(const workload&, const void*);
template double worst_error<upsweep::bf16>(const workload&);

}  // namespace cli::bench
