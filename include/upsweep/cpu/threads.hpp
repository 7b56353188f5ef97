// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include "upsweep/cpu/info.hpp"
#include "upsweep/policy.hpp"

namespace upsweep::cpu {

// Calls work(context) up to workers times, on the calling thread and on others of oneTBB's pool,
// and returns when all calls have. At least one call is made; work must be right with any number
// of them, one after the other or at once, and must not throw.
void run_workers(unsigned workers, void (*work)(void*), void* context);

// The number of workers a policy asks for.
inline unsigned workers_of(sequential_policy) { return 1; }
inline unsigned workers_of(parallel_policy who) { return who.threads != 0 ? who.threads : cores(); }

// A policy as the parallel one: the calling thread alone is one thread.
inline parallel_policy parallel(sequential_policy) { return par.on(1); }
inline parallel_policy parallel(parallel_policy who) { return who; }

// The first exception of several workers, for the caller to rethrow.
class first_exception {
 public:
  // Calls work(context) and keeps what it throws; false if it threw. Compiled in the library, so
  // that a caller without exceptions of its own gets the same code.
  bool capture_from(void (*work)(void*), void* context);
  void rethrow() const {
    if (pointer_) std::rethrow_exception(pointer_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr pointer_;
};

}  // namespace upsweep::cpu
