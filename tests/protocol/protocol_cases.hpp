// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the protocol share: emulated devices, hostile schedules, operators that see a
// wrong order, and lines with what the definition makes of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "../tree_hash.hpp"
#include "stand_in/device_words.hpp"
#include "upsweep/cuda/look_back.cuh"
#include "upsweep/cuda/problem.cuh"
#include "upsweep/cuda/workspace.cuh"
#include "upsweep/reference.hpp"

namespace protocol {

namespace uc = upsweep::cuda;
using cases::tree_hash;

// ThreadSanitizer is slow, and sees on any schedule what it can see: it gets fewer of them.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool with_tsan = true;
#else
inline constexpr bool with_tsan = false;
#endif
inline constexpr std::uint64_t schedules = with_tsan ? 3 : 12;

// The one race that the kernels have by design: who leaves last resets what the others counted up
// and read, without order. They had these values in hand before they counted themselves as left.
extern "C" [[gnu::used]] inline const char* __tsan_default_suppressions() {
  return "race:upsweep::cuda::leave\n";
}

// 16 bytes: two granules a word, and fewer warps a block.
struct wide {
  std::uint64_t a, b;
};
struct wide_hash {
  wide operator()(const wide& left, const wide& right) const {
    return {tree_hash{}(left.a, right.b), tree_hash{}(left.b, right.a ^ left.a)};
  }
};
// 24 bytes, so that kernels for lines side by side have small tiles: for many of them.
struct large {
  std::uint64_t a, b, c;
};
struct large_hash {
  large operator()(const large& left, const large& right) const {
    return {tree_hash{}(left.a, right.b), tree_hash{}(left.b, right.c), left.c ^ (right.a + 1)};
  }
};

// An element is the range of its index. What is not a range followed by an aligned block is
// counted: no operator may see it.
struct range {
  std::uint32_t begin, end;
};
inline std::uint64_t strangers = 0;
struct join {
  range operator()(const range& left, const range& right) const {
    const std::uint32_t size = right.end - right.begin;
    const bool block = std::has_single_bit(size) && (right.begin & (size - 1)) == 0;
    if (left.end != right.begin || left.begin >= left.end || !block)
      __atomic_fetch_add(&strangers, std::uint64_t{1}, __ATOMIC_RELAXED);
    return {left.begin, right.end};
  }
};

// One device for each kind, for all tests of a process. ThreadSanitizer makes fibers dear.
inline emulator::device& device_of(unsigned threads, unsigned processors = with_tsan ? 2 : 4) {
  static std::map<std::pair<unsigned, unsigned>, std::unique_ptr<emulator::device>> all;
  auto& device = all[{threads, processors}];
  if (device == nullptr) device = std::make_unique<emulator::device>(processors, threads);
  return *device;
}

// Every order of blocks with every order of lanes; blocks that stand still often or never, words
// that are late or on time, one to four blocks at a time.
inline emulator::schedule hostile(std::uint64_t seed) {
  emulator::schedule how;
  how.seed = seed;
  how.blocks = static_cast<emulator::block_order>(seed % 3);
  how.lanes = static_cast<emulator::lane_order>(seed / 3 % 3);
  how.resident = 4 - static_cast<unsigned>(seed % 4);
  how.starved_warp = seed % 4 == 3 ? static_cast<int>(seed / 4 % 6) : -1;
  how.quantum = seed % 5 == 0 ? 40 : 1000;
  how.stall_percent = seed % 2 == 0 ? 0 : 20;
  how.late_percent = seed % 7 == 0 ? 0 : 50;
  how.early_copies = seed % 3 == 0 ? 0 : 5;
  return how;
}

template <class T>
std::vector<T> some_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& v : values)
    if constexpr (std::is_same_v<T, wide>)
      v = {random(), random()};
    else if constexpr (std::is_same_v<T, large>)
      v = {random(), random(), random()};
    else if constexpr (std::is_same_v<T, range>)
      v.begin = static_cast<std::uint32_t>(&v - values.data()), v.end = v.begin + 1;
    else if constexpr (std::is_floating_point_v<T>)
      v = std::uniform_real_distribution<T>(-1, 1)(random);
    else
      v = static_cast<T>(random());
  return values;
}

// Where two arrays first differ in a bit; their size where they do not.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return i;
  return a.size();
}

// Lines of n elements each, and their inclusive scans by the definition.
template <class T, class Op>
struct lines {
  std::size_t n, count;
  std::vector<T> in, out, expected;

  explicit lines(std::size_t size, std::size_t lines_ = 1, std::uint64_t seed = 1)
      : n(size), count(lines_), in(some_values<T>(n * count, seed)), out(in.size()) {
    for (std::size_t l = 0; l < count; ++l) {
      const std::span<const T> x(in.data() + l * n, n);
      const auto line = upsweep::reference::inclusive_scan<T>(x, Op{});
      expected.insert(expected.end(), line.begin(), line.end());
    }
    strangers = 0;
  }

  // The inclusive scan of all of them; what out held is spoilt.
  uc::problem<T, T, T, Op> problem() {
    std::memset(static_cast<void*>(out.data()), 0xa5, out.size() * sizeof(T));
    uc::problem<T, T, T, Op> p;
    p.in = in.data(), p.out = out.data();
    p.n = n;
    p.set_lines(static_cast<unsigned>(count), static_cast<std::int64_t>(n),
                static_cast<std::int64_t>(n));
    if constexpr (uc::harmless<Op, T>) p.start = Op::template identity<T>(), p.has_start = true;
    return p;
  }
  bool right() const { return first_difference(out, expected) == out.size(); }
};

// Lines side by side, steps `pitch` elements apart, in memory that begins at a multiple of 128
// bytes, or `shift` elements behind; more rows of such lines behind that. down: the first step lies
// last.
template <class T, class Op>
struct columns {
  lines<T, Op> by_line;
  std::size_t width, pitch, shift, rows;
  bool down;
  std::vector<T> in, out;

  columns(std::size_t n, std::size_t width_, std::size_t pitch_, std::size_t shift_ = 0,
          std::size_t rows_ = 1, bool down_ = false)
      : by_line(n, rows_ * width_, n),
        width(width_),
        pitch(pitch_),
        shift(shift_),
        rows(rows_),
        down(down_),
        in(rows * n * pitch + 256),
        out(in.size()) {
    copy_lines(by_line.in, in, first(in));
  }
  std::int64_t step() const { return down ? -static_cast<std::int64_t>(pitch) : pitch; }

  uc::problem<T, T, T, Op> problem() {
    std::memset(static_cast<void*>(out.data()), 0xa5, out.size() * sizeof(T));
    auto p = by_line.problem();
    p.in = &at(in, 0, 0), p.out = &at(out, 0, 0);
    p.set_lines(static_cast<unsigned>(by_line.count), 1, 1);
    p.at.rank = 2;
    p.at.extent[0] = static_cast<unsigned>(width), p.at.extent[1] = static_cast<unsigned>(rows);
    p.at.in[1] = p.at.out[1] = static_cast<std::int64_t>(by_line.n * pitch);
    return p;
  }
  // Whether results are those of the definition, and nothing else has been written.
  bool right() {
    std::vector<T> wanted(out.size());
    std::memset(static_cast<void*>(wanted.data()), 0xa5, wanted.size() * sizeof(T));
    copy_lines(by_line.expected, wanted, first(out));
    return first_difference(out, wanted) == out.size();
  }

 private:
  std::size_t first(const std::vector<T>& v) const {
    std::size_t i = 0;
    while (reinterpret_cast<std::uintptr_t>(v.data() + i) % 128 != 0) ++i;
    return i + shift;
  }
  std::size_t place(std::size_t line, std::size_t i) const {
    const std::size_t n = by_line.n;
    return (line / width * n + (down ? n - 1 - i : i)) * pitch + line % width;
  }
  T& at(std::vector<T>& v, std::size_t line, std::size_t i) const {
    return v[first(v) + place(line, i)];
  }
  void copy_lines(const std::vector<T>& from, std::vector<T>& to, std::size_t begin) const {
    for (std::size_t l = 0; l < by_line.count; ++l)
      for (std::size_t i = 0; i < by_line.n; ++i) to[begin + place(l, i)] = from[l * by_line.n + i];
  }
};

// Sets the epoch of the workspace's next launch, or reads it.
inline unsigned& epoch_of(uc::workspace& space) {
  unsigned* epoch = nullptr;
  space.use(nullptr, 1, 1, 1, [&](const uc::levels& words) { epoch = &words.state->epoch; });
  return *epoch;
}

// scan(problem, workspace, blocks, schedule) gives what the definition does, on every schedule and
// with one block to six. Each time in a workspace without words: those that an earlier schedule
// left would be right.
template <class T, class Op, class Scan>
void scans_on_every_schedule(std::size_t bytes, std::size_t n, std::size_t count, Scan&& scan) {
  lines<T, Op> l(n, count, n);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    uc::workspace space(bytes);
    const auto blocks = 1 + static_cast<unsigned>(seed % 6);
    scan(l.problem(), space, blocks, hostile(seed));
    ASSERT_EQ(first_difference(l.out, l.expected), l.out.size())
        << "n " << n << ", " << count << " lines, schedule " << seed;
  }
}

// The words of the last epoch are cleared, however late they were stored: 2^32 launches later they
// would be taken for those of another launch. right(how, number): whether a launch on the schedule
// is right; number: another for each launch.
template <class Right>
void survives_the_last_epoch(uc::workspace& space, std::uint64_t seeds, Right&& right) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    emulator::schedule how = hostile(seed);
    how.late_percent = 50, how.late_turns = 100'000;
    for (const unsigned epoch : {uc::last_epoch, uc::last_epoch, uc::last_epoch - 1}) {
      epoch_of(space) = epoch;
      for (int launch = 0; launch < 2; ++launch)
        ASSERT_TRUE(right(how, 3 * seed + epoch + launch))
            << "schedule " << seed << ", epoch " << epoch;
      ASSERT_EQ(epoch_of(space), epoch == uc::last_epoch ? 2u : 1u);
    }
  }
}

}  // namespace protocol
