// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated device as an algorithm's host part sees it: arrays and launches. gpu::device has
// the same members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/machine.hpp"
#include "lab/simulator/sim_engine.hpp"
#include "lab/simulator/sim_machine.hpp"

namespace upsweep::lab::simulator {

class device {
 public:
  explicit device(const model& how = {}) : engine_(how) {}

  // The array that is scanned, and the one that is written and has to be full at the end.
  template <class T>
  global<const T> input(const std::vector<T>& x) {
    return {x.data(), x.size(), engine_.add_array("x", x.size(), true, false)};
  }
  template <class T>
  global<T> output(std::vector<T>& y) {
    output_ = std::as_writable_bytes(std::span(y));
    return {y.data(), y.size(), engine_.add_array("y", y.size(), false, true)};
  }
  // Arrays of the algorithm's own, not initialised; words begin at 0.
  template <class T>
  global<T> array(const char* name, std::uint64_t size) {
    kept_.push_back(std::make_shared<std::vector<T>>(size));
    return {static_cast<std::vector<T>*>(kept_.back().get())->data(), size,
            engine_.add_array(name, size, false, false)};
  }
  lab::words words(const char* name, std::uint64_t size) {
    auto memory = std::make_shared<std::vector<std::uint32_t>>(size);
    kept_.push_back(memory);
    return {memory->data(), size, engine_.add_words(name, size)};
  }

  // Runs a kernel. After a fault that ends it, later launches are passed over.
  template <class Kernel>
  void launch(const char* name, const shape& form, const Kernel& kernel) {
    if (!alive_) return;
    alive_ = engine_.launch(
        name, form,
        [](const void* k, lane& me) {
          machine m(me);
          (*static_cast<const Kernel*>(k))(m);
        },
        &kernel);
    if (engine_.how().trace) outputs_.emplace_back(output_.begin(), output_.end());
  }

  // Blocks that a cooperative launch of so many threads each may have.
  template <class Kernel>
  std::uint64_t cooperative_blocks(const Kernel&, unsigned, std::uint32_t) const {
    return engine_.how().cooperative;
  }

  // To be called after the last launch.
  void finish() {
    if (alive_) engine_.check_outputs();
    engine_.forget_arrays();
  }
  bool ended() const { return alive_; }  // all launches, whatever they did
  bool ended_well() const { return alive_ && engine_.findings().empty(); }
  const std::vector<finding>& findings() const { return engine_.findings(); }
  const std::vector<counts>& launches() const { return engine_.launches(); }
  const std::vector<trace>& traces() const { return engine_.traces(); }
  // The bytes of the output behind each launch, where these are traced.
  const std::vector<std::vector<std::byte>>& outputs() const { return outputs_; }

 private:
  engine engine_;
  std::vector<std::shared_ptr<void>> kept_;
  std::span<const std::byte> output_;
  std::vector<std::vector<std::byte>> outputs_;
  bool alive_ = true;
};

}  // namespace upsweep::lab::simulator
