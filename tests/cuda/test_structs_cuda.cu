// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures of up to 64 bytes, and operators that do not commute, have the bits of the CPU.
#include "cuda_cases.cuh"

namespace cuda_cases {

using StructsCuda = OnGpu;

TEST_F(StructsCuda, AffineMaps) {
  using A = upsweep::affine<float>;
  std::mt19937_64 random(3);
  std::vector<A> maps(most<A, A>());
  for (A& m : maps) m = {some_value<float>(random), some_value<float>(random)};
  equals_cpu<A, A>(maps, upsweep::compose{});
}

TEST_F(StructsCuda, MaximumAndCount) {
  using M = upsweep::max_count<float>;
  std::mt19937_64 random(4);
  std::vector<M> values(most<M, M>());
  for (M& m : values) {
    std::memset(static_cast<void*>(&m), 0, sizeof m);  // padding is compared as well
    m.value = static_cast<float>(random() % 8), m.count = 1;
  }
  // The count is what matters; padding bytes are not copied by every operation.
  uc::workspace space;
  const device_array<M> in(values);
  const device_array<M> out(values.size());
  std::vector<M> expected(values.size());
  upsweep::inclusive_scan(upsweep::seq, values.begin(), values.end(), expected.begin(),
                          upsweep::maximum_count{});
  upsweep::inclusive_scan(uc::on(nullptr, space), in.data(), in.end(), out.data(),
                          upsweep::maximum_count{});
  EXPECT_TRUE(out.get() == expected);
}

// 4 by 4 matrices modulo 2^32, 64 bytes: exact, not commutative.
struct matrix4 {
  std::uint32_t at[16];
};
struct product4 {
  UPSWEEP_HD matrix4 operator()(const matrix4& left, const matrix4& right) const {
    matrix4 result{};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k)
          result.at[4 * i + j] += left.at[4 * i + k] * right.at[4 * k + j];
    return result;
  }
};
TEST_F(StructsCuda, SixtyFourBytes) {
  std::mt19937_64 random(5);
  std::vector<matrix4> values(most<matrix4, matrix4>());
  for (matrix4& m : values)
    for (auto& entry : m.at) entry = static_cast<std::uint32_t>(random());
  equals_cpu<matrix4, matrix4>(values, product4{});
}

// The largest there are, side by side: words of 32 of them, and more than 1024 tiles.
TEST_F(StructsCuda, SixtyFourBytesAlongColumns) {
  const std::size_t extents[] = {20000, 33}, all = extents[0] * extents[1];
  std::mt19937_64 random(7);
  std::vector<matrix4> values(all), expected(all);
  for (matrix4& m : values)
    for (auto& entry : m.at) entry = static_cast<std::uint32_t>(random());
  const device_array<matrix4> in(values), out(all);
  upsweep::cuda::workspace roomy(std::size_t{256} << 20);
  using in_view = upsweep::array_view<const matrix4>;
  using out_view = upsweep::array_view<matrix4>;
  upsweep::inclusive_scan(upsweep::par, in_view(values.data(), extents),
                          out_view(expected.data(), extents), 0, product4{});
  upsweep::inclusive_scan(uc::on(nullptr, roomy), in_view(in.data(), extents),
                          out_view(out.data(), extents), 0, product4{});
  EXPECT_EQ(std::memcmp(out.get().data(), expected.data(), all * sizeof(matrix4)), 0);
}

// 12 bytes, which divide no vector: concatenation of a hash, with the tree visible.
struct odd_size {
  std::uint32_t hash, first, last;
};
struct chain {
  UPSWEEP_HD odd_size operator()(const odd_size& left, const odd_size& right) const {
    return {left.hash * 31 + (right.hash ^ left.last) * 17 + 1, left.first, right.last};
  }
};
TEST_F(StructsCuda, TwelveBytes) {
  std::mt19937_64 random(6);
  std::vector<odd_size> values(most<odd_size, odd_size>());
  for (odd_size& v : values)
    v = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
         static_cast<std::uint32_t>(random())};
  equals_cpu<odd_size, odd_size>(values, chain{});
}

}  // namespace cuda_cases
