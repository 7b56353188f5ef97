// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/simulator/block_run.hpp"

#include <sys/mman.h>

#include <new>

// Weak, for builds without AddressSanitizer.
extern "C" [[gnu::weak]] void __asan_unpoison_memory_region(const volatile void*, std::size_t);

namespace upsweep::lab::simulator {

namespace {

// Only pages that are used take memory. No power of two, or the tops of all stacks would fall on
// the same few sets of the caches.
constexpr std::size_t stack_bytes = (std::size_t{64} << 10) + 5 * 64;

}  // namespace

block_run::~block_run() { drop_lanes(); }

void block_run::drop_lanes() {
  for (unsigned i = 0; i < made; ++i) lanes[i].body.destroy();
  if (stacks_ != nullptr) munmap(stacks_, stacks_bytes_);
  stacks_ = nullptr;
  lanes.reset();
  made = 0;
}

void block_run::make_lanes(unsigned count, engine* device, void (*body)(void*)) {
  if (count <= made) return;
  drop_lanes();
  stacks_bytes_ = count * stack_bytes;
  void* const stacks = mmap(nullptr, stacks_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) throw std::bad_alloc();
  stacks_ = stacks;
  // Threads that were given up in the middle of something may have had their stacks here.
  if (__asan_unpoison_memory_region != nullptr)
    __asan_unpoison_memory_region(stacks_, stacks_bytes_);
  lanes = std::make_unique<lane[]>(count);
  for (; made < count; ++made) {
    lane& l = lanes[made];
    l.home = this, l.device = device, l.index = made;
    l.body.create(body, &l, static_cast<char*>(stacks_) + made * stack_bytes, stack_bytes);
  }
}

void block_run::start(std::uint32_t block, unsigned count) {
  index = block, threads = count;
  ended = arrived = arrived_grid = 0;
  busy = true;
  arrays_used = 0, memory_used = 0;
  barriers = 0;
  known.reset();
  looking.clear(), ready.clear();
  next = 0;
  warps.resize((count + warp_lanes - 1) / warp_lanes);
  for (unsigned w = 0; w < warps.size(); ++w) {
    warps[w].open.clear();
    warps[w].entries.clear();
    warps[w].lanes = std::min(warp_lanes, count - w * warp_lanes);
    warps[w].arrived = warps[w].ended = 0;
  }
  for (unsigned i = 0; i < count; ++i) {
    lane& l = lanes[i];
    l.state = waits::nothing, l.active = true;
    l.step = l.arrays_asked = l.rounds = 0;
    l.observed.reset();
    l.entered.clear();
    l.word = ~std::uint64_t{0};
    make_ready(i);
  }
}

}  // namespace upsweep::lab::simulator
