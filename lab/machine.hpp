// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel of the lab may ask of the device it runs on. A kernel is a struct with
//   template <class M> UPSWEEP_HD void operator()(M& m) const
// that every thread runs; m is a simulator::machine on the CPU, a gpu::machine on a GPU:
//
//   m.thread() m.threads() m.block() m.blocks()    who I am, of how many; warps are 32 threads
//   m.shared(of<T>, count[, pad])                  an array of the block; all threads ask for it
//   m.load(array, i, site) m.store(array, i, value, site)   shared or global memory
//   m.load4(array, i, site) m.store4(array, i, pack, site)  elements i to i+3; i divisible by 4
//   m.barrier(site)                                of the block; orders its memory
//   m.shuffle(value, lane, site) m.shuffle_up(value, distance, site) m.vote(flag, site)
//                                                  by all lanes of a warp; they order no memory
//   m.add(words, i, value, site)                   atomic, relaxed; returns the old value
//   m.publish(words, i, value, site)               what I wrote before it is seen by whoever
//   m.observe(words, i, site)                      observes the value; may be called in a loop
//   m.grid_barrier(site)                           of all blocks; cooperative launches only
//   m.apply(op, left, right)                       op(left, right)
//   m.step(phase, stride, active)                  a step begins; whether I do its work
//   m.show(i, value[, left[, right]])              element i of the array is this now: what was
//                                                  in element left (+) what was in right, which
//                                                  is i itself; one of them nobody: a copy
//
// The last three only tell: the simulator counts and draws by them; on a GPU they are nothing, as
// are sites and phases, which name a place of the text: "src[t]"_at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/operators.hpp"

namespace upsweep::lab {

inline constexpr unsigned warp_lanes = 32;
inline constexpr std::uint64_t nobody = ~std::uint64_t{0};  // no element

// A name as a type.
template <std::size_t N>
struct text {
  char value[N]{};
  constexpr text(const char (&characters)[N]) {
    for (std::size_t i = 0; i < N; ++i) value[i] = characters[i];
  }
};
template <text Name>
struct site {
  static constexpr const char* name() { return Name.value; }
};
template <text Name>
UPSWEEP_HD constexpr site<Name> operator""_at() {
  return {};
}

template <class T>
struct element_type {};
template <class T>
inline constexpr element_type<T> of{};

// An array in the device's memory. id is the simulator's.
template <class T>
struct global {
  T* data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t id = 0;

  template <class U>
  requires std::is_same_v<U, const T> UPSWEEP_HD operator global<U>() const {
    return {data, size, id};
  }
};

// Words by which blocks speak to each other: for add, publish and observe only.
struct words {
  std::uint32_t* data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t id = 0;
};

// Where an element of a shared array lies. Terms of i / Banks move rows of the banks against each
// other, so that strides that are powers of two meet in fewer banks: one term helps up to a stride
// of Banks / 2, the second one beyond.
template <unsigned Banks, unsigned Terms>
struct padding {
  static constexpr unsigned banks = Banks, terms = Terms;
  UPSWEEP_HD static constexpr std::uint32_t place(std::uint32_t i) {
    if constexpr (Terms == 0) return i;
    return i + i / Banks + (Terms > 1 ? i / (Banks * Banks) : 0);
  }
};
using no_padding = padding<32, 0>;

// An array in the shared memory of a block. size counts elements, without the padding's holes.
template <class T, class Pad = no_padding>
struct shared_array {
  T* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t id = 0;

  // Elements that an array of so many takes, holes included.
  UPSWEEP_HD static constexpr std::uint32_t places(std::uint32_t count) {
    return count == 0 ? 0 : Pad::place(count - 1) + 1;
  }
};

// Four neighbours, which travel in accesses of 16 bytes.
template <class T>
struct alignas(sizeof(T) >= 4 ? 16 : 4 * sizeof(T)) pack {
  T at[4];
};

// How many blocks of how many threads, and the bytes of shared memory of one. A cooperative
// launch has all of its blocks running at once.
struct shape {
  std::uint64_t blocks = 1;
  unsigned threads = 1;
  std::uint32_t shared_bytes = 0;
  bool cooperative = false;
};

inline constexpr std::uint32_t most_shared_bytes = 48u << 10;  // that a launch gets unasked

// Bytes of a shared array, with what keeps the next one aligned.
template <class T, class Pad = no_padding>
UPSWEEP_HD constexpr std::uint32_t shared_bytes(std::uint32_t count) {
  const std::uint32_t bytes = shared_array<T, Pad>::places(count) * std::uint32_t{sizeof(T)};
  return (bytes + 15) / 16 * 16;
}

// What stands where no element is: x (+) fill is x. Operators without an identity lend their empty
// value, which changes no bits of elements that count.
template <class Op, class T>
requires has_empty<Op, T> UPSWEEP_HD constexpr T fill_value() {
  if constexpr (has_identity<Op, T>)
    return Op::template identity<T>();
  else
    return Op::template empty<T>();
}

// The smallest power of two that is not below n.
UPSWEEP_HD constexpr std::uint64_t power_of_two_from(std::uint64_t n) {
  std::uint64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

}  // namespace upsweep::lab
