// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model's occupancy beside what the CUDA runtime computes, for every kernel of the lab; and
// that what is measured on this device is what a device can be.
#include <gtest/gtest.h>

#include <string>

#include "lab/catalogue.hpp"
#include "lab/gpu/gpu_device.cuh"
#include "lab/gpu/measure_device.hpp"
#include "lab/model/occupancy.hpp"

namespace {

namespace lab = upsweep::lab;
namespace gpu = upsweep::lab::gpu;
namespace model = upsweep::lab::model;

bool no_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}
#define NEEDS_GPU() \
  if (no_gpu()) GTEST_SKIP() << "there is no GPU here"

model::device_spec here() {
  cudaDeviceProp p{};
  gpu::check(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties");
  model::device_spec d;
  d.threads = p.maxThreadsPerMultiProcessor, d.blocks = p.maxBlocksPerMultiProcessor;
  d.block_threads = p.maxThreadsPerBlock, d.registers = p.regsPerMultiprocessor;
  d.register_unit = 256, d.warp_unit = 4, d.shared_unit = 128;
  d.shared_bytes = static_cast<double>(p.sharedMemPerMultiprocessor);
  d.block_shared_bytes = static_cast<double>(p.sharedMemPerBlockOptin);
  d.reserved_shared_bytes = static_cast<double>(p.reservedSharedMemPerBlock);
  return d;
}

// Compares each launch of a scan at many numbers of threads and sizes of shared memory.
struct comparison {
  model::device_spec device = here();
  int compared = 0, differences = 0;
  double more_registers = 0;  // planted

  template <class T>
  lab::global<T> array(const char*, std::uint64_t size) {
    return {nullptr, size, 0};
  }
  lab::words words(const char*, std::uint64_t size) { return {nullptr, size, 0}; }
  template <class Kernel>
  std::uint64_t cooperative_blocks(const Kernel&, unsigned, std::uint32_t) const {
    return 8;
  }
  template <class Kernel>
  void launch(const char* name, const lab::shape&, const Kernel&) {
    cudaFuncAttributes attributes{};
    gpu::check(cudaFuncGetAttributes(&attributes, gpu::run_kernel<Kernel>),
               "cudaFuncGetAttributes");
    for (const int threads : {32, 33, 64, 96, 128, 160, 256, 384, 512, 768, 1024})
      for (const int bytes : {0, 1, 127, 1024, 4096, 8192, 8448, 12000, 16384, 32768, 49152})
        compare(name, attributes.numRegs, threads, bytes, blocks_of<Kernel>(threads, bytes));
  }
  template <class Kernel>
  static int blocks_of(int threads, int bytes) {
    int blocks = 0;
    gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &blocks, gpu::run_kernel<Kernel>, threads, static_cast<std::size_t>(bytes)),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  }
  void compare(const char* name, int registers, int threads, int bytes, int blocks) {
    const auto ours =
        occupancy_of(device, {1.0 * threads, registers + more_registers, 1.0 * bytes});
    ++compared;
    if (ours.blocks == blocks) return;
    if (++differences <= 5 && more_registers == 0)
      ADD_FAILURE() << name << ", " << threads << " threads, " << bytes << " bytes, " << registers
                    << " registers: " << blocks << " blocks, not " << ours.blocks;
  }
};

void compare_all(comparison& c) {
  for (const lab::description& k : lab::catalogue)
    lab::with_kernel(k.name, [&](auto algorithm) {
      const std::uint64_t n = k.reach.starts_with("any") ? 100000 : 1000;
      decltype(algorithm)::scan(c, lab::global<const float>{nullptr, n, 0},
                                lab::global<float>{nullptr, n, 0}, upsweep::plus{}, {});
    });
}

TEST(ModelCuda, OccupancyIsThatOfTheRuntime) {
  NEEDS_GPU();
  comparison c;
  compare_all(c);
  EXPECT_EQ(c.differences, 0);
  EXPECT_GT(c.compared, 13 * 100);
}

TEST(ModelCuda, WrongRegistersAreFound) {
  NEEDS_GPU();
  comparison c;
  c.more_registers = 32;
  compare_all(c);
  EXPECT_GT(c.differences, 100);
}

TEST(ModelCuda, MeasuresWhatADeviceCanBe) {
  NEEDS_GPU();
  double l1 = 0, l2 = 0, dram = 0;
  const auto all = gpu::measure_device();
  EXPECT_GT(all.size(), 60u);
  for (const gpu::measurement& m : all) {
    EXPECT_GT(m.value, 0) << m.name;
    if (m.name == "l1_cycles") l1 = m.value;
    if (m.name == "l2_cycles") l2 = m.value;
    if (m.name == "dram_cycles") dram = m.value;
  }
  EXPECT_LT(2 * l1, l2);
  EXPECT_LT(l2, dram);
}

}  // namespace
