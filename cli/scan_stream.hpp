// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan whose elements go through a device in chunks, several on their way at once, with the bits
// of the canonical order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cli/stream_plan.hpp"
#include "upsweep/order.hpp"

namespace cli {

// One chunk's scan: each of its lines on its own, from the same prefix.
template <class T>
struct chunk_scan {
  std::uint64_t lines = 0, length = 0;
  bool exclusive = false;
  bool total = false;         // one more result a line: the prefix after it
  std::optional<T> before{};  // the prefix before each line, if any
  T empty{};                  // what is written where there is none

  std::uint64_t results() const { return lines * (length + (total ? 1 : 0)); }
};

// A device with slots, each with a buffer in the host's memory that the device reads and writes.
// What is started in a slot runs in this order there, beside what runs in other slots.
template <class T>
class chunk_device {
 public:
  virtual ~chunk_device() = default;

  virtual T* buffer(int slot) = 0;
  virtual void start_copy(int slot, std::uint64_t elements) = 0;  // of the buffer to the device
  virtual void start_sum(int slot, std::uint64_t elements) = 0;   // of all, a power of two
  virtual T wait_for_sum(int slot) = 0;
  virtual void start_scan(int slot, const chunk_scan<T>& what) = 0;  // and the copy to the buffer
  virtual void wait_for_results(int slot) = 0;
};

// A chunk is filled, copied and summed, a step later scanned, and emptied when those after it have
// been started: one is on its way in, one is scanned, one is on its way out and one in the hands of
// the host.
inline constexpr int stream_slots = 4;

// How the lines begin and what their results are.
template <class T>
struct stream_task {
  bool exclusive = false, total = false;
  std::optional<T> init;
  T empty{};
};

// A scan of the lines of a plan. load(chunk, T*) brings the chunk's elements line by line, and
// store(chunk, const T*) takes its results away.
//
// The prefix before a chunk is the fold of the block list of the chunks before it: a chunk is a
// block of the order, and the stack of their sums joins neighbours to larger blocks as it asks.
// Every result within a chunk continues that prefix, but for the prefix after a whole one: that is
// not the prefix before it (+) its sum, but again a fold of the list, and the host puts it in.
template <class T, class Op, class Load, class Store>
class scan_stream {
 public:
  scan_stream(const stream_plan& plan, chunk_device<T>& device, const stream_task<T>& task, Op op,
              Load load, Store store)
      : plan_(plan), device_(device), task_(task), op_(op), load_(load), store_(store) {}

  void run() {
    const std::uint64_t chunks = plan_.size(), behind = stream_slots - 1;
    for (std::uint64_t step = 0; step < chunks + behind; ++step) {
      if (step < chunks) bring(step);
      if (step >= 1 && step - 1 < chunks) scan(step - 1);
      if (step >= behind) take(step - behind);
    }
  }

 private:
  static int slot_of(std::uint64_t k) { return static_cast<int>(k % stream_slots); }
  std::optional<T>& end_of(std::uint64_t k) { return ends_[k % stream_slots]; }

  void bring(std::uint64_t k) {
    const stream_chunk chunk = plan_[k];
    load_(chunk, device_.buffer(slot_of(k)));
    device_.start_copy(slot_of(k), chunk.elements());
    if (chunk.is_block) device_.start_sum(slot_of(k), chunk.elements());
  }

  void scan(std::uint64_t k) {
    const stream_chunk chunk = plan_[k];
    if (chunk.begin == 0) sums_.emplace(op_, task_.init);
    chunk_scan<T> what{.lines = chunk.lines,
                       .length = chunk.length,
                       .exclusive = task_.exclusive,
                       .total = task_.total && chunk.closes,
                       .empty = task_.empty};
    if (const T* const before = sums_->prefix()) what.before = *before;
    end_of(k).reset();
    if (chunk.is_block) {
      sums_->push(plan_.level(), device_.wait_for_sum(slot_of(k)));
      end_of(k) = *sums_->prefix();
    }
    device_.start_scan(slot_of(k), what);
  }

  void take(std::uint64_t k) {
    device_.wait_for_results(slot_of(k));
    const stream_chunk chunk = plan_[k];
    T* const results = device_.buffer(slot_of(k));
    if (const std::optional<T>& end = end_of(k)) {
      if (!task_.exclusive) results[chunk.length - 1] = *end;
      if (task_.total && chunk.closes) results[chunk.length] = *end;
    }
    store_(chunk, static_cast<const T*>(results));
  }

  const stream_plan& plan_;
  chunk_device<T>& device_;
  const stream_task<T>& task_;
  Op op_;
  Load load_;
  Store store_;
  std::optional<upsweep::prefix_stack<T, Op>> sums_;  // of the line's chunks so far
  std::array<std::optional<T>, stream_slots> ends_;   // the prefix after the chunk of each slot
};

}  // namespace cli
