// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector kernels for sums of 16-bit floats: widened on load, rounded once on store.
#include "src/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/simd_half.cpp"
#include <hwy/foreach_target.h>

#include "src/simd_run-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::HWY_NAMESPACE {
void run_f16(const f16* in, f16* out, std::size_t n, prefix_stack<float, plus>& stack,
             cpu::output mode, cpu::store how) {
  run_half(in, out, n, stack, mode, how);
}
void run_bf16(const bf16* in, bf16* out, std::size_t n, prefix_stack<float, plus>& stack,
              cpu::output mode, cpu::store how) {
  run_half(in, out, n, stack, mode, how);
}
}  // namespace upsweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep {
HWY_EXPORT(run_f16);
HWY_EXPORT(run_bf16);

namespace cpu {
void simd_run_half(const f16* in, f16* out, std::size_t n, prefix_stack<float, plus>& stack,
                   output mode, store how) {
  HWY_DYNAMIC_DISPATCH(run_f16)(in, out, n, stack, mode, how);
}
void simd_run_half(const bf16* in, bf16* out, std::size_t n, prefix_stack<float, plus>& stack,
                   output mode, store how) {
  HWY_DYNAMIC_DISPATCH(run_bf16)(in, out, n, stack, mode, how);
}
}  // namespace cpu
}  // namespace upsweep
#endif
