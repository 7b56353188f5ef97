// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_contenders.hpp"

namespace cli::bench {

template std::vector<contender> contenders_of<std::int64_t>(const workload&);
template std::vector<contender> contenders_of<std::uint64_t>(const workload&);
template void fill<std::int64_t>(const workload&);
template std::optional<std::size_t> first_difference<std::int64_t>(const workload&, const void*);
template void fill<std::uint64_t>(const workload&);
template std::optional<std::size_t> first_difference<std::uint64_t>(const workload&, const void*);

}  // namespace cli::bench
