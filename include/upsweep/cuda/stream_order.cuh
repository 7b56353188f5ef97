// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of kernels in a stream, where a launch lets one begin before those ahead of it have
// ended. Source: CUDA C++ Programming Guide, Programmatic Dependent Launch.
#pragma once

namespace upsweep::cuda {

// Lets the next kernel of the stream begin, then waits until all before are complete and what they
// wrote can be seen. Every thread of every kernel calls it, before its first access.
__device__ inline void follow_earlier_kernels() {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace upsweep::cuda
