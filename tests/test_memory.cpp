// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory is touched: pages that may not be touched around input and output, guards around
// outputs at every alignment, stores through the cache and past it, data larger than the cache.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "reference_cases.hpp"

namespace {

using upsweep::prefix_stack;
using upsweep::cpu::output;
using upsweep::cpu::store;

// Pages between two that must not be touched.
class fenced_pages {
 public:
  fenced_pages() {
    page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    size_ = 4 * page_;
    base_ = static_cast<char*>(::mmap(nullptr, size_ + 2 * page_, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::mprotect(base_, page_, PROT_NONE);
    ::mprotect(base_ + page_ + size_, page_, PROT_NONE);
  }
  fenced_pages(const fenced_pages&) = delete;
  ~fenced_pages() { ::munmap(base_, size_ + 2 * page_); }
  // n values, at the beginning of the pages or at their end.
  template <class T>
  T* values(std::size_t n, bool at_end) {
    char* const begin = base_ + page_ + (at_end ? size_ - n * sizeof(T) : 0);
    return reinterpret_cast<T*>(begin);
  }

 private:
  std::size_t page_ = 0, size_ = 0;
  char* base_ = nullptr;
};

template <class T, class Op>
void expect_fences_untouched(const Op& op) {
  fenced_pages in_pages, out_pages;
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (std::size_t n = 1; n <= 150; ++n)
      for (const bool at_end : {false, true}) {
        const auto x = cases::random_values<T>(n);
        T* const in = in_pages.values<T>(n, at_end);
        T* const out = out_pages.values<T>(n, at_end);
        std::copy(x.begin(), x.end(), in);
        upsweep::inclusive_scan(upsweep::seq, in, in + n, out, op);
        ASSERT_TRUE(cases::same_bits(cases::inclusive(x, op), std::vector<T>(out, out + n)))
            << name << ", n = " << n;
        upsweep::exclusive_scan(upsweep::seq, in, in + n, in, op);
        ASSERT_TRUE(cases::same_bits(cases::exclusive(x, op, {}, n), std::vector<T>(in, in + n)))
            << name << ", n = " << n;
        upsweep::reduce(upsweep::seq, out, out + n, op);
      }
  }
}
TEST(Memory, PagesBesideTheDataAreNotTouched) {
  expect_fences_untouched<float>(upsweep::plus{});
  expect_fences_untouched<double>(upsweep::plus{});
  expect_fences_untouched<std::uint8_t>(upsweep::plus{});
  expect_fences_untouched<std::int16_t>(upsweep::plus{});
  expect_fences_untouched<std::int32_t>(upsweep::minimum{});
  expect_fences_untouched<std::uint64_t>(upsweep::maximum{});
  expect_fences_untouched<std::uint64_t>(cases::tree_hash_with_empty{});
}
TEST(Memory, PagesBesideHalvesAreNotTouched) {
  fenced_pages in_pages, out_pages;
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (std::size_t n = 1; n <= 100; ++n) {
      auto* const in = in_pages.values<upsweep::f16>(n, true);
      auto* const out = out_pages.values<upsweep::bf16>(n, true);
      std::fill_n(in, n, upsweep::f16(0.5f));
      upsweep::inclusive_scan(upsweep::seq, in, in + n, out);
      ASSERT_EQ(float(out[n - 1]), float(upsweep::bf16(0.5f * static_cast<float>(n)))) << name;
    }
  }
}

// One run of the kernel with init v, into memory with guards, at a misalignment.
template <class T, class Op>
void expect_guards(std::size_t n, std::size_t in_at, std::size_t out_at, output mode, store how,
                   const Op& op) {
  constexpr std::size_t guard = 64;
  const auto x = cases::random_values<T>(n + 16);
  const std::vector<T> used(x.begin() + in_at, x.begin() + in_at + n);
  const T v = T(3), fill = T(99);
  alignas(64) static T memory[4096];
  T* const begin = memory;
  std::fill(begin, begin + n + 3 * guard, fill);
  prefix_stack<T, Op> stack(op, v);
  upsweep::cpu::run(x.data() + in_at, begin + guard + out_at, n, stack, mode, how);
  std::vector<T> want(n + 3 * guard, fill);
  const auto y = mode == output::inclusive ? cases::inclusive(used, op, std::optional<T>(v))
                                           : cases::exclusive(used, op, std::optional<T>(v), n);
  std::copy(y.begin(), y.end(), want.begin() + guard + out_at);
  ASSERT_TRUE(cases::same_bits(want, std::vector<T>(begin, begin + n + 3 * guard)));
  ASSERT_TRUE(cases::same(*stack.prefix(), *upsweep::reference::prefix<T>(used, n, op, {v})));
}
template <class T, class Op>
void expect_every_alignment(const Op& op) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (const store how : {store::cached, store::streaming})
      for (const output mode : {output::inclusive, output::exclusive})
        for (std::size_t at = 0; at < 16; ++at)
          for (const std::size_t n : {0u, 1u, 5u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u,
                                      100u, 128u, 160u, 257u, 1029u}) {
            SCOPED_TRACE(std::string(name) + (how == store::cached ? " cached" : " streaming") +
                         ", offset " + std::to_string(at) + ", n = " + std::to_string(n));
            expect_guards<T>(n, (5 * at) % 16, at, mode, how, op);
            if (testing::Test::HasFatalFailure()) return;
          }
  }
}
TEST(Memory, EveryAlignmentCachedAndStreaming) {
  expect_every_alignment<float>(upsweep::plus{});
  expect_every_alignment<double>(upsweep::plus{});
  expect_every_alignment<std::uint8_t>(upsweep::plus{});
  expect_every_alignment<std::int16_t>(upsweep::plus{});
}
TEST(Memory, EveryAlignmentOfMinimaAndMaxima) {
  expect_every_alignment<float>(upsweep::minimum{});
  expect_every_alignment<std::uint32_t>(upsweep::maximum{});
  expect_every_alignment<std::int64_t>(upsweep::minimum{});
}

// Rows with a pitch, each at another alignment, some with a total behind.
template <class T, class Op>
void expect_rows(const Op& op) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (const store how : {store::cached, store::streaming})
      for (const output mode : {output::none, output::inclusive, output::exclusive})
        for (const std::size_t n : {0u, 1u, 7u, 16u, 33u, 130u}) {
          const std::size_t rows = 9, pitch = n + 5;
          const bool total = mode == output::exclusive && n % 2 != 0;
          const auto x = cases::random_values<T>(rows * pitch + 1);
          std::vector<T> y(rows * pitch + 70, T(99)), want = y;
          upsweep::cpu::row_block<T> block;
          block.in = x.data() + 1, block.out = y.data() + 3;
          block.rows = rows, block.n = n, block.in_pitch = block.out_pitch = pitch;
          block.empty = upsweep::empty_value<Op, T>(), block.total = total;
          for (std::size_t r = 0; r < rows; ++r) {
            const T* const from = x.data() + 1 + r * pitch;
            const std::vector<T> row(from, from + n);
            auto line = mode == output::inclusive
                            ? cases::inclusive(row, op)
                            : cases::exclusive(row, op, {}, n + (mode == output::none || total));
            if (mode == output::none) line = {line.back()};
            std::copy(line.begin(), line.end(), want.begin() + 3 + r * pitch);
          }
          upsweep::cpu::run_rows(block, op, mode, how);
          ASSERT_TRUE(cases::same_bits(want, y)) << name << ", n = " << n;
        }
  }
}
TEST(Memory, RowsOfAnyPitch) {
  expect_rows<float>(upsweep::plus{});
  expect_rows<std::uint8_t>(upsweep::plus{});
  expect_rows<double>(upsweep::maximum{});
  expect_rows<std::uint64_t>(cases::tree_hash_with_empty{});
}

// Eight rows of a strip: widths, alignments, and no column beside it.
template <class T, class Op>
void expect_steps(const Op& op) {
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (const store how : {store::cached, store::streaming})
      for (const output mode : {output::none, output::inclusive, output::exclusive})
        for (std::size_t w = 1; w < 70; w += w < 20 ? 1 : 11)
          for (const std::size_t at : {0u, 1u, 3u, 16u}) {
            const std::size_t pitch = 96;
            const auto x = cases::random_values<T>(9 * pitch);
            alignas(64) T memory[8 * 96], sums[96];
            std::fill(memory, memory + 8 * pitch, T(99)), std::fill(sums, sums + pitch, T(99));
            upsweep::cpu::row_step<T> step{{}, {}, x.data() + 8 * pitch, sums + at, w, mode, how};
            for (std::size_t k = 0; k < 8; ++k) {
              step.in[k] = x.data() + k * pitch + 1;
              step.out[k] = mode == output::none ? nullptr : memory + k * pitch + at;
            }
            std::vector<T> want(8 * pitch, T(99)), block(pitch, T(99));
            for (std::size_t c = 0; c < w; ++c) {
              std::vector<T> column;
              for (std::size_t k = 0; k < 8; ++k) column.push_back(step.in[k][c]);
              block[at + c] = cases::halved_sum(column, 0, 8, op);
              const auto y = mode == output::inclusive
                                 ? cases::inclusive(column, op, {step.carry[c]})
                                 : cases::exclusive(column, op, {step.carry[c]}, 8);
              for (std::size_t k = 0; k < (mode == output::inclusive ? 7u : 8u); ++k)
                if (mode != output::none) want[k * pitch + at + c] = y[k];
            }
            upsweep::cpu::simd_step(step, op);
            ASSERT_TRUE(cases::same_bits(want, std::vector<T>(memory, memory + 8 * pitch)))
                << name << ", w = " << w << ", offset " << at;
            ASSERT_TRUE(cases::same_bits(block, std::vector<T>(sums, sums + pitch))) << name;
          }
  }
}
TEST(Memory, StepsOfAStrip) {
  expect_steps<float>(upsweep::plus{});
  expect_steps<double>(upsweep::plus{});
  expect_steps<std::uint8_t>(upsweep::plus{});
  expect_steps<float>(upsweep::minimum{});
}

// Larger than the cache, at odd addresses, so that the calls themselves take streaming stores.
TEST(Memory, LargerThanTheCache) {
  const std::size_t n = std::min(upsweep::cpu::caches().l3, std::size_t{1} << 26) / 16 + 12345;
  const auto x = cases::random_values<float>(n + 1);
  std::vector<float> want(n), y(n + 5, 99.0f), z(n + 5, 99.0f);
  for (const char* name : cases::targets()) {
    const cases::forced_target unit(name);
    for (const unsigned threads : {1u, 3u}) {
      prefix_stack<float, upsweep::plus> stack(upsweep::plus{});
      upsweep::cpu::template_run(x.data() + 1, want.data(), n, stack, output::inclusive);
      upsweep::inclusive_scan(upsweep::par.on(threads), x.data() + 1, x.data() + 1 + n, &y[3]);
      upsweep::exclusive_scan(upsweep::par.on(threads), x.data() + 1, x.data() + 1 + n, &z[2]);
      ASSERT_EQ(std::memcmp(want.data(), &y[3], 4 * n), 0) << name << ", " << threads;
      ASSERT_EQ(std::memcmp(want.data(), &z[3], 4 * (n - 1)), 0) << name << ", " << threads;
      for (const float guard : {y[1], y[2], y[n + 3], y[n + 4], z[0], z[1], z[n + 2], z[n + 3]})
        EXPECT_EQ(guard, 99.0f);
    }
  }
}

}  // namespace
