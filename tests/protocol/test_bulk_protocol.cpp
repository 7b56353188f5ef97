// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bulk_scan on the emulated device: its warps hand stages and slots of the ring to each other by
// barriers alone, and copies are done when it suits them least.
#include "protocol_cases.hpp"
#include "upsweep/cuda/bulk_scan.cuh"

namespace upsweep::cuda {
alignas(128) thread_local unsigned char upsweep_shared[227 * 1024];  // what a launch asks for
}

namespace protocol {

template <class T, class Op>
void scan(const uc::problem<T, T, T, Op>& p, uc::workspace& space, unsigned blocks,
          const emulator::schedule& how) {
  using shape = uc::bulk_shape<T, T>;
  emulator::device& gpu = device_of(shape::threads);
  gpu.how = how;
  const std::size_t tiles = (p.n + shape::tile - 1) / shape::tile;
  space.use(nullptr, p.lines, tiles, uc::granules_of<T>, [&](const uc::levels& words) {
    gpu.launch(blocks, shape::threads, [&] { uc::bulk_scan<T, T, T, Op>(p, words); });
  });
}

template <class T>
inline constexpr std::size_t tile = uc::bulk_shape<T, T>::tile;
template <class T>
inline constexpr std::size_t stages = uc::bulk_shape<T, T>::stages;

// So many tiles that every stage and slot is used several times by each block.
TEST(BulkProtocol, IsTheTreeOfTheDefinition) {
  uc::workspace space(std::size_t{1} << 18);
  lines<wide, wide_hash> l(5 * stages<wide> * tile<wide> + 77);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    scan(l.problem(), space, 1 + static_cast<unsigned>(seed % 3), hostile(seed));
    ASSERT_EQ(first_difference(l.out, l.expected), l.out.size()) << "schedule " << seed;
  }
}
// Whichever warp is the last to run, the ring waits for it.
TEST(BulkProtocol, AnyWarpMayLag) {
  if (with_tsan)
    GTEST_SKIP() << "ThreadSanitizer sees on any schedule what a warp fails to wait for";
  uc::workspace space(std::size_t{1} << 18);
  using shape = uc::bulk_shape<wide, wide>;
  lines<wide, wide_hash> l(2 * stages<wide> * tile<wide>), groups(65 * tile<wide> + 1, 4);
  for (int warp = 0; warp < shape::threads / 32; warp += warp < 8 ? 1 : 4) {
    emulator::schedule how;
    how.starved_warp = warp;
    scan(l.problem(), space, 3, how);
    ASSERT_TRUE(l.right()) << "warp " << warp;
    if (warp > 3) continue;
    scan(groups.problem(), space, 3, how);
    ASSERT_TRUE(groups.right()) << "groups, warp " << warp;
  }
}
TEST(BulkProtocol, FloatSums) {
  uc::workspace space(std::size_t{1} << 18);
  lines<float, upsweep::plus> l(3 * stages<float> * tile<float> + 77);
  for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
    scan(l.problem(), space, 2, hostile(seed));
    ASSERT_EQ(first_difference(l.out, l.expected), l.out.size()) << "schedule " << seed;
  }
}

// Words of the levels above: of pairs, more groups than may wait, by few blocks; and of single
// tiles, by many.
TEST(BulkProtocol, GroupsOfPairsAndOfTiles) {
  uc::workspace space(std::size_t{1} << 18);
  lines<wide, wide_hash> pairs((2 * 32 * 4 + 3) * tile<wide> + 5), tiles(35 * tile<wide>);
  for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
    scan(pairs.problem(), space, 1 + static_cast<unsigned>(seed % 2), hostile(seed));
    ASSERT_TRUE(pairs.right()) << "schedule " << seed;
    scan(tiles.problem(), space, 12, hostile(seed));
    ASSERT_TRUE(tiles.right()) << "schedule " << seed;
  }
}

// Lines that begin anywhere: their ends are copied by hand, beside bulk copies.
TEST(BulkProtocol, UnalignedLines) {
  uc::workspace space(std::size_t{1} << 18);
  for (const std::size_t n : {std::size_t{3}, tile<float> - 1, 2 * tile<float> + 2}) {
    lines<float, upsweep::plus> l(n, 5);
    for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
      auto p = l.problem();
      scan(p, space, 2, hostile(seed));
      ASSERT_TRUE(l.right()) << "n " << n << ", schedule " << seed;
    }
  }
}

// (A tile that is not aligned is copied with up to 15 bytes of its neighbours, which are not used
// and may be written meanwhile. ThreadSanitizer would object.)
TEST(BulkProtocol, InPlace) {
  uc::workspace space(std::size_t{1} << 18);
  for (const std::size_t n : {2 * tile<float> + 4, 2 * tile<float> + 2}) {
    if (with_tsan && n % 4 != 0) continue;
    lines<float, upsweep::plus> l(n, 8);
    const std::vector<float> in = l.in;
    for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
      auto p = l.problem();
      p.in = l.out.data();
      l.out = in;
      scan(p, space, 2 + static_cast<unsigned>(seed % 2), hostile(seed));
      ASSERT_TRUE(l.right()) << "n " << n << ", schedule " << seed;
    }
  }
}

TEST(BulkProtocol, OperatorMeetsRealElements) {
  uc::workspace space(std::size_t{1} << 18);
  for (const std::size_t n : {tile<range> - 1, 2 * tile<range> + 37, 5 * tile<range> + 128,
                              7 * tile<range>, 9 * tile<range> + 300}) {
    lines<range, join> l(n);
    for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
      scan(l.problem(), space, 2, hostile(seed));
      ASSERT_TRUE(l.right()) << "n " << n << ", schedule " << seed;
      ASSERT_EQ(strangers, 0u) << "n " << n << ", schedule " << seed;
    }
  }
}

TEST(BulkProtocol, SurvivesTheLastEpoch) {
  uc::workspace space(std::size_t{1} << 14);
  lines<wide, wide_hash> first(20 * tile<wide>), second(20 * tile<wide>, 1, 2);
  for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
    emulator::schedule how = hostile(seed);
    how.late_percent = 50, how.late_turns = 100'000;
    for (auto* const l : {&first, &second}) {
      epoch_of(space) = uc::last_epoch;
      scan(l->problem(), space, 3, how);
      ASSERT_TRUE(l->right()) << "schedule " << seed;
      ASSERT_EQ(epoch_of(space), 1u);
    }
    scan(first.problem(), space, 3, how);
    ASSERT_TRUE(first.right()) << "schedule " << seed;
  }
}

// A reduction: scanners wait for a tile's carry without reading it.
TEST(BulkProtocol, TotalsOfLines) {
  uc::workspace space(std::size_t{1} << 18);
  for (const std::size_t n : {3 * tile<wide> + 1, 5 * tile<wide> - 1}) {
    lines<wide, wide_hash> l(n, 4);
    std::vector<wide> totals(l.count), expected(l.count);
    for (std::size_t i = 0; i < l.count; ++i) expected[i] = l.expected[(i + 1) * l.n - 1];
    for (std::uint64_t seed = 0; seed < schedules; ++seed) {
      auto p = l.problem();
      p.what = uc::result::none, p.total = totals.data(), p.at.out[0] = 1;
      scan(p, space, 1 + static_cast<unsigned>(seed % 3), hostile(seed));
      ASSERT_EQ(first_difference(totals, expected), l.count) << "n " << n << ", schedule " << seed;
      totals.assign(l.count, {});
    }
  }
}

// Totals of lines: little waits for the words of groups, so that the sums of several may be there
// at once for the warp that publishes them.
TEST(BulkProtocol, GroupsOfLinesMayWait) {
  if (with_tsan) GTEST_SKIP() << "the emulated device tells whether a sum is lost";
  uc::workspace space(std::size_t{1} << 18);
  lines<wide, wide_hash> l(64 * tile<wide> + 1, 6);
  std::vector<wide> totals(l.count), expected(l.count);
  for (std::size_t i = 0; i < l.count; ++i) expected[i] = l.expected[(i + 1) * l.n - 1];
  for (unsigned blocks = 1; blocks < 5; ++blocks) {
    emulator::schedule how;
    how.starved_warp = 2;
    auto p = l.problem();
    p.what = uc::result::none, p.total = totals.data(), p.at.out[0] = 1;
    scan(p, space, blocks, how);
    ASSERT_EQ(first_difference(totals, expected), l.count) << blocks << " blocks";
    totals.assign(l.count, {});
  }
}

}  // namespace protocol
