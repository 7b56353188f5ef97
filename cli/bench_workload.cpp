// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/bench_workload.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cli/failure.hpp"

namespace cli::bench {

namespace {

constexpr std::size_t page = 4096;

void* touched_pages(std::size_t bytes) {
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* p = std::aligned_alloc(page, whole);
  if (p == nullptr)
    throw usage_failure(fmt::format("bench: no memory for two buffers of {} bytes", bytes));
  // By all threads, so that on a machine with several memories each gets its share.
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, whole / page),
                    [=](const tbb::blocked_range<std::size_t>& r) {
                      std::memset(static_cast<char*>(p) + r.begin() * page, 0, r.size() * page);
                    });
  return p;
}

}  // namespace

buffers::buffers(std::size_t bytes_each)
    : in_(touched_pages(bytes_each)), out_(touched_pages(bytes_each)) {}

void buffers::release::operator()(void* p) const { std::free(p); }

std::optional<std::size_t> first_other_bits(const workload& w, const void* wanted,
                                            std::size_t size) {
  if (std::memcmp(w.out, wanted, w.n * size) == 0) return std::nullopt;
  const auto *a = static_cast<const char*>(w.out), *b = static_cast<const char*>(wanted);
  return static_cast<std::size_t>(std::mismatch(a, a + w.n * size, b).first - a) / size;
}

std::uint64_t hash_of(const void* memory, std::size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(memory);
  std::uint64_t hash = bytes;
  for (std::size_t i = 0; i < bytes; i += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, std::min(sizeof word, bytes - i));
    hash = random_at(hash ^ word);
  }
  return hash;
}

}  // namespace cli::bench
