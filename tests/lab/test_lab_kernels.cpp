// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of the lab gives the right results, without a finding, for operators that see a
// wrong order; those that claim the canonical order give its bits.
#include <cstring>

#include "lab_cases.hpp"

namespace lab_cases {
namespace {

std::vector<std::size_t> sizes_of(std::string_view name) {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 8, 31, 32, 33, 100};
  const bool one_block = name.starts_with("hillis") || name == "blelloch" ||
                         name == "brent-kung" || name == "warp-shuffle" || name == "vectorized";
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
    EXPECT_TRUE(lab::with_kernel(d.name, [&](auto algorithm) { EXPECT_EQ(algorithm.name, d.name); }));
  EXPECT_FALSE(lab::with_kernel("kogge", [](auto) {}));
}

TEST(LabKernels, CanonicalOnesGiveTheBitsOfTheReference) {
  for (const lab::description& d : lab::catalogue)
    if (d.canonical) sweep<float>(d.name, upsweep::plus{}, true);
}

}  // namespace
}  // namespace lab_cases
