// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small device on the CPU that runs the text of the kernels: for tests of the protocol only.
//
// A block is a thread of the CPU (so that __shared__ can be thread_local), its threads are fibers
// on it. One block runs at a time and one fiber of it; who is next is drawn from a seed, so a run
// repeats exactly. ThreadSanitizer judges what this order hides: it is told of the barriers, of
// nothing else, and so sees a race wherever the kernel has no barrier, whatever the schedule.
//
// What a schedule does to a kernel: blocks run in hostile orders, stand still for long after an
// atomic or around the store of a word, words become visible late and in any order, and bulk
// copies take place late. A launch that cannot go on ends in an exception that says who waits.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace emulator {

enum class block_order { random, oldest_last, oldest_first };  // by their last atomic
enum class lane_order { random, newest_first, oldest_first };  // by when they became ready

struct schedule {
  std::uint64_t seed = 1;
  unsigned resident = 4;  // blocks at a time; the next one begins where one has ended
  block_order blocks = block_order::random;
  lane_order lanes = lane_order::random;
  int starved_warp = -1;        // of each block: runs when the others cannot; -1: none
  unsigned quantum = 600;       // steps of fibers that a block makes at most in one go
  unsigned stall_percent = 10;  // of atomics and stores of words: the block stands still there
  unsigned stall_turns = 200;   // and for how many turns of other blocks at most
  unsigned late_percent = 30;   // of words that are stored late,
  unsigned late_turns = 200;    // by so many turns at most
  unsigned early_copies = 2;    // in 100 steps: a bulk copy is done before nothing else can be
};

class device {
 public:
  // Room for so many resident blocks of so many threads. Made once: fibers are dear.
  device(unsigned processors, unsigned threads);
  device(const device&) = delete;
  ~device();

  schedule how;

  // Runs kernel() in every thread of every block. Throws std::runtime_error when the launch
  // cannot end or breaks a rule; the device is of no use then.
  template <class Kernel>
  void launch(unsigned blocks, unsigned threads, const Kernel& kernel) {
    run(blocks, threads, [](const void* k) { (*static_cast<const Kernel*>(k))(); }, &kernel);
  }

  struct state;

 private:
  void run(unsigned blocks, unsigned threads, void (*call)(const void*), const void* kernel);
  std::unique_ptr<state> state_;
};

// What the stand-ins for CUDA's names are made of. All are called by threads of a kernel.

struct index3 {
  unsigned x = 0, y = 0, z = 0;
};
extern constinit thread_local index3 thread_index, block_index, block_size, grid_size;

// By all lanes of a warp. Neither orders memory, as in CUDA.
unsigned shuffle(unsigned value, unsigned from_lane);
bool any(bool value);
void sync_warp();
void sync_block();
void sync_some(unsigned barrier, unsigned threads);  // so many of the block; a number below 16

// All blocks of a launch, which must be resident, as one cluster: a barrier in two steps, and where
// an object of shared memory lies in another block.
void arrive_at_cluster();
void wait_for_cluster();
void* in_block(void* mine, unsigned block);

// A relaxed access of 16 bytes in device memory; and a fence of device scope.
void store_word(void* to, const std::uint64_t* word);
void load_word(const void* from, std::uint64_t* word);
void fence();

// Around an atomic: other blocks may run before and after.
void before_atomic();
void after_atomic();

// Barriers in shared memory that count arrivals and bytes. Made once a block; the number returned
// stands for the barrier.
std::uint64_t make_barrier(unsigned arrivals);
void arrive(std::uint64_t barrier, unsigned bytes);
void wait(std::uint64_t barrier, unsigned parity);
void copy_later(void* to, const void* from, unsigned bytes, std::uint64_t barrier);  // null: zeros

// Copies out of shared memory, in groups of the calling thread: done when it waits until no more
// than `newest` of its groups are left, and no sooner.
void store_later(void* to, const void* from, unsigned bytes);
void commit_stores();
void finish_stores(unsigned newest);

}  // namespace emulator
