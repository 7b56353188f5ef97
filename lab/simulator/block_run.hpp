// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block that runs: its threads, its warps, its shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lab/simulator/counts.hpp"
#include "lab/simulator/fiber.hpp"
#include "lab/simulator/shadow.hpp"

namespace upsweep::lab::simulator {

class engine;
struct block_run;

enum class waits : std::uint8_t { nothing, barrier, grid_barrier, warp, word, ended };

struct lane {
  fibers::fiber body;
  block_run* home = nullptr;
  engine* device = nullptr;
  std::uint32_t index = 0;
  waits state = waits::ended;
  bool active = true;
  std::uint32_t wait_site = 0;
  std::uint32_t step = 0;
  std::uint32_t arrays_asked = 0;     // shared arrays so far
  std::vector<std::uint8_t> entered;  // by step: bit 0, bit 1 as an active thread
  std::uint32_t rounds = 0;           // exchanges of its warp that it took part in
  std::uint64_t budget = 0;           // accesses until it is called endless
  shared_knowledge observed;          // since the block's last barrier
  // The last word it looked at, so that looking again without news is waiting.
  std::uint32_t word_array = 0, word_value = 0;
  std::uint64_t word = ~std::uint64_t{0}, word_news = 0;
};

inline constexpr std::size_t most_exchanged_bytes = 64;

struct warp_run {
  open_accesses open;
  step_entries entries;
  unsigned lanes = 0, arrived = 0, ended = 0;
  std::uint32_t site = 0;  // of the exchange that lanes are arriving at
  // Two rounds: a lane may be in the next one before another has read the last.
  std::array<std::array<std::array<std::byte, most_exchanged_bytes>, warp_lanes>, 2> slots;
};

struct shared_memory_array {
  std::uint32_t offset = 0, places = 0, element = 0;
  shadow touched;
};

struct block_run {
  ~block_run();
  // Stacks for so many threads, each starting body(lane).
  void make_lanes(unsigned threads, engine* device, void (*body)(void*));
  void drop_lanes();
  void start(std::uint32_t index, unsigned threads);

  std::uint32_t index = 0;
  unsigned threads = 0, ended = 0, arrived = 0, arrived_grid = 0;
  bool busy = false;
  std::unique_ptr<lane[]> lanes;
  unsigned made = 0;
  std::vector<warp_run> warps;
  std::vector<std::uint16_t> ready;  // threads that can go on, from next on
  std::size_t next = 0;
  std::vector<std::uint16_t> looking;  // threads that wait for a word

  std::vector<std::byte> memory;
  std::vector<shared_memory_array> arrays;
  std::size_t arrays_used = 0;
  std::uint64_t barriers = 0;  // that it has come by
  std::uint32_t memory_used = 0;

  std::uint32_t barrier_time = 0, now = 0;
  shared_knowledge known;

  bool can_run() const { return busy && next < ready.size(); }
  void make_ready(std::uint32_t thread) {
    if (next == ready.size()) ready.clear(), next = 0;
    ready.push_back(static_cast<std::uint16_t>(thread));
  }

 private:
  void* stacks_ = nullptr;
  std::size_t stacks_bytes_ = 0;
};

}  // namespace upsweep::lab::simulator
