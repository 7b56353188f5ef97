// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels that scan one tile by one block have in common: which elements, how they are
// read, how prefixes are written, and the launch of a single block.
//
//   struct algorithm {
//     static constexpr const char* name;
//     static constexpr unsigned items;           // elements a thread
//     static constexpr bool power_of_two;        // whether the threads must be one
//     template <class T> static constexpr std::uint32_t bytes(unsigned threads);  // shared memory
//     template <class M, class T, class Op>
//     static void run(M& m, const tile<T>& job, const Op& op);
//   };
#pragma once

#include <string>

#include "lab/machine.hpp"
#include "upsweep/error.hpp"

namespace upsweep::lab {

struct options {
  bool exclusive = false;
  unsigned threads = 0;  // of a block; 0: what the algorithm takes by itself
};

// Elements [begin, n) of x as far as the block reaches. Prefixes go to y; the prefix of the whole
// tile also to totals[index], where totals has any elements.
template <class T>
struct tile {
  global<const T> x;
  global<T> y, totals;
  std::uint64_t begin = 0;
  std::uint32_t index = 0;
  bool exclusive = false;

  UPSWEEP_HD std::uint32_t count(std::uint32_t room) const {
    const std::uint64_t left = x.size - begin;
    return left < room ? static_cast<std::uint32_t>(left) : room;
  }
};

// Element i of the tile; behind the end, what changes nothing.
template <class M, class T, class Op>
UPSWEEP_HD T load_element(M& m, const tile<T>& job, std::uint32_t i, const Op&) {
  if (job.begin + i < job.x.size) return m.load(job.x, job.begin + i, "x[i]"_at);
  return fill_value<Op, T>();
}

// y is told the prefix that ends with element i of all: an exclusive scan has it at i + 1, and the
// empty value in front.
template <class M, class T, class Op>
UPSWEEP_HD void store_prefix(M& m, const global<T>& y, std::uint64_t i, bool exclusive,
                             const T& prefix, const Op&) {
  if (!exclusive) {
    m.store(y, i, prefix, "y[i]"_at);
  } else {
    if (i + 1 < y.size) m.store(y, i + 1, prefix, "y[i+1]"_at);
    if (i == 0) m.store(y, 0, empty_value<Op, T>(), "y[0]"_at);
  }
}

// The same for element i of a tile, if there is one, and its total.
template <class M, class T, class Op>
UPSWEEP_HD void store_prefix(M& m, const tile<T>& job, std::uint32_t i, std::uint32_t count,
                             const T& prefix, const Op& op) {
  if (i >= count) return;
  store_prefix(m, job.y, job.begin + i, job.exclusive, prefix, op);
  if (i + 1 == count && job.totals.size != 0)
    m.store(job.totals, job.index, prefix, "totals[b]"_at);
}

// Every block scans a tile of its own.
template <class Algorithm, class T, class Op>
struct scan_tiles {
  tile<T> job;
  Op op;

  template <class M>
  UPSWEEP_HD void operator()(M& m) const {
    tile<T> mine = job;
    mine.index = m.block();
    mine.begin = std::uint64_t{m.block()} * m.threads() * Algorithm::items;
    Algorithm::run(m, mine, op);
  }
};

// Threads of a block for n elements of type T, as many as their shared memory has room for.
template <class Algorithm, class T>
unsigned threads_for(std::uint64_t n) {
  unsigned most = 1024;
  while (most > 1 && Algorithm::template bytes<T>(most) > most_shared_bytes)
    most = Algorithm::power_of_two ? most / 2 : most - warp_lanes;
  std::uint64_t threads = (n + Algorithm::items - 1) / Algorithm::items;
  if (Algorithm::power_of_two) threads = power_of_two_from(threads);
  return threads < most ? static_cast<unsigned>(threads) : most;
}

inline void check_shared(const char* name, unsigned threads, std::size_t element,
                         std::uint32_t bytes) {
  if (bytes > most_shared_bytes)
    throw argument_error(std::string("upsweep: ") + name + " with " + std::to_string(threads) +
                         " threads a block needs " + std::to_string(bytes) +
                         " bytes of shared memory for elements of " + std::to_string(element) +
                         " bytes; there are " + std::to_string(most_shared_bytes) +
                         ": take smaller blocks");
}

template <class Algorithm>
void check_threads(unsigned threads, const char* name = Algorithm::name) {
  if (threads == 0 || threads > 1024)
    throw argument_error("upsweep: a block has 1 to 1024 threads");
  if (Algorithm::power_of_two && (threads & (threads - 1)) != 0)
    throw argument_error(std::string("upsweep: ") + name + " needs a power of two of threads");
}

// A scan by one block. Throws argument_error if n is more than the block can hold.
template <class Algorithm, class D, class T, class Op>
void scan_by_block(D& d, global<const T> x, global<T> y, const Op& op, const options& how) {
  if (x.size == 0) return;
  const unsigned threads = how.threads != 0 ? how.threads : threads_for<Algorithm, T>(x.size);
  check_threads<Algorithm>(threads);
  const std::uint64_t most = std::uint64_t{threads} * Algorithm::items;
  if (x.size > most)
    throw argument_error(std::string("upsweep: ") + Algorithm::name +
                         " is one block: " + std::to_string(threads) + " threads scan at most " +
                         std::to_string(most) + " elements; hierarchical takes any number");
  check_shared(Algorithm::name, threads, sizeof(T), Algorithm::template bytes<T>(threads));
  const scan_tiles<Algorithm, T, Op> kernel{{x, y, {}, 0, 0, how.exclusive}, op};
  d.launch(Algorithm::name, {1, threads, Algorithm::template bytes<T>(threads), false}, kernel);
}

}  // namespace upsweep::lab
