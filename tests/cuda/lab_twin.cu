// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled to PTX by machine_cost.py, which compares the two kernels.
#include "lab_twin.cuh"

template __global__ void upsweep::lab::gpu::run_kernel<lab_twin::kernel>(const lab_twin::kernel);
