// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many threads on one line. The line is cut into chunks of 2^m elements, which are aligned blocks
// of the canonical tree, and threads take chunks in order. One that finds everything left of its
// chunk summed scans it at once, in one pass. One that does not sums its chunk and publishes the
// sum. It scans the chunk, from the cache, as soon as the sums to the left are there. Where memory
// is the limit it sums, while it does so, the next one that it takes: reads and writes overlap all
// the time. Where arithmetic is the limit it takes the next one afterwards, which can often be
// scanned at once: fewer chunks are summed first.
//
// Published sums enter one prefix_stack in order, which is the canonical fold. Whoever waits has
// published all it holds, and chunks are handed out in order, so that the first missing sum is
// always being formed by a running thread.
#pragma once

#include <algorithm>
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
// and, if it can do both at once,
//   bool fuses()                whether that is faster than one after the other
//   T scan_and_sum(c, const T* carry, next)   scans chunk c, returns the block sum of chunk next
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
    const auto chunks = [](void* self) { static_cast<spine*>(self)->work_on_chunks(); };
    if (!failure_.capture_from(chunks, this)) failed_.store(true, std::memory_order_release);
  }

  void work_on_chunks() {
    const std::size_t c = body_.writes() ? scan_chunks() : sum_chunks();
    if (c < all_ && wait_for(c)) last_ = body_.scan_last(c, carry(c));
  }

  // The next chunk that nobody has taken; all_ or more when there is none.
  std::size_t take() {
    if (failed_.load(std::memory_order_relaxed)) return all_;
    return ticket_.fetch_add(1, std::memory_order_relaxed);
  }

  // Both take chunks until no whole one is left and return what they took last.
  std::size_t sum_chunks() {
    std::size_t c;
    while ((c = take()) < whole_) publish(c, body_.sum(c));
    return c;
  }
  std::size_t scan_chunks() {
    held_chunks held;
    std::size_t c;
    for (;;) {
      if (held.count == ahead && !wait_for(held.front())) return all_;
      const bool ready = held.count != 0 && known(held.front());
      if (ready && !fuses()) {
        scan_summed(held.pop());
        continue;
      }
      if ((c = take()) >= whole_) break;
      if (ready) {
        scan_beside(held.pop(), c);
        held.push(c);
      } else if (known(c)) {
        publish(c, body_.scan(c, carry(c)));
        body_.end(c, *prefixes_[c + 1]);
      } else {
        publish(c, body_.sum(c));
        held.push(c);
      }
    }
    while (held.count != 0) {
      if (!wait_for(held.front())) return all_;
      scan_summed(held.pop());
    }
    return c;
  }
  bool fuses() const {
    if constexpr (requires { body_.fuses(); }) return body_.fuses();
    return false;
  }
  void scan_beside(std::size_t c, std::size_t next) {
    if constexpr (requires { body_.fuses(); }) {
      publish(next, body_.scan_and_sum(c, carry(c), next));
      body_.end(c, *prefixes_[c + 1]);
    }
  }
  void scan_summed(std::size_t c) {
    body_.scan(c, carry(c));
    body_.end(c, *prefixes_[c + 1]);
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

  static constexpr int ahead = 3;  // chunks a thread holds summed but not yet scanned

  // Those chunks, the one that was summed first in front.
  struct held_chunks {
    std::size_t chunk[ahead];
    int count = 0;

    std::size_t front() const { return chunk[0]; }
    void push(std::size_t c) { chunk[count++] = c; }
    std::size_t pop() {
      const std::size_t first = chunk[0];
      std::copy(chunk + 1, chunk + count--, chunk);
      return first;
    }
  };

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
