// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of n elements, from in the first cache to beyond the last. Some of them:
//   scan_bench --benchmark_filter='upsweep_seq<float>' --benchmark_repetitions=5
#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "upsweep/scan.hpp"

namespace {

// Calls scan(in, out) on vectors of state.range(0) elements; bytes are those read and written.
template <class T, class Scan>
void measure(benchmark::State& state, Scan scan) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<T> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<T>(i * 2654435761u % 16);
  for (auto _ : state) {
    scan(in, out);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(2 * n * sizeof(T)) * state.iterations());
}

template <class T>
void std_scan(benchmark::State& state) {
  measure<T>(state, [](const auto& in, auto& out) {
    std::inclusive_scan(in.begin(), in.end(), out.begin());
  });
}

template <class T>
void upsweep_seq(benchmark::State& state) {
  measure<T>(state, [](const auto& in, auto& out) {
    upsweep::inclusive_scan(upsweep::seq, in.begin(), in.end(), out.begin(), upsweep::plus{});
  });
}

template <class T>
void upsweep_par(benchmark::State& state) {
  measure<T>(state, [](const auto& in, auto& out) {
    upsweep::inclusive_scan(upsweep::par, in.begin(), in.end(), out.begin(), upsweep::plus{});
  });
}

void sizes(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(16)->Range(1 << 4, 1 << 24)->UseRealTime();
}

BENCHMARK_TEMPLATE(std_scan, float)->Apply(sizes);
BENCHMARK_TEMPLATE(std_scan, double)->Apply(sizes);
BENCHMARK_TEMPLATE(std_scan, std::int32_t)->Apply(sizes);
BENCHMARK_TEMPLATE(std_scan, std::int64_t)->Apply(sizes);
BENCHMARK_TEMPLATE(std_scan, std::uint8_t)->Apply(sizes);

BENCHMARK_TEMPLATE(upsweep_seq, float)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_seq, double)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_seq, std::int32_t)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_seq, std::int64_t)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_seq, std::uint8_t)->Apply(sizes);

BENCHMARK_TEMPLATE(upsweep_par, float)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_par, double)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_par, std::int32_t)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_par, std::int64_t)->Apply(sizes);
BENCHMARK_TEMPLATE(upsweep_par, std::uint8_t)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
