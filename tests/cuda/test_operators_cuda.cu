// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shipped operators give the same bits on a GPU as on the CPU: what every GPU engine builds on.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "upsweep/composites.hpp"

namespace {

template <class T, class Op>
__global__ void apply(const T* left, const T* right, T* out, int n, Op op) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = op(left[i], right[i]);
}

#define REQUIRE_CUDA(call) ASSERT_EQ(call, cudaSuccess) << cudaGetErrorString(cudaPeekAtLastError())

bool no_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}

// Any bits at all, so that NaN, infinities, denormals and both zeros occur.
template <class T>
std::vector<T> any_values(int n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& v : values) {
    std::uint64_t words[sizeof(T) / 8 + 1];
    for (std::uint64_t& w : words)
      w = random() % 8 == 0 ? random() << 63 | random() << 31 >> 31 : random();
    std::memcpy(static_cast<void*>(&v), words, sizeof v);
  }
  return values;
}

// Floats whose exponents are close, so that rounding matters.
template <std::floating_point F>
void near_one(std::vector<F>& values, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<F> uniform(F(-2), F(2));
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = uniform(random);
}
template <class T>
void near_one(std::vector<T>&, unsigned) {}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a && b != b) return true;  // sign and payload of NaN are not pinned
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class F>
bool same(const upsweep::affine<F>& a, const upsweep::affine<F>& b) {
  return same(a.scale, b.scale) && same(a.offset, b.offset);
}
template <class F>
bool same(const upsweep::matrix2x2<F>& a, const upsweep::matrix2x2<F>& b) {
  return same(a.a, b.a) && same(a.b, b.b) && same(a.c, b.c) && same(a.d, b.d);
}
template <class F>
bool same(const upsweep::max_count<F>& a, const upsweep::max_count<F>& b) {
  return same(a.value, b.value) && a.count == b.count;
}

// Counts the pairs for which device and host differ.
template <class T, class Op>
void device_equals_host(Op op) {
  constexpr int n = 1 << 16;
  std::vector<T> left = any_values<T>(n, 1), right = any_values<T>(n, 2), out(n);
  near_one(left, 3), near_one(right, 4);
  T *l = nullptr, *r = nullptr, *o = nullptr;
  REQUIRE_CUDA(cudaMalloc(&l, n * sizeof(T)));
  REQUIRE_CUDA(cudaMalloc(&r, n * sizeof(T)));
  REQUIRE_CUDA(cudaMalloc(&o, n * sizeof(T)));
  REQUIRE_CUDA(cudaMemcpy(l, left.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  REQUIRE_CUDA(cudaMemcpy(r, right.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  apply<<<n / 256, 256>>>(l, r, o, n, op);
  REQUIRE_CUDA(cudaGetLastError());
  REQUIRE_CUDA(cudaMemcpy(out.data(), o, n * sizeof(T), cudaMemcpyDeviceToHost));
  cudaFree(l), cudaFree(r), cudaFree(o);
  int different = 0;
  for (std::size_t i = 0; i < n; ++i) different += !same(out[i], op(left[i], right[i]));
  EXPECT_EQ(different, 0) << "of " << n << " pairs";
}

template <class T>
void arithmetic() {
  device_equals_host<T>(upsweep::plus{});
  device_equals_host<T>(upsweep::multiplies{});
  device_equals_host<T>(upsweep::minimum{});
  device_equals_host<T>(upsweep::maximum{});
}

}  // namespace

TEST(OperatorsCuda, SameBitsAsHost) {
  if (no_gpu()) GTEST_SKIP() << "no GPU on this machine";
  arithmetic<float>();
  arithmetic<double>();
  arithmetic<std::int8_t>();
  arithmetic<std::int32_t>();
  arithmetic<std::uint64_t>();
  device_equals_host<std::uint16_t>(upsweep::bit_and{});
  device_equals_host<std::uint32_t>(upsweep::bit_or{});
  device_equals_host<std::int64_t>(upsweep::bit_xor{});
}

TEST(OperatorsCuda, CompositesUseFmaOnBoth) {
  if (no_gpu()) GTEST_SKIP() << "no GPU on this machine";
  device_equals_host<upsweep::affine<float>>(upsweep::compose{});
  device_equals_host<upsweep::affine<double>>(upsweep::compose{});
  device_equals_host<upsweep::affine<std::uint32_t>>(upsweep::compose{});
  device_equals_host<upsweep::matrix2x2<float>>(upsweep::matrix_product{});
  device_equals_host<upsweep::matrix2x2<std::uint64_t>>(upsweep::matrix_product{});
  device_equals_host<upsweep::max_count<float>>(upsweep::maximum_count{});
}

// The checker itself: an operator that is different on the device is found.
struct planted {
  UPSWEEP_HD float operator()(float left, float right) const {
#if defined(__CUDA_ARCH__)
    return left + right + 1.0f;
#else
    return left + right;
#endif
  }
};
TEST(OperatorsCuda, PlantedDifferenceIsFound) {
  if (no_gpu()) GTEST_SKIP() << "no GPU on this machine";
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter capture(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    device_equals_host<float>(planted{});
  }
  EXPECT_EQ(failures.size(), 1);
}
