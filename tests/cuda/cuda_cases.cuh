// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the CUDA engine share: a fixture that skips where there is no GPU, arrays in
// device memory, sizes where something changes, inputs, and a comparison of bits with the CPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "../tree_hash.hpp"
#include "upsweep/scan.cuh"
#include "upsweep/scan.hpp"

namespace cuda_cases {

namespace uc = upsweep::cuda;
using cases::tree_hash;

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
      GTEST_SKIP() << "no GPU on this machine";
  }
  void TearDown() override {
    if (!IsSkipped()) EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
};

// n elements in device memory that begin `offset` elements into it, between guards that any write
// beside them would spoil.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n, std::size_t offset = 0) : n_(n), offset_(offset + guard) {
    uc::check(cudaMalloc(&memory_, (n + offset_ + guard) * sizeof(T)), "cudaMalloc");
    poison();
  }
  device_array(const std::vector<T>& values, std::size_t offset = 0)
      : device_array(values.size(), offset) {
    put(values);
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(memory_); }

  T* data() const { return memory_ + offset_; }
  T* end() const { return data() + n_; }
  void put(const std::vector<T>& values) {
    uc::check(cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
              "cudaMemcpy");
  }
  void poison() {
    uc::check(cudaMemset(memory_, 0xa5, (n_ + offset_ + guard) * sizeof(T)), "cudaMemset");
  }
  std::vector<T> get() const { return get(data(), n_); }
  bool guards_hold() const {
    std::vector<unsigned char> poisoned(sizeof(T), 0xa5);
    for (const T* from : {data() - guard, end()})
      for (const T& value : get(from, guard))
        if (std::memcmp(&value, poisoned.data(), sizeof(T)) != 0) return false;
    return true;
  }

 private:
  static constexpr std::size_t guard = 16;
  static std::vector<T> get(const T* from, std::size_t n) {
    std::vector<T> values(n);
    uc::check(cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }
  std::size_t n_, offset_;
  T* memory_ = nullptr;
};

inline const uc::path paths[] = {uc::path::best, uc::path::small_tiles, uc::path::medium_tiles,
                                 uc::path::plain_tiles, uc::path::bulk_tiles};

// 0 1 2 3, a vector, a warp, every path's tile, clusters, 32 and 128 small tiles, each -1 0 +1, and
// two random ones.
template <class In, class T>
std::vector<std::size_t> sizes() {
  const std::size_t vector = uc::lane_vector<In>::items;
  const std::size_t small = uc::block_shape<In, T, 1>::tile;
  const std::size_t large = uc::block_shape<In, T, uc::full_groups<In>>::tile;
  const std::size_t bulk = uc::bulk_shape<In, T>::tile;
  std::vector<std::size_t> all{0, 1, 2, 3};
  for (const std::size_t edge : {vector, 32 * vector, 128 * vector, small, large, bulk, 8 * small,
                                 8 * large, 32 * small, 128 * small, 32 * bulk})
    for (const std::size_t n : {edge - 1, edge, edge + 1}) all.push_back(n);
  std::mt19937_64 random(7);
  for (int i = 0; i < 2; ++i) all.push_back(random() % (64 * bulk));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Numbers whose sums round, products that stay finite; any bits for integers.
template <class T>
T some_value(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>)
    return random() % 64 != 0;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random());
  else
    return static_cast<T>(std::uniform_real_distribution<float>(-1, 1)(random));
}
template <class T>
std::vector<T> some_values(std::size_t n, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& v : values) v = some_value<T>(random);
  return values;
}

// Where two arrays first differ in a bit; their size where they do not.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return i;
  return a.size();
}

template <class Op, class Out, class Init = upsweep::detail::no_init>
struct accumulator {
  using type = upsweep::accumulator_t<Op, Out, Init>;
};

// Every path, inclusive and exclusive, at every size: the bits of the CPU.
template <class In, class Out, class Op, class... Init>
void equals_cpu(const std::vector<In>& all, Op op, Init... init) {
  using T = typename accumulator<Op, Out, Init...>::type;
  uc::workspace space;
  const device_array<In> in(all);
  for (const std::size_t n : sizes<In, T>()) {
    if (n > all.size()) continue;
    std::vector<Out> expected(n);
    for (const bool exclusive : {false, true}) {
      if constexpr (!upsweep::has_empty<Op, T> && sizeof...(Init) == 0)
        if (exclusive) continue;
      const auto scan = [&](auto who, auto from, auto to) {
        if (!exclusive) upsweep::inclusive_scan(who, from, from + n, to, op, init...);
        if constexpr (upsweep::has_empty<Op, T> || sizeof...(Init) != 0)
          if (exclusive) upsweep::exclusive_scan(who, from, from + n, to, op, init...);
      };
      scan(upsweep::seq, all.data(), expected.data());
      for (const uc::path path : paths) {
        const device_array<Out> out(n);
        scan(uc::on(nullptr, space).by(path), in.data(), out.data());
        const std::vector<Out> found = out.get();
        ASSERT_EQ(first_difference(found, expected), n)
            << "n " << n << ", path " << static_cast<int>(path) << ", exclusive " << exclusive;
        ASSERT_TRUE(out.guards_hold()) << "n " << n << ", path " << static_cast<int>(path);
      }
    }
  }
}

// The largest size above.
template <class In, class T>
std::size_t most() {
  return sizes<In, T>().back();
}

}  // namespace cuda_cases
