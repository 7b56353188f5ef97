// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads on one line. The line is cut into chunks of 2^m elements, which are aligned blocks
// of the canonical tree, and threads take chunks in order. One that finds everything left of its
// chunk summed scans it at once, in one pass. One that does not sums its chunk, publishes the sum,
// sums a few more while it would wait, and scans them from the cache.
//
// Published sums enter one prefix_stack in order, which is the canonical fold. Whoever waits has
// published all it holds, and chunks are handed out in order, so that the first missing sum is
// always being formed by a running thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "upsweep/cpu/threads.hpp"
#include "upsweep/order.hpp"

namespace upsweep::cpu {

// Body provides, for a chunk c:
//   T sum(c)                    its block sum; only called for whole chunks
//   T scan(c, const T* carry)   writes its results after the prefix carry (null: none), returns its
//                               block sum
//   void end(c, const T& p)     is told the prefix behind a whole chunk
//   T scan_last(c, const T* carry)   as scan for a last chunk that is not whole, returns the prefix
//   bool writes()               false for reductions: no scan is needed then
template <class T, class Op, class Body>
class spine {
 public:
  spine(std::size_t whole_chunks, bool partial_last, Op op, std::optional<T> init, Body& body)
      : whole_(whole_chunks),
        all_(whole_chunks + (partial_last ? 1 : 0)),
        body_(body),
        sums_(whole_chunks),
        prefixes_(whole_chunks + 1),
        stack_(std::move(op), std::move(init)) {
    if (const T* p = stack_.prefix()) prefixes_[0] = *p;
  }

  // Runs all chunks on the given number of workers; returns the prefix behind the last. Rethrows
  // the first exception that an operator threw, when every worker has stopped.
  std::optional<T> run(unsigned workers, int chunk_level) {
    chunk_level_ = chunk_level;
    run_workers(
        workers, [](void* self) { static_cast<spine*>(self)->work(); }, this);
    failure_.rethrow();
    return last_ ? std::move(last_) : std::move(prefixes_[whole_]);
  }

 private:
  void work() {
    try {
      for (;;) {
        const std::size_t c = ticket_.fetch_add(1, std::memory_order_relaxed);
        if (c >= all_ || failed_.load(std::memory_order_relaxed)) return;
        if (c == whole_)
          last_chunk(c);
        else if (!body_.writes())
          publish(c, body_.sum(c));
        else if (known(c))
          scan_at_once(c);
        else
          sum_then_scan(c);
      }
    } catch (...) {
      failure_.capture();
      failed_.store(true, std::memory_order_release);
    }
  }

  void scan_at_once(std::size_t c) {
    publish(c, body_.scan(c, carry(c)));
    body_.end(c, *prefixes_[c + 1]);
  }

  // Sums chunks until the prefix before the first is known or the cache holds no more of them.
  void sum_then_scan(std::size_t first) {
    std::size_t held[ahead] = {first};
    int count = 1;
    publish(first, body_.sum(first));
    while (count < ahead && !known(first) && !failed_.load(std::memory_order_relaxed)) {
      std::size_t c = ticket_.load(std::memory_order_relaxed);
      if (c >= whole_) break;
      if (!ticket_.compare_exchange_weak(c, c + 1, std::memory_order_relaxed)) continue;
      held[count++] = c;
      publish(c, body_.sum(c));
    }
    for (int i = 0; i < count; ++i) {
      if (!wait_for(held[i])) return;
      body_.scan(held[i], carry(held[i]));
      body_.end(held[i], *prefixes_[held[i] + 1]);
    }
  }

  void last_chunk(std::size_t c) {
    if (wait_for(c)) last_ = body_.scan_last(c, carry(c));
  }

  const T* carry(std::size_t c) const { return prefixes_[c] ? &*prefixes_[c] : nullptr; }

  // Hands in the sum of chunk c; whoever completes the row of sums moves the prefix along it.
  void publish(std::size_t c, T sum) {
    const std::lock_guard lock(mutex_);
    sums_[c] = std::move(sum);
    std::size_t next = summed_.load(std::memory_order_relaxed);
    for (; next < whole_ && sums_[next]; ++next) {
      stack_.push(chunk_level_, *std::exchange(sums_[next], std::nullopt));
      prefixes_[next + 1] = *stack_.prefix();
    }
    summed_.store(next, std::memory_order_release);
  }

  // Whether the prefix before chunk c is known.
  bool known(std::size_t c) const { return summed_.load(std::memory_order_acquire) >= c; }

  // Waits until it is; false if another worker failed.
  bool wait_for(std::size_t c) const {
    for (int spins = 0; !known(c); ++spins) {
      if (failed_.load(std::memory_order_acquire)) return false;
      if (spins > 64) std::this_thread::yield();
    }
    return true;
  }

  static constexpr int ahead = 4;  // chunks a thread holds summed but not yet scanned

  const std::size_t whole_, all_;
  int chunk_level_ = 0;
  Body& body_;
  std::atomic<std::size_t> ticket_{0}, summed_{0};  // next chunk to take; chunks in the prefix
  std::atomic<bool> failed_{false};
  first_exception failure_;
  std::mutex mutex_;
  std::vector<std::optional<T>> sums_, prefixes_;
  std::optional<T> last_;
  prefix_stack<T, Op> stack_;
};

}  // namespace upsweep::cpu
