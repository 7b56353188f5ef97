// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the CUDA engine is the canonical one, on every path and for every tile size, and its
// operators meet real elements only.
#include <gtest/gtest-spi.h>

#include "cuda_cases.cuh"
#include "upsweep/reference.hpp"

namespace cuda_cases {

using OrderCuda = OnGpu;

// An element is the range of its index; sums of ranges that do not meet are counted.
struct range {
  std::uint32_t begin, end;
};
struct join {
  unsigned* strangers;  // in device memory
  __device__ range operator()(const range& left, const range& right) const {
    const std::uint32_t size = right.end - right.begin;
    const bool block = (size & (size - 1)) == 0 && (right.begin & (size - 1)) == 0;
    if (left.end != right.begin || left.begin >= left.end || right.begin >= right.end || !block)
      atomicAdd(strangers, 1u);
    return {left.begin, right.end};
  }
};

TEST_F(OrderCuda, EveryOperandIsABlockOfRealElements) {
  std::vector<range> all(most<range, range>());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)};
  const device_array<range> in(all);
  device_array<unsigned> strangers(std::vector<unsigned>{0});
  uc::workspace space;
  for (const std::size_t n : sizes<range, range>())
    for (const uc::path path : paths) {
      const device_array<range> out(n);
      upsweep::inclusive_scan(uc::on(nullptr, space).by(path), in.data(), in.data() + n, out.data(),
                              join{strangers.data()});
      const std::vector<range> found = out.get();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) wrong += found[i].begin != 0 || found[i].end != i + 1;
      ASSERT_EQ(wrong, 0u) << "n " << n << ", path " << static_cast<int>(path);
      ASSERT_EQ(strangers.get()[0], 0u) << "n " << n << ", path " << static_cast<int>(path);
    }
}

TEST_F(OrderCuda, IsTheTreeOfTheDefinition) {
  const auto all = some_values<std::uint64_t>(most<std::uint64_t, std::uint64_t>());
  equals_cpu<std::uint64_t, std::uint64_t>(all, tree_hash{});
  equals_cpu<std::uint64_t, std::uint64_t>(all, tree_hash{}, std::uint64_t{42});
}

TEST_F(OrderCuda, SumOfFloats) {
  equals_cpu<float, float>(some_values<float>(most<float, float>()), upsweep::plus{});
}

// So many tiles that a block takes dozens: it looks back with one warp and calls tiles to L2 ahead.
TEST_F(OrderCuda, ManyTiles) {
  const std::size_t n = (std::size_t{1} << 25) + 5;
  const auto values = some_values<float>(n);
  std::vector<float> expected(n);
  upsweep::inclusive_scan(upsweep::par, values.begin(), values.end(), expected.begin());
  const device_array<float> in(values), out(n);
  uc::workspace space;
  upsweep::inclusive_scan(uc::on(nullptr, space), in.data(), in.end(), out.data());
  EXPECT_EQ(first_difference(out.get(), expected), n);
  EXPECT_TRUE(out.guards_hold());
}

// 2^32 + 1 bytes, the values 0 to 6 over and over, so that every prefix has a formula.
__global__ void fill_mod_7(std::uint8_t* x, std::uint64_t n) {
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = static_cast<std::uint8_t>(i % 7);
}
__global__ void count_wrong(const std::uint8_t* sums, std::uint64_t n, unsigned* wrong) {
  for (std::uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (sums[i] != static_cast<std::uint8_t>(i / 7 * 21 + (i % 7) * (i % 7 + 1) / 2))
      atomicAdd(wrong, 1u);
}
TEST_F(OrderCuda, MoreThan32BitsOfElements) {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 1;
  std::size_t free = 0, all = 0;
  uc::check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  if (free < 3 * n) GTEST_SKIP() << "not enough memory on this device";
  const device_array<std::uint8_t> in(n), out(n);
  const device_array<unsigned> wrong(std::vector<unsigned>{0});
  fill_mod_7<<<1024, 256>>>(in.data(), n);
  uc::workspace space;
  upsweep::inclusive_scan(uc::on(nullptr, space), in.data(), in.end(), out.data());
  count_wrong<<<1024, 256>>>(out.data(), n, wrong.data());
  EXPECT_EQ(wrong.get()[0], 0u);
  EXPECT_TRUE(out.guards_hold());
}

// Many times, beside another kernel that keeps the device busy: look-back must not depend on who
// runs when.
__global__ void stir(float* data, std::size_t n, int rounds) {
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      data[i] = data[i] * 0.5f + 1.0f;
}
TEST_F(OrderCuda, SameBitsUnderLoad) {
  const std::size_t n = (std::size_t{1} << 22) + 12345;
  const auto values = some_values<float>(n);
  std::vector<float> expected(n);
  upsweep::inclusive_scan(upsweep::par, values.begin(), values.end(), expected.begin());
  const device_array<float> in(values), noise(n);
  cudaStream_t mine, other;
  uc::check(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking), "cudaStreamCreate");
  uc::check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreate");
  uc::workspace space;
  for (int repeat = 0; repeat < 20; ++repeat)
    for (const uc::path path : paths) {
      const device_array<float> out(n);
      uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      stir<<<200, 256, 0, other>>>(noise.data(), n, 3);
      upsweep::inclusive_scan(uc::on(mine, space).by(path), in.data(), in.end(), out.data());
      uc::check(cudaStreamSynchronize(mine), "cudaStreamSynchronize");
      ASSERT_EQ(first_difference(out.get(), expected), n)
          << "repeat " << repeat << ", path " << static_cast<int>(path);
    }
  uc::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  cudaStreamDestroy(mine), cudaStreamDestroy(other);
}

// The checkers themselves: operands swapped on the device are found.
struct swapped_hash {
  __host__ __device__ std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const {
#if defined(__CUDA_ARCH__)
    return tree_hash{}(right, left);
#else
    return tree_hash{}(left, right);
#endif
  }
};
TEST_F(OrderCuda, PlantedSwapIsFound) {
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter capture(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    equals_cpu<std::uint64_t, std::uint64_t>(some_values<std::uint64_t>(100), swapped_hash{});
  }
  EXPECT_EQ(failures.size(), 1);
}

}  // namespace cuda_cases
