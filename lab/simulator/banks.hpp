// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one access of a warp costs: shared-memory transactions by banks, sectors of global memory.
//
// A bank is 4 bytes wide: bank = (byte address / 4) mod banks. As many lanes go at once as cover
// all banks: with 32 banks a warp of 4-byte accesses, half of it for 8 bytes, a quarter for 16;
// with 16 banks half a warp of 4 bytes, and so on. Such a group takes as many transactions as its
// most crowded bank has distinct words; lanes on one word are one broadcast.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "lab/machine.hpp"

namespace upsweep::lab::simulator {

// Byte addresses by lane, and which lanes take part.
struct warp_access {
  std::array<std::uint64_t, warp_lanes> address;
  std::uint32_t mask;
  std::uint32_t bytes;      // of an element
  std::uint32_t alignment;  // of its type
};

// An element wider than its alignment, or than 16 bytes, is several accesses after each other.
constexpr std::uint32_t access_width(std::uint32_t bytes, std::uint32_t alignment) {
  std::uint32_t width = 16;
  while (width > 1 && (bytes % width != 0 || alignment % width != 0)) width /= 2;
  return width;
}

struct bank_use {
  unsigned transactions = 0;
  unsigned degree = 0;      // the most that a group of lanes takes
  unsigned banks = 0;       // the most banks that one touches
  unsigned broadcasts = 0;  // words that several lanes of a group want
};

// What each bank had to do: distinct words, summed over accesses, and the most of one group of
// lanes.
struct bank_load {
  std::array<std::uint64_t, 32> words{};
  std::array<std::uint32_t, 32> degree{};
};

// Adds to load what the access wants of each bank, if it is given.
bank_use shared_cost(const warp_access& access, unsigned banks, bank_load* load = nullptr);

struct sector_use {
  unsigned sectors = 0;  // of 32 bytes, distinct
  unsigned fewest = 0;   // that could hold the distinct elements
};

sector_use global_cost(const warp_access& access);

}  // namespace upsweep::lab::simulator
