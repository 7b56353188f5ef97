// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call of each engine on device memory. They are compiled by nvcc, each in a file of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "cli/bench_workload.hpp"

namespace cli::bench {

// Enqueues one call on a stream that was given before. No allocation, no synchronisation: what it
// needs besides the buffers it holds. Throws failure.
using device_call = std::function<void(const void* in, void* out)>;

// A grid of 16-byte accesses; in and out begin at multiples of 16 bytes.
device_call copy_kernel_call(std::size_t bytes, cudaStream_t stream);

// The scans that w describes; its buffers are not used. Empty where there is none.
device_call cub_call(const workload& w, cudaStream_t stream);
device_call upsweep_call(const workload& w, cudaStream_t stream);

}  // namespace cli::bench
