// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulator without types: runs the threads of a launch, counts and checks what they do.
// One thread of the CPU; only blocks that run hold fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/machine.hpp"
#include "lab/simulator/block_run.hpp"
#include "lab/simulator/counts.hpp"
#include "lab/simulator/finding.hpp"
#include "lab/simulator/model.hpp"
#include "lab/simulator/shadow.hpp"
#include "lab/simulator/trace.hpp"

namespace upsweep::lab::simulator {

// An access as the machine hands it on.
struct touched_place {
  access kind;
  std::uint32_t array;
  std::uint64_t first, count;      // logical elements
  std::uint32_t bytes, alignment;  // of one element
  std::uint32_t site;
  // Where element i lies among the places of the array.
  std::uint32_t (*place)(std::uint32_t) = nullptr;
  std::uint64_t size;  // logical elements of the array
};

class engine {
 public:
  explicit engine(const model& how) : how_(how) {}
  engine(const engine&) = delete;

  const model& how() const { return how_; }

  // Arrays in global memory. What they hold lives with the caller.
  std::uint32_t add_array(std::string name, std::uint64_t size, bool initialised, bool output);
  std::uint32_t add_words(std::string name, std::uint64_t size);

  // Runs thread(argument, lane) for every thread of a launch. Faults go to findings(); false if
  // the launch could not be ended.
  using thread_body = void (*)(const void* argument, lane& me);
  bool launch(const char* kernel, const shape& form, thread_body body, const void* argument);
  // Adds a fault for outputs that were never written.
  void check_outputs();
  // Of large arrays, what is known of their elements takes most of the memory. No launch follows.
  void forget_arrays() { arrays_.clear(); }

  const std::vector<finding>& findings() const { return findings_; }
  const std::vector<counts>& launches() const { return launches_; }
  const std::vector<trace>& traces() const { return traces_; }

  // What threads ask for; called on their fibers.
  std::byte* shared_array(lane& me, std::uint32_t places, std::uint32_t element, std::uint32_t& id);
  bool touch(lane& me, const touched_place& what);
  void barrier(lane& me, std::uint32_t site);
  void grid_barrier(lane& me, std::uint32_t site);
  // Deposits a value and waits for the other lanes of the warp; then slots of all.
  const std::array<std::array<std::byte, most_exchanged_bytes>, warp_lanes>& exchange(
      lane& me, const void* value, std::size_t bytes, std::uint32_t site, bool vote);
  bool before_word(lane& me, access kind, const words& at, std::uint64_t i, std::uint32_t site);
  void published(lane& me, const words& at, std::uint64_t i);
  void look(lane& me, const words& at, std::uint64_t i, std::uint32_t site);
  std::uint32_t observed(lane& me, const words& at, std::uint64_t i);
  void step(lane& me, const char* phase, std::uint64_t stride, bool active);
  void applied(lane& me) { ++now().steps[me.step].operations; }
  void show(lane& me, std::uint64_t element, const void* value, std::size_t bytes,
            std::uint64_t left, std::uint64_t right);

 private:
  struct global_array {
    std::string name;
    std::uint64_t size = 0;
    bool output = false, is_words = false;
    shadow touched;
    std::vector<shared_knowledge> releases;  // of words
  };

  static void run_lane(void* argument);
  counts& now() { return launches_.back(); }
  bool shape_fits(const shape& form);
  void start_block(block_run& slot);
  void start_blocks();
  block_run* next_block();
  bool another_round();
  void run_some(block_run& block);
  void end_lane(lane& me);
  void complete_barrier(block_run& block);
  void close_accesses(block_run& block);
  void close_accesses(warp_run& warp);
  void count(lane& me, const lane_access& what);
  void sleep(lane& me, waits why, std::uint32_t site);
  void maybe_pause(lane& me);
  void spend(lane& me, std::uint32_t site);
  std::uint64_t random();

  // Findings.
  void add(fault kind, std::uint64_t key, const std::string& text,
           const std::optional<race_pair>& race = {});
  [[noreturn]] void give_up(lane& me);
  void report_race(lane& me, const touched_place& what, std::uint64_t i, const stamp& other,
                   bool writes, bool other_wrote);
  void report_stuck();
  void report_divergence(const block_run& block);
  std::string who(const lane& me) const;
  std::string where(std::uint32_t site, std::uint32_t step) const;
  std::string array_name(const touched_place& what) const;
  std::string place_name(const lane& me, const touched_place& what, std::uint64_t i) const;

  model how_;
  std::vector<global_array> arrays_;
  std::vector<std::unique_ptr<block_run>> slots_;
  std::vector<counts> launches_;
  std::vector<trace> traces_;
  std::vector<finding> findings_;

  thread_body body_ = nullptr;
  const void* argument_ = nullptr;
  shape form_;
  std::uint64_t next_block_ = 0, ended_blocks_ = 0;
  unsigned waiting_at_grid_ = 0;
  std::uint32_t clock_ = 1, floor_ = 1;
  std::uint64_t news_ = 0;      // publications and atomics
  std::uint64_t progress_ = 0;  // news, barriers, threads that ended
  std::uint64_t last_progress_ = 0;
  unsigned idle_rounds_ = 0;
  bool failed_ = false;
  std::uint64_t random_state_ = 0;
};

}  // namespace upsweep::lab::simulator
