// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators and types of all kinds on the lab's kernels; padding and the choice of a tile's kernel
// change no result.
#include "lab_cases.hpp"

namespace lab_cases {
namespace {

TEST(LabOperators, HierarchicalTakesAnyBlockAlgorithm) {
  const auto x = values<matrix>(5000);
  for (const lab::description& d : lab::catalogue) {
    if (!d.correct) continue;
    lab::with_block_kernel(d.name, [&](auto block) {
      for (const bool exclusive : {false, true}) {
        const auto o =
            scan<lab::hierarchical<decltype(block)>>(x, matrix_modulo{}, {exclusive, 64});
        EXPECT_EQ(o.faults(), "") << d.name;
        EXPECT_EQ(o.y, expected(x, matrix_modulo{}, exclusive)) << d.name;
      }
    });
  }
}

TEST(LabOperators, PaddingChangesNoResults) {
  const auto x = values<matrix>(300);
  const auto want = expected(x, matrix_modulo{}, true);
  const auto check = [&](auto pad) {
    using p = decltype(pad);
    const auto a = scan<lab::blelloch<p>>(x, matrix_modulo{}, {true});
    const auto b = scan<lab::brent_kung<p>>(x, matrix_modulo{}, {true});
    EXPECT_EQ(a.faults() + b.faults(), "");
    EXPECT_EQ(a.y, want);
    EXPECT_EQ(b.y, want);
  };
  check(lab::padding<32, 1>{});
  check(lab::padding<32, 2>{});
  check(lab::padding<16, 1>{});
  check(lab::padding<16, 2>{});
}

template <class T, class Op>
void check_operator(const Op& op) {
  for (const std::string_view name : {"blelloch", "tree-lookback", "brent-kung"})
    for (const bool exclusive : {false, true})
      lab::with_kernel(name, [&](auto algorithm) {
        const auto x = values<T>(777);
        const auto o = scan<decltype(algorithm)>(x, op, {exclusive});
        EXPECT_EQ(o.faults(), "") << name;
        EXPECT_EQ(o.y, expected(x, op, exclusive)) << name;
      });
}

TEST(LabOperators, ThoseOfTheLibrary) {
  check_operator<float>(upsweep::maximum{});
  check_operator<std::int32_t>(upsweep::multiplies{});
  check_operator<std::uint8_t>(upsweep::bit_xor{});
  check_operator<upsweep::affine<float>>(upsweep::compose{});
  check_operator<upsweep::max_count<float>>(upsweep::maximum_count{});
}

}  // namespace
}  // namespace lab_cases
