// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine of a simulated thread: see lab/machine.hpp for what each operation means. Types are
// gone one call below: engine does the work.
#pragma once

#include <cstring>
#include <type_traits>

#include "lab/machine.hpp"
#include "lab/simulator/sim_engine.hpp"

namespace upsweep::lab::simulator {

class machine {
 public:
  explicit machine(lane& me) : me_(me), device_(*me.device) {}

  unsigned thread() const { return me_.index; }
  unsigned threads() const { return me_.home->threads; }
  unsigned block() const { return me_.home->index; }
  unsigned blocks() const { return static_cast<unsigned>(device_.launches().back().blocks); }

  template <class T, class Pad = no_padding>
  shared_array<T, Pad> shared(element_type<T>, std::uint32_t count, Pad = {}) {
    static_assert(std::is_trivially_copyable_v<T>);
    shared_array<T, Pad> array;
    array.size = count;
    array.data =
        reinterpret_cast<T*>(device_.shared_array(me_, array.places(count), sizeof(T), array.id));
    return array;
  }

  template <class T, class Pad, class Site>
  T load(const shared_array<T, Pad>& a, std::uint32_t i, Site) {
    if (!touch<T, Site, Pad>(access::shared_load, a.id, i, 1, a.size)) return nothing<T>();
    return a.data[Pad::place(i)];
  }
  template <class T, class Pad, class Site>
  void store(const shared_array<T, Pad>& a, std::uint32_t i, const std::type_identity_t<T>& value,
             Site) {
    if (touch<T, Site, Pad>(access::shared_store, a.id, i, 1, a.size))
      a.data[Pad::place(i)] = value;
  }
  template <class T, class Site>
  std::remove_const_t<T> load(const global<T>& a, std::uint64_t i, Site) {
    if (!touch<T, Site>(access::global_load, a.id, i, 1, a.size)) return nothing<T>();
    return a.data[i];
  }
  template <class T, class Site>
  void store(const global<T>& a, std::uint64_t i, const std::type_identity_t<T>& value, Site) {
    if (touch<T, Site>(access::global_store, a.id, i, 1, a.size)) a.data[i] = value;
  }
  template <class T, class Site>
  pack<std::remove_const_t<T>> load4(const global<T>& a, std::uint64_t i, Site) {
    pack<std::remove_const_t<T>> p{};
    if (touch<T, Site>(access::global_load, a.id, i, 4, a.size))
      for (unsigned k = 0; k < 4; ++k) p.at[k] = a.data[i + k];
    return p;
  }
  template <class T, class Site>
  void store4(const global<T>& a, std::uint64_t i, const pack<T>& p, Site) {
    if (touch<T, Site>(access::global_store, a.id, i, 4, a.size))
      for (unsigned k = 0; k < 4; ++k) a.data[i + k] = p.at[k];
  }

  template <class Site>
  void barrier(Site) {
    device_.barrier(me_, site_number<Site>);
  }
  template <class Site>
  void grid_barrier(Site) {
    device_.grid_barrier(me_, site_number<Site>);
  }

  // The value of a lane that does not exist is one's own, as on a GPU.
  template <class T, class Site>
  T shuffle(const T& value, unsigned from, Site) {
    static_assert(sizeof(T) <= most_exchanged_bytes && std::is_trivially_copyable_v<T>);
    const auto& slots = device_.exchange(me_, &value, sizeof(T), site_number<Site>, false);
    const unsigned lanes = me_.home->warps[me_.index / warp_lanes].lanes;
    T got;
    std::memcpy(static_cast<void*>(&got), &slots[from < lanes ? from : me_.index % warp_lanes],
                sizeof(T));
    return got;
  }
  template <class T, class Site>
  T shuffle_up(const T& value, unsigned distance, Site at) {
    const unsigned lane = me_.index % warp_lanes;
    return shuffle(value, lane >= distance ? lane - distance : lane, at);
  }
  template <class Site>
  std::uint32_t vote(bool flag, Site) {
    const auto& slots = device_.exchange(me_, &flag, sizeof flag, site_number<Site>, true);
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < me_.home->warps[me_.index / warp_lanes].lanes; ++i)
      if (slots[i][0] != std::byte{0}) mask |= 1u << i;
    return mask;
  }

  template <class Site>
  std::uint32_t add(const words& a, std::uint64_t i, std::uint32_t value, Site) {
    if (!device_.before_word(me_, access::add, a, i, site_number<Site>)) return 0;
    const std::uint32_t old = a.data[i];
    a.data[i] += value;
    return old;
  }
  template <class Site>
  void publish(const words& a, std::uint64_t i, std::uint32_t value, Site) {
    if (!device_.before_word(me_, access::publish, a, i, site_number<Site>)) return;
    a.data[i] = value;
    device_.published(me_, a, i);
  }
  template <class Site>
  std::uint32_t observe(const words& a, std::uint64_t i, Site) {
    if (!device_.before_word(me_, access::observe, a, i, site_number<Site>)) return 0;
    device_.look(me_, a, i, site_number<Site>);
    return device_.observed(me_, a, i);
  }

  template <class Op, class T>
  T apply(const Op& op, const T& left, const T& right) {
    device_.applied(me_);
    return op(left, right);
  }

  template <class Phase>
  void step(Phase, std::uint64_t stride, bool active) {
    device_.step(me_, Phase::name(), stride, active);
  }
  template <class T>
  void show(std::uint64_t i, const T& value, std::uint64_t left = nobody) {
    show(i, value, left, left == nobody ? nobody : i);
  }
  template <class T>
  void show(std::uint64_t i, const T& value, std::uint64_t left, std::uint64_t right) {
    device_.show(me_, i, &value, sizeof(T), left, right);
  }

 private:
  template <class T>
  static std::remove_const_t<T> nothing() {
    return std::remove_const_t<T>{};
  }
  template <class T, class Site, class Pad = no_padding>
  bool touch(access kind, std::uint32_t array, std::uint64_t first, std::uint64_t count,
             std::uint64_t size) {
    return device_.touch(me_, {kind, array, first, count, sizeof(T), alignof(T), site_number<Site>,
                               Pad::terms == 0 ? nullptr : &Pad::place, size});
  }

  lane& me_;
  engine& device_;
};

}  // namespace upsweep::lab::simulator
