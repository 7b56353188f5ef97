// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_device_calls.hpp"
#include "cli/cuda_call.hpp"

namespace cli::bench {

namespace {

constexpr unsigned threads = 256;

// Each thread copies that many quads of 16 bytes, a block's width apart.
template <int quads_a_thread>
__global__ void __launch_bounds__(threads)
    copy_bytes(const uint4* in, uint4* out, std::size_t quads, unsigned rest) {
  const std::size_t first = std::size_t{blockIdx.x} * (threads * quads_a_thread) + threadIdx.x;
  uint4 held[quads_a_thread];
#pragma unroll
  for (int i = 0; i < quads_a_thread; ++i)
    if (first + i * threads < quads) held[i] = in[first + i * threads];
#pragma unroll
  for (int i = 0; i < quads_a_thread; ++i)
    if (first + i * threads < quads) out[first + i * threads] = held[i];
  if (blockIdx.x == 0 && threadIdx.x < rest)
    reinterpret_cast<unsigned char*>(out + quads)[threadIdx.x] =
        reinterpret_cast<const unsigned char*>(in + quads)[threadIdx.x];
}

}  // namespace

device_call copy_kernel_call(std::size_t bytes, cudaStream_t stream) {
  const std::size_t quads = bytes / 16;
  const auto rest = static_cast<unsigned>(bytes % 16);
  const bool few = quads <= std::size_t{1} << 18;  // then all multiprocessors are to have a part
  const std::size_t a_block = threads * (few ? 1 : 4);
  const auto blocks = static_cast<unsigned>(quads / a_block + 1);
  const auto kernel = few ? copy_bytes<1> : copy_bytes<4>;
  return [=](const void* in, void* out) {
    kernel<<<blocks, threads, 0, stream>>>(static_cast<const uint4*>(in), static_cast<uint4*>(out),
                                           quads, rest);
    check_cuda(cudaGetLastError(), "a copy kernel");
  };
}

}  // namespace cli::bench
