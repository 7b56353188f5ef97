// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every unit test of the library shares: sizes, inputs, operators that see a wrong order, the
// definition written a second time, and a comparison of bits that says what differs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "tree_hash.hpp"
#include "upsweep/cpu/info.hpp"
#include "upsweep/reference.hpp"
#include "upsweep/scan.hpp"

namespace cases {

// Every random choice of a run comes from here: UPSWEEP_TEST_SEED=n repeats or varies one.
inline std::uint64_t seed() {
  static const char* const text = std::getenv("UPSWEEP_TEST_SEED");
  static const std::uint64_t value = text ? std::strtoull(text, nullptr, 10) : 20240917;
  return value;
}
inline std::mt19937_64 random_source(std::uint64_t salt) {
  return std::mt19937_64(seed() + 0x9e3779b97f4a7c15u * salt);
}

// The smallest chunk that a policy can force.
inline constexpr int chunk_log2 = 6;
inline constexpr std::size_t chunk = std::size_t{1} << chunk_log2;

// Sizes where something changes: nothing, leaf (2 vectors), node (4 leaves), chunk, 32 chunks and
// tile, 128 chunks; each -1 0 +1; then three random ones.
inline std::vector<std::size_t> sizes(std::size_t most = 128 * chunk + 1) {
  std::vector<std::size_t> all{0, 1, 2, 3};
  for (const std::size_t edge : {std::size_t{4}, std::size_t{8}, std::size_t{16}, std::size_t{32},
                                 chunk, 2 * chunk, std::size_t{1024}, 32 * chunk, 128 * chunk})
    for (const std::size_t n : {edge - 1, edge, edge + 1}) all.push_back(n);
  auto source = random_source(1);
  for (int i = 0; i < 3; ++i) all.push_back(130 + source() % (128 * chunk - 130));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](std::size_t n) { return n > most; });
  return all;
}

// Operators and their values.

struct tree_hash_with_empty : tree_hash {
  template <class T>
  static T empty() {
    return 0x0123456789abcdef;
  }
};

// 2x2 matrices modulo a prime: associative, not commutative, exact.
struct matrix {
  std::uint32_t a, b, c, d;
  friend bool operator==(const matrix&, const matrix&) = default;
};
struct matrix_modulo {
  matrix operator()(const matrix& l, const matrix& r) const {
    const auto dot = [](std::uint64_t p, std::uint64_t q, std::uint64_t s, std::uint64_t t) {
      return static_cast<std::uint32_t>((p * q + s * t) % 65521);
    };
    return {dot(l.a, r.a, l.b, r.c), dot(l.a, r.b, l.b, r.d), dot(l.c, r.a, l.d, r.c),
            dot(l.c, r.b, l.d, r.d)};
  }
  template <class T>
  static T empty() {
    return {1, 0, 0, 1};
  }
};

// A float that starts a segment, or goes on with one.
struct segment {
  float sum;
  std::uint32_t starts;
  friend bool operator==(const segment&, const segment&) = default;
};
struct segmented_plus {
  segment operator()(const segment& l, const segment& r) const {
    return {r.starts != 0 ? r.sum : l.sum + r.sum, l.starts | r.starts};
  }
};

// Elements [lo, hi) of a line: operands must meet, so that anything that is no element and no
// combination of neighbours, in this order, is counted as a fault.
struct interval {
  std::int64_t lo, hi;
  std::int64_t line;
  friend bool operator==(const interval&, const interval&) = default;
};
struct join {
  std::atomic<std::uint64_t>* faults;
  interval operator()(const interval& l, const interval& r) const {
    if (l.hi != r.lo || l.line != r.line || l.lo >= l.hi || r.lo >= r.hi)
      faults->fetch_add(1, std::memory_order_relaxed);
    return {l.lo, r.hi, l.line};
  }
};

// Inputs.

template <class T>
T random_value(std::mt19937_64& source) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const int exponent = static_cast<int>(source() % 24) - 12;  // sums round at every operation
    const T value = static_cast<T>(1) + std::ldexp(static_cast<T>(source() >> 11), -53);
    return std::ldexp(source() % 3 == 0 ? -value : value, exponent);
  } else if constexpr (std::is_same_v<T, upsweep::f16> || std::is_same_v<T, upsweep::bf16>) {
    return T(random_value<float>(source) / 64);
  } else if constexpr (std::is_same_v<T, matrix>) {
    const auto next = [&] { return static_cast<std::uint32_t>(source() % 65521); };
    return {next(), next(), next(), next()};
  } else if constexpr (std::is_same_v<T, segment>) {
    return {random_value<float>(source), source() % 37 == 0 ? 1u : 0u};
  } else if constexpr (std::is_same_v<T, upsweep::affine<float>>) {
    return {1 + random_value<float>(source) / 65536, random_value<float>(source)};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string(1 + source() % 2, static_cast<char>('a' + source() % 26));
  } else {
    return static_cast<T>(source());
  }
}
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t salt = 2) {
  auto source = random_source(salt + n);
  std::vector<T> x(n);
  for (T& value : x) value = random_value<T>(source);
  return x;
}

// The definition once more, independent of reference.hpp: ranges are halved, and the cut of a
// prefix takes the largest power of two that is left.
template <class T, class Op>
T halved_sum(const std::vector<T>& x, std::size_t begin, std::size_t end, const Op& op) {
  if (end - begin == 1) return x[begin];
  const std::size_t middle = begin + (end - begin) / 2;
  return op(halved_sum(x, begin, middle, op), halved_sum(x, middle, end, op));
}
template <class T, class Op>
std::optional<T> defined_prefix(const std::vector<T>& x, std::size_t k, const Op& op,
                                std::optional<T> sum = std::nullopt) {
  for (std::size_t at = 0; at < k;) {
    const std::size_t end = at + std::bit_floor(k - at);
    const T part = halved_sum(x, at, end, op);
    sum = sum ? op(*sum, part) : part;
    at = end;
  }
  return sum;
}

// What a scan must return, by reference.hpp, for operators with and without an empty value.
template <class T, class Op>
std::vector<T> inclusive(const std::vector<T>& x, const Op& op,
                         std::optional<T> init = std::nullopt) {
  return upsweep::reference::inclusive_scan(std::span<const T>(x), op, init);
}
template <class T, class Op>
std::vector<T> exclusive(const std::vector<T>& x, const Op& op, std::optional<T> init,
                         std::size_t count) {
  if constexpr (upsweep::has_empty<Op, T>)
    if (!init) {
      auto y = upsweep::reference::exclusive_scan(std::span<const T>(x), op, init, true);
      y.resize(count);
      return y;
    }
  return upsweep::reference::prefixes(std::span<const T>(x), 0, count, op, init);
}

// Comparison.

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, upsweep::f16> || std::is_same_v<T, upsweep::bf16>)
    return a.bits == b.bits || (float(a) != float(a) && float(b) != float(b));
  else if constexpr (std::is_floating_point_v<T>)  // the sign and payload of a NaN are free
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  else if constexpr (std::is_same_v<T, upsweep::affine<float>>)
    return same(a.scale, b.scale) && same(a.offset, b.offset);
  else if constexpr (std::is_same_v<T, segment>)
    return same(a.sum, b.sum) && a.starts == b.starts;
  else
    return a == b;
}
template <class T>
std::string shown(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_same_v<T, std::string>)
    text << value;
  else if constexpr (std::is_same_v<T, upsweep::f16> || std::is_same_v<T, upsweep::bf16>)
    text << float(value) << " (bits " << std::hex << value.bits << ")";
  else if constexpr (std::is_floating_point_v<T>)
    text << std::hexfloat << value << std::defaultfloat << " (" << value << ")";
  else if constexpr (std::is_arithmetic_v<T>)
    text << +value;
  else
    for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(T)>>(value))
      text << std::hex << +byte << ' ';
  return text.str();
}
// The first difference, with its place, what was expected and what came.
template <class T>
testing::AssertionResult same_bits(const std::vector<T>& expected, const std::vector<T>& got) {
  if (expected.size() != got.size())
    return testing::AssertionFailure() << got.size() << " values, not " << expected.size();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (const T want = expected[i], have = got[i]; !same(want, have))
      return testing::AssertionFailure()
             << "index " << i << " of " << got.size() << ": expected " << shown(want) << ", got "
             << shown(have) << "; seed " << seed();
  return testing::AssertionSuccess();
}

// Engines.

// Chooses a vector unit for a scope.
struct forced_target {
  explicit forced_target(const char* name) : found(upsweep::cpu::force_simd_target(name)) {}
  forced_target(const forced_target&) = delete;
  ~forced_target() { upsweep::cpu::force_simd_target("auto"); }
  const bool found;
};

// The vector units of this machine, the template engine ("scalar") first.
inline std::vector<const char*> targets() {
  std::vector<const char*> found;
  for (const char* name : {"scalar", "sse4", "avx2", "avx512", "neon"})
    if (forced_target(name).found) found.push_back(name);
  return found;
}
// Calls body(policy) on each vector unit, with 1 2 3 8 threads in chunks of 64 elements.
template <class Body>
void on_every_engine(const Body& body) {
  for (const char* name : targets()) {
    const forced_target unit(name);
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(threads) + " threads");
      body(upsweep::par.on(threads).with_chunk(chunk_log2));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace cases
