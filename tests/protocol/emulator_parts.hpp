// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the emulated device. No file that includes this is compiled with ThreadSanitizer:
// what the emulator does to its own data must neither be judged nor order anything.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "emulator.hpp"
#include "lab/simulator/fiber.hpp"

namespace emulator {

using upsweep::fibers::acquire;
using upsweep::fibers::fiber;
using upsweep::fibers::identity;
using upsweep::fibers::release;

inline constexpr unsigned warp_lanes = 32, most_threads = 1024;

struct processor;

struct lane {
  fiber body;
  processor* home = nullptr;
  unsigned index = 0;
  const char* waits = nullptr;  // for what; null: not at all
  unsigned cluster_round = 0;   // in which it arrived
  unsigned store_groups = 0;    // that it has committed
};

// A queue of lanes from which any may be taken.
class lane_list {
 public:
  bool empty() const { return first_ == last_; }
  unsigned size() const { return last_ - first_; }
  void push(lane* l) { at(last_++) = l; }
  void push_oldest(lane* l) { at(--first_) = l; }
  lane* newest() { return at(--last_); }
  lane* oldest() { return at(first_++); }
  lane* take(unsigned i) {
    lane* const taken = at(first_ + i);
    at(first_ + i) = at(first_);
    ++first_;
    return taken;
  }

 private:
  lane*& at(unsigned i) { return lanes_[i % most_threads]; }
  lane* lanes_[most_threads];
  unsigned first_ = 0, last_ = 0;
};

// A place where threads meet over and over. Tokens alternate, so that whoever is late learns
// nothing of what the others did after they had met.
struct meeting {
  unsigned arrived = 0, round = 0;
  char token[2] = {};
};
struct warp : meeting {
  const char* where = nullptr;
  lane* waiting[warp_lanes] = {};
  unsigned value[2][warp_lanes] = {};
};
struct named_barrier : meeting {
  lane_list waiting;
};
struct barrier {
  unsigned expected = 0, pending = 0, phase = 0;
  std::int64_t bytes = 0;
  lane_list waiting;
  char token[2] = {};
};

// Bulk copies of a block are done by engines in turn: one alone would order them.
struct bulk_copy {
  void* to;
  const void* from;
  unsigned bytes, engine;
  barrier* done;
};
struct bulk_store {
  void* to;
  const void* from;
  unsigned bytes;
  lane* who;
  unsigned group;
};
struct copy_engine {
  void* who = nullptr;
  char token = 0;
};

// Sleeps until it is handed over. The kernel's futex, since ThreadSanitizer sees all others.
class baton {
 public:
  void wait() {
    while (__atomic_exchange_n(&here_, 0u, __ATOMIC_SEQ_CST) == 0)
      syscall(SYS_futex, &here_, FUTEX_WAIT_PRIVATE, 0u, nullptr, nullptr, 0);
  }
  void pass() {
    __atomic_store_n(&here_, 1u, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &here_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  unsigned here_ = 0;
};

class random_source {
 public:
  void seed(std::uint64_t s) { state_ = s; }
  unsigned below(unsigned n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<unsigned>(((z ^ z >> 31) >> 32) * n >> 32);
  }
  bool percent(unsigned p) { return below(100) < p; }

 private:
  std::uint64_t state_ = 0;
};

// One resident block.
struct processor {
  device::state* all = nullptr;
  std::thread thread;
  baton turn;
  std::vector<bulk_store> stores;
  std::vector<lane> lanes;
  lane* current = nullptr;
  lane_list ready, pollers;  // pollers have found nothing new and look again
  warp warps[most_threads / warp_lanes];
  meeting block_barrier;
  named_barrier named[16];
  lane_list at_block_barrier, at_cluster;
  void* memory = nullptr;  // a fixed place in the thread's storage
  std::vector<barrier> barriers;
  std::vector<bulk_copy> copies;
  copy_engine engines[16];
  unsigned next_engine = 0;
  char ended = 0;  // token: a block begins after the one before it here

  unsigned block = 0, live = 0;
  bool busy = false, hand_over = false, futile = false;
  unsigned idle_passes = 0;  // over all pollers, since anything but loads happened
  std::uint64_t seen = 0;    // words stored when this block last ran
  std::uint64_t wake_at = 0, last_atomic = 0;

  void active() { idle_passes = 0; }
  void wake(lane* l) {
    futile = false;
    l->waits = nullptr;
    ready.push(l);
  }
  void wake_all(lane_list& waiting) {
    while (!waiting.empty()) wake(waiting.oldest());
  }
  void suspend() { current->body.suspend(); }
  void sleep(const char* why) {
    current->waits = why;
    suspend();
  }
  void yield() {
    ready.push(current);
    suspend();
  }
  void point();  // where the block may stand still, and where others may run
  void start(unsigned index, unsigned threads);
  lane* next_lane();
  lane* next_ready();
  void run_quantum();
  void finish_copy(unsigned i);
  void complete(barrier& b);
  void leave_block();
};

struct late_word {
  std::uint64_t* to;
  std::uint64_t word[2];
  std::uint64_t due;
  const processor* from;
};

struct device::state {
  const schedule* how = nullptr;
  random_source random;
  std::vector<processor> processors;
  baton launcher;
  bool quit = false;
  // Why the launch cannot go on. The text is made by the launcher: a string's code may be shared
  // with instrumented files, and is not for fibers.
  const char* failed[4] = {};
  unsigned failed_block = 0, failed_thread = 0;
  char begin = 0, end = 0;  // tokens

  void (*call)(const void*) = nullptr;
  const void* kernel = nullptr;
  unsigned blocks = 0, threads = 0, next_block = 0;
  std::uint64_t turns = 0, stored = 0, atomics = 0;
  std::vector<late_word> late;
  meeting cluster;

  processor* choose();
  processor* best_of(bool sleepers);
  void store(std::size_t i);  // the late word i
  void store_due();
  std::string failure() const;
};

// The block that runs now.
extern constinit thread_local processor* here;

// Ends the launch, from within a kernel. The parts make one text and are not copied.
[[noreturn]] void fail(const char* what, const char* where = "", const char* also = "",
                       const char* other = "");

}  // namespace emulator
