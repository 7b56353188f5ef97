// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lab's kernels on a GPU: the same text that the simulator runs, with the same results; and the
// machine costs nothing beside a kernel written by hand.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "../lab/lab_cases.hpp"
#include "lab/gpu/gpu_device.cuh"
#include "lab_twin.cuh"

namespace lab_cases {
namespace {

namespace gpu = upsweep::lab::gpu;

bool no_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}
#define NEEDS_GPU() \
  if (no_gpu()) GTEST_SKIP() << "there is no GPU here"

template <class Algorithm, class T, class Op>
std::vector<T> scan_on_gpu(const std::vector<T>& x, const Op& op, const lab::options& how) {
  gpu::device d;
  std::vector<T> y(x.size());
  const std::size_t bytes = x.size() * sizeof(T);
  const auto in = d.array<T>("x", x.size()), out = d.array<T>("y", x.size());
  gpu::check(cudaMemcpy(in.data, x.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  gpu::check(cudaMemset(out.data, 0xa5, bytes), "cudaMemset");
  Algorithm::scan(d, lab::global<const T>(in), out, op, how);
  gpu::check(cudaMemcpy(y.data(), out.data, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return y;
}

template <class T, class Op>
void sweep(const lab::description& d, const Op& op, std::vector<std::size_t> sizes) {
  const bool one_block = !d.reach.starts_with("any");
  if (!one_block)
    for (const std::size_t n : {1025, 4096, 100000}) sizes.push_back(n);
  lab::with_kernel(d.name, [&](auto algorithm) {
    for (const std::size_t n : sizes)
      for (const bool exclusive : {false, true}) {
        SCOPED_TRACE(std::string(d.name) + ", n = " + std::to_string(n));
        const auto x = values<T>(n);
        const auto y = scan_on_gpu<decltype(algorithm)>(x, op, {exclusive});
        EXPECT_EQ(std::memcmp(y.data(), expected(x, op, exclusive).data(), n * sizeof(T)), 0);
      }
  });
}

TEST(LabCuda, MatricesAreScannedByEveryKernel) {
  NEEDS_GPU();
  for (const lab::description& d : lab::catalogue)
    if (d.correct) sweep<matrix>(d, matrix_modulo{}, {1, 2, 33, 1000, 1024});
}

TEST(LabCuda, CanonicalOnesGiveTheBitsOfTheReference) {
  NEEDS_GPU();
  for (const std::string_view name : {"blelloch", "brent-kung", "tree-lookback"})
    for (const lab::description& d : lab::catalogue)
      if (d.name == name) {
        ASSERT_TRUE(d.canonical);
        sweep<float>(d, upsweep::plus{}, {1, 2, 33, 1000, 1024});
      }
}

TEST(LabCuda, LookBackOfManyTiles) {
  NEEDS_GPU();
  const auto x = values<matrix>(std::size_t{1} << 22);
  const auto want = expected(x, matrix_modulo{}, false);
  for (int repeat = 0; repeat < 5; ++repeat) {
    EXPECT_EQ(scan_on_gpu<lab::lookback>(x, matrix_modulo{}, {}), want);
    EXPECT_EQ(scan_on_gpu<lab::tree_lookback>(x, matrix_modulo{}, {}), want);
    EXPECT_EQ(scan_on_gpu<lab::grid_sync>(x, matrix_modulo{}, {}), want);
  }
}

TEST(LabCuda, MachineTakesNoMoreRegistersThanAKernelByHand) {
  NEEDS_GPU();
  cudaFuncAttributes machine{}, hand{};
  gpu::check(cudaFuncGetAttributes(&machine, gpu::run_kernel<lab_twin::kernel>),
             "cudaFuncGetAttributes");
  gpu::check(cudaFuncGetAttributes(&hand, lab_twin::by_hand), "cudaFuncGetAttributes");
  EXPECT_LE(machine.numRegs, hand.numRegs);
  EXPECT_EQ(machine.localSizeBytes, 0u);
}

}  // namespace
}  // namespace lab_cases
