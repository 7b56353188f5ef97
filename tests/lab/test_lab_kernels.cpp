// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of the lab gives the right results, without a finding, for operators that see a
// wrong order; those that claim the canonical order give its bits.
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstring>

#include "lab_cases.hpp"

namespace lab_cases {
namespace {

std::vector<std::size_t> sizes_of(std::string_view name) {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 8, 31, 32, 33, 100};
  const bool one_block = name.starts_with("hillis") || name == "blelloch" || name == "brent-kung" ||
                         name == "warp-shuffle" || name == "vectorized";
  for (const std::size_t n : {1000, 1023, 1024}) sizes.push_back(n);
  if (one_block && !name.starts_with("hillis") && name != "warp-shuffle") sizes.push_back(2047);
  if (!one_block && name != "naive")
    for (const std::size_t n : {1025, 4099, 20000}) sizes.push_back(n);
  return sizes;
}

template <class T, class Op>
void sweep(std::string_view name, const Op& op, bool bits) {
  lab::with_kernel(name, [&](auto algorithm) {
    for (const std::size_t n : sizes_of(name))
      for (const bool exclusive : {false, true}) {
        SCOPED_TRACE(std::string(name) + ", n = " + std::to_string(n) +
                     (exclusive ? ", exclusive" : ""));
        const std::vector<T> x = values<T>(n);
        const auto o = scan<decltype(algorithm)>(x, op, {exclusive});
        EXPECT_EQ(o.faults(), "");
        const std::vector<T> want = expected(x, op, exclusive);
        ASSERT_EQ(o.y.size(), want.size());
        if (bits && n != 0) {
          EXPECT_EQ(std::memcmp(o.y.data(), want.data(), n * sizeof(T)), 0);
        }
      }
  });
}

TEST(LabKernels, MatricesAreScannedByEveryKernel) {
  for (const lab::description& d : lab::catalogue)
    if (d.correct) sweep<matrix>(d.name, matrix_modulo{}, true);
}

TEST(LabKernels, TheOthersAreNotNamedTwice) {
  for (const lab::description& d : lab::catalogue)
    EXPECT_TRUE(
        lab::with_kernel(d.name, [&](auto algorithm) { EXPECT_EQ(algorithm.name, d.name); }));
  EXPECT_FALSE(lab::with_kernel("kogge", [](auto) {}));
}

TEST(LabKernels, CanonicalOnesGiveTheBitsOfTheReference) {
  for (const lab::description& d : lab::catalogue)
    if (d.canonical) sweep<float>(d.name, upsweep::plus{}, true);
}

// |y - ref| / (1 + |ref|) against a sum in double, as the lecture measures.
double worst_error(const std::vector<float>& x, const std::vector<float>& y) {
  double sum = 0, worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(x[i]);
    worst = std::max(worst, std::abs(static_cast<double>(y[i]) - sum) / (1 + std::abs(sum)));
  }
  return worst;
}

template <class Algorithm>
void check_sizes(double tolerance) {
  for (const std::size_t n : {1, 1023, 1024, 1025, 4096, 100000}) {
    const auto x = values<float>(n);
    const auto o = scan<Algorithm>(x, upsweep::plus{});
    EXPECT_EQ(o.faults(), "");
    EXPECT_LT(worst_error(x, o.y), tolerance) << n;
  }
}

TEST(LabKernels, TheLecturesSizesAndTolerance) {
  check_sizes<lab::hierarchical<>>(1e-3);
  check_sizes<lab::grid_sync>(1e-3);
  check_sizes<lab::lookback>(1e-3);
  check_sizes<lab::tree_lookback>(1e-3);
  for (const std::string_view name : {"hillis-steele", "warp-shuffle", "vectorized", "serial"})
    lab::with_kernel(name, [&](auto algorithm) {
      const auto x = values<float>(1024);
      EXPECT_LT(worst_error(x, scan<decltype(algorithm)>(x, upsweep::plus{}).y), 1e-4) << name;
    });
}

// An exclusive sum begins with 0.0, and sums of -0.0 stay -0.0: the fill is -0.0 and never 0.
TEST(LabKernels, GapsHoldTheIdentity) {
  const std::vector<float> x(5, -0.0f);
  for (const lab::description& d : lab::catalogue)
    lab::with_kernel(d.name, [&](auto algorithm) {
      const auto y = scan<decltype(algorithm)>(x, upsweep::plus{}, {false}).y;
      for (const float v : y) EXPECT_TRUE(std::signbit(v)) << d.name;
      EXPECT_FALSE(std::signbit(scan<decltype(algorithm)>(x, upsweep::plus{}, {true}).y[0]));
    });
}

// What is said of the others is true: none of them has the canonical bits.
TEST(LabKernels, OthersDoNotGiveTheCanonicalBits) {
  for (const lab::description& d : lab::catalogue)
    lab::with_kernel(d.name, [&](auto algorithm) {
      if (d.canonical) return;
      const bool many = d.name == "lookback" || d.name == "grid-sync" || d.name == "hierarchical";
      const auto x = values<float>(many ? 20000 : 1000);
      EXPECT_NE(scan<decltype(algorithm)>(x, upsweep::plus{}).y,
                expected(x, upsweep::plus{}, false))
          << d.name;
    });
}

#if !defined(__SANITIZE_ADDRESS__)
// 4 seconds and 0.1 GB where it was written.
TEST(LabKernels, AMillionElementsTakeSecondsAndLittleMemory) {
  const auto x = values<float>(std::size_t{1} << 20);
  const auto begin = std::chrono::steady_clock::now();
  const auto o = scan<lab::hierarchical<>>(x, upsweep::plus{});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_EQ(o.faults(), "");
  EXPECT_LT(worst_error(x, o.y), 1e-3);
  EXPECT_LT(time.count(), 60);
  EXPECT_LT(used.ru_maxrss, 1 << 20);  // KiB
}
#endif

template <class Algorithm>
std::string refusal(std::size_t n, const lab::options& how) {
  try {
    scan<Algorithm>(values<float>(n), upsweep::plus{}, how);
  } catch (const upsweep::argument_error& error) {
    return error.what();
  }
  return "";
}

TEST(LabKernels, SizesBeyondABlockAreRefusedWithTheReason) {
  EXPECT_NE(refusal<lab::hillis_steele>(1025, {}).find("at most 1024 elements"), std::string::npos);
  EXPECT_NE(refusal<lab::blelloch<>>(2049, {}).find("at most 2048 elements"), std::string::npos);
  EXPECT_NE(refusal<lab::vectorized>(4097, {}).find("hierarchical takes any"), std::string::npos);
  EXPECT_NE(refusal<lab::blelloch<>>(10, {false, 48}).find("power of two"), std::string::npos);
  EXPECT_NE(refusal<lab::lookback>(10, {false, 40}).find("whole warps"), std::string::npos);
  EXPECT_NE(refusal<lab::warp_shuffle>(10, {false, 2000}).find("1024 threads"), std::string::npos);
}

}  // namespace
}  // namespace lab_cases
