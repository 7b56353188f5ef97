// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// column_scan on the emulated device: the look-back of strips, two halves and groups by warps of
// their own, gives the bits of the definition on every schedule.
#include "protocol_cases.hpp"
#include "upsweep/cuda/column_scan.cuh"

namespace protocol {

template <class T>
inline constexpr std::size_t tile = uc::column_shape<T>::longest_alone;

// A lane a line, 32 lines a strip. Lines may lie anywhere: here one behind the other.
template <class T, class Op>
void scan(const uc::problem<T, T, T, Op>& p, uc::workspace& space, unsigned blocks,
          const emulator::schedule& how) {
  using shape = uc::column_shape<T>;
  emulator::device& gpu = device_of(shape::threads);
  gpu.how = how;
  uc::column_layout cut;
  cut.steps = {1, 1};
  while (1 << cut.chunk_level < shape::warps) ++cut.chunk_level;
  cut.strip_tiles = (p.lines + 31) / 32;
  cut.line_tiles = static_cast<unsigned>((p.n + tile<T> - 1) / tile<T>);
  const std::uint64_t words_of_strip = cut.words.set(cut.line_tiles);
  space.use(nullptr, cut.strip_tiles, words_of_strip, uc::strip_word<T>::granules,
            [&](const uc::levels& words) {
              gpu.launch(blocks, shape::threads,
                         [&] { uc::column_scan<T, T, T, Op, false>(p, cut, words); });
            });
}

template <class T, class Op>
void on_every_schedule(std::size_t n, std::size_t count) {
  scans_on_every_schedule<T, Op>(std::size_t{1} << 22, n, count, scan<T, Op>);
}

TEST(ColumnProtocol, FloatSums) { on_every_schedule<float, upsweep::plus>(6 * tile<float> + 5, 3); }

TEST(ColumnProtocol, IsTheTreeOfTheDefinition) {
  for (const std::size_t tiles : {2, 3, 17, 33})
    for (const std::size_t less : {1, 0}) {
      on_every_schedule<wide, wide_hash>(tiles * tile<wide> - less, 2);
      if (HasFatalFailure()) return;
    }
  on_every_schedule<std::uint64_t, tree_hash>(5 * tile<std::uint64_t> + 77, 3);
}

TEST(ColumnProtocol, Strips) {
  on_every_schedule<wide, wide_hash>(2 * tile<wide>, 40);
  on_every_schedule<std::uint64_t, tree_hash>(3 * tile<std::uint64_t> + 1, 65);
}

// Beyond 32 * 32 tiles prefixes come from words of their own, and of the blocks that end there.
TEST(ColumnProtocol, MoreThan1024Tiles) {
  if (with_tsan) GTEST_SKIP() << "the same words with fewer tiles are seen by the others";
  uc::workspace space(std::size_t{1} << 22);
  for (const std::size_t steps : {1024 * tile<wide>, 1060 * tile<wide> + 9, 2048 * tile<wide>,
                                  3080 * tile<wide> + 9, 4100 * tile<wide> + 9}) {
    lines<wide, wide_hash> l(steps);
    scan(l.problem(), space, 4, hostile(steps / tile<wide>));
    EXPECT_EQ(first_difference(l.out, l.expected), l.out.size()) << steps << " steps";
  }
}

TEST(ColumnProtocol, OperatorMeetsRealElements) {
  uc::workspace space(std::size_t{1} << 22);
  for (const std::size_t n : {2 * tile<range> + 37, 5 * tile<range> - 1, 34 * tile<range>}) {
    lines<range, join> l(n);
    for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
      scan(l.problem(), space, 2, hostile(seed));
      ASSERT_EQ(first_difference(l.out, l.expected), l.out.size()) << "n " << n;
      ASSERT_EQ(strangers, 0u) << "n " << n << ", schedule " << seed;
    }
  }
}

// What launches of other sizes, types and data have left behind counts for nothing.
TEST(ColumnProtocol, UsedWorkspace) {
  uc::workspace space(std::size_t{1} << 22);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    lines<wide, wide_hash> large(40 * tile<wide> + seed, 1, seed), small(2 * tile<wide>, 33, seed);
    lines<float, upsweep::plus> other(5 * tile<float> - seed, 2, seed);
    scan(large.problem(), space, 3, hostile(seed));
    scan(other.problem(), space, 4, hostile(seed + 1));
    scan(small.problem(), space, 5, hostile(seed + 2));
    ASSERT_TRUE(large.right() && other.right() && small.right()) << "schedule " << seed;
  }
}

}  // namespace protocol
