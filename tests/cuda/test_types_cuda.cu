// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and operators on the device have the bits of the CPU.
#include "cuda_cases.cuh"

namespace cuda_cases {

using TypesCuda = OnGpu;

template <class T>
std::vector<T> values_for() {
  return some_values<T>(most<T, upsweep::detail::widened_t<T>>());
}

TEST_F(TypesCuda, Integers) {
  equals_cpu<std::uint8_t, std::uint8_t>(values_for<std::uint8_t>(), upsweep::plus{});
  equals_cpu<std::int32_t, std::int32_t>(values_for<std::int32_t>(), upsweep::minimum{});
  equals_cpu<std::uint64_t, std::uint64_t>(values_for<std::uint64_t>(), upsweep::multiplies{});
}

TEST_F(TypesCuda, Floats) {
  equals_cpu<double, double>(values_for<double>(), upsweep::plus{});
  equals_cpu<float, float>(values_for<float>(), upsweep::maximum{}, 0.25f);
}

TEST_F(TypesCuda, SixteenBitFloatsAccumulateInFloat) {
  equals_cpu<upsweep::f16, upsweep::f16>(values_for<upsweep::f16>(), upsweep::plus{});
  equals_cpu<upsweep::bf16, float>(values_for<upsweep::bf16>(), upsweep::plus{});
}

TEST_F(TypesCuda, NarrowInWideOut) {
  equals_cpu<std::uint8_t, std::uint64_t>(values_for<std::uint8_t>(), upsweep::plus{});
  equals_cpu<std::int16_t, std::int8_t>(values_for<std::int16_t>(), upsweep::plus{}, 7);
}

TEST_F(TypesCuda, Logical) {
  equals_cpu<std::uint8_t, std::uint8_t>(values_for<std::uint8_t>(), upsweep::logical_and{});
}

}  // namespace cuda_cases
