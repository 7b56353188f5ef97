// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_contenders.hpp"

namespace cli::bench {

template std::vector<contender> contenders_of<float>(const workload&);
template std::vector<contender> contenders_of<double>(const workload&);
template void fill<float>(const workload&);
template std::optional<std::size_t> first_difference<float>(const workload&, const void*);
template double worst_error<float>(const workload&);
template void fill<double>(const workload&);
template std::optional<std::size_t> first_difference<double>(const workload&, const void*);
template double worst_error<double>(const workload&);

}  // namespace cli::bench
