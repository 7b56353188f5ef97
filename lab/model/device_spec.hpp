// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as the model sees it: what its data sheet says, and what measure_device finds. The data
// file cli/devices.json describes some; its fields are these, by the same names.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace upsweep::lab::model {

struct device_spec {
  std::string name;                  // by which a user calls it
  std::string about;                 // which product, with what memory
  std::vector<std::string> sources;  // of the figures
  std::vector<std::string> assumed;  // fields that nobody measured on this device
  // What one multiprocessor has, and how many there are.
  double processors = 0, clock_hz = 0, fp32_lanes = 0, schedulers = 0;
  double threads = 0, blocks = 0, block_threads = 0, registers = 0, register_unit = 0;
  double warp_unit = 0, shared_bytes = 0, block_shared_bytes = 0, shared_unit = 0;
  double reserved_shared_bytes = 0, banks = 0;
  // Memory.
  double dram_bytes_per_s = 0, copy_share = 0, l2_bytes = 0, l2_bytes_per_s = 0;
  // Cycles of dependent operations.
  double add_cycles = 0, shuffle_cycles = 0, shared_cycles = 0, barrier_cycles = 0;
  double barrier_warp_cycles = 0, l1_cycles = 0, l2_cycles = 0, dram_cycles = 0;
  double atomic_cycles = 0, turn_cycles = 0, turn_warp_cycles = 0;
  double compute_capability = 0;  // 0 where nobody says; what kernels need is asked of it
  // Seconds.
  double first_launch_s = 0, launch_s = 0, clear_s = 0, gap_s = 0, hop_s = 0, grid_barrier_s = 0;

  double adds_per_s() const { return processors * fp32_lanes * clock_hz; }
  double ridge() const { return adds_per_s() / dram_bytes_per_s; }  // adds a byte
  // How much of arrays of so many bytes L2 serves: all of what fits, and of larger ones a pass
  // finds the less, the larger they are: nothing at twice its size.
  double l2_share(double array_bytes) const {
    return l2_bytes == 0 ? 0 : std::clamp(2 - array_bytes / l2_bytes, 0.0, 1.0);
  }
  // Blocks that CUDA takes in a row of a grid.
  double most_blocks() const {
    return compute_capability != 0 && compute_capability < 2.99 ? 65535 : 2147483647;
  }
  double barrier(double warps) const { return barrier_cycles + barrier_warp_cycles * warps; }
};

// A number of the description: its name in a file, its unit, what it means, and the range beyond
// which it is a mistake; what else it has to be.
enum class spec_kind { any, whole, banks, optional };  // banks: 16 or 32
struct spec_field {
  using number = double device_spec::*;
  const char* name;
  const char* unit;
  const char* meaning;
  number at;
  double least, most;
  spec_kind kind = spec_kind::any;
};
std::span<const spec_field> spec_fields();

// What the fields of a description contradict each other in, in words; empty where they do not.
std::string contradiction_in(const device_spec& d);

// Registers of a thread where no GPU tells: what nvcc gave the largest of the kernels for compute
// capability 9.0, or what a thread of the largest block may have, as their launch bounds ask for.
double default_registers(const device_spec& d);

}  // namespace upsweep::lab::model
