// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// block_scan on the emulated device: the bits of the definition on every schedule, from every
// workspace that a launch may find.
#include <stdexcept>

#include "protocol_cases.hpp"
#include "upsweep/cuda/block_scan.cuh"

namespace protocol {

template <int groups = 1, class T, class Op>
void scan(const uc::problem<T, T, T, Op>& p, uc::workspace& space, unsigned blocks,
          const emulator::schedule& how) {
  using shape = uc::block_shape<T, T, groups>;
  emulator::device& gpu = device_of(shape::threads);
  gpu.how = how;
  const std::size_t tiles = (p.n + shape::tile - 1) / shape::tile;
  space.use(nullptr, p.lines, tiles, uc::granules_of<T>, [&](const uc::levels& words) {
    gpu.launch(blocks, shape::threads,
               [&] { uc::block_scan<T, T, T, Op, groups>(p, words, uc::exchange::look_back); });
  });
}

template <class T, int groups = 1>
inline constexpr std::size_t tile = uc::block_shape<T, T, groups>::tile;

template <class T, class Op, int groups = 1>
void on_every_schedule(std::size_t n, std::size_t count) {
  scans_on_every_schedule<T, Op>(std::size_t{1} << 18, n, count, scan<groups, T, Op>);
}

TEST(BlockProtocol, FloatSums) { on_every_schedule<float, upsweep::plus>(6 * tile<float> + 5, 1); }
TEST(BlockProtocol, IsTheTreeOfTheDefinition) {
  for (const std::size_t tiles : {2, 3, 33, 64, 66})
    for (const std::size_t less : {1, 0}) {
      if (with_tsan && tiles > 33) continue;
      on_every_schedule<wide, wide_hash>(tiles * tile<wide> - less, 1);
    }
  on_every_schedule<std::uint64_t, tree_hash>(5 * tile<std::uint64_t> + 77, 1);
  if (!with_tsan) on_every_schedule<std::uint64_t, tree_hash>(70 * tile<std::uint64_t> - 1, 1);
}
// In these the first warp puts its items aside, and sums within chunks go through shared memory.
TEST(BlockProtocol, LargeTileIsTheTree) {
  on_every_schedule<wide, wide_hash, 2>(3 * tile<wide, 2> + 77, 2);
  for (const std::size_t tiles : {1, 3, 35}) {
    if (with_tsan && tiles > 3) continue;
    on_every_schedule<wide, wide_hash, 4>(tiles * tile<wide, 4>, 1);
    on_every_schedule<wide, wide_hash, 4>(tiles * tile<wide, 4> - 33, 1);
  }
  on_every_schedule<std::uint64_t, tree_hash, 4>(2 * tile<std::uint64_t, 4> + 1, 2);
}
// 64 bytes: left neighbours' sums are not kept.
struct huge {
  std::uint64_t a, b, c[6];
};
struct huge_hash {
  huge operator()(const huge& left, const huge& right) const {
    huge sum{tree_hash{}(left.a, right.b), tree_hash{}(left.b, right.a), {}};
    for (int i = 0; i < 6; ++i) sum.c[i] = left.c[i] ^ (right.c[5 - i] + 1);
    return sum;
  }
};
TEST(BlockProtocol, HugeIsTheTree) {
  on_every_schedule<huge, huge_hash>(3 * tile<huge> + 77, 2);
  on_every_schedule<huge, huge_hash>(2 * tile<huge>, 1);
}
TEST(BlockProtocol, Lines) {
  on_every_schedule<wide, wide_hash>(5, 9);
  on_every_schedule<wide, wide_hash>(2 * tile<wide>, 5);
  on_every_schedule<wide, wide_hash>(3 * tile<wide> + 1, 4);
}

// As many groups as a block has warps, and more: two levels of words; and three, where there are
// more tiles than a group of groups has.
TEST(BlockProtocol, ManyTiles) {
  uc::workspace space(std::size_t{1} << 18);
  for (const std::size_t tiles : {256u, 257u, 1060u})
    for (const std::size_t more : {0, 9}) {
      if (with_tsan && (tiles != 257 || more != 0)) continue;  // LookBack has as many for less
      lines<wide, wide_hash> l(tiles * tile<wide> + more);
      scan(l.problem(), space, 4, hostile(tiles + more));
      EXPECT_TRUE(l.right()) << tiles << " tiles and " << more;
    }
}

// Blocks that never get a tile, and fewer than there are tiles: progress needs one block.
TEST(BlockProtocol, AnyNumberOfBlocks) {
  uc::workspace space(std::size_t{1} << 18);
  lines<wide, wide_hash> l(6 * tile<wide>);
  for (unsigned blocks = 1; blocks < 10; ++blocks)
    for (unsigned resident = 1; resident <= 4; resident += with_tsan ? 3 : 1) {
      emulator::schedule how = hostile(blocks);
      how.resident = resident;
      scan(l.problem(), space, blocks, how);
      ASSERT_TRUE(l.right()) << blocks << " blocks, " << resident << " resident";
    }
}

// What launches of other sizes, types and data have left behind counts for nothing.
TEST(BlockProtocol, UsedWorkspace) {
  uc::workspace space(std::size_t{1} << 18);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    lines<wide, wide_hash> large(40 * tile<wide> + seed, 1, seed), small(2 * tile<wide>, 4, seed);
    lines<std::uint64_t, tree_hash> other(5 * tile<std::uint64_t> - seed, 1, seed);
    scan(large.problem(), space, 3, hostile(seed));
    scan(other.problem(), space, 4, hostile(seed + 1));
    scan(small.problem(), space, 5, hostile(seed + 2));
    ASSERT_TRUE(large.right() && other.right() && small.right()) << "schedule " << seed;
  }
}

template <int groups>
void meets_real_elements() {
  uc::workspace space(std::size_t{1} << 18);
  constexpr std::size_t t = tile<range, groups>;
  for (const std::size_t n : {t - 1, 2 * t + 37, 5 * t + 128, 34 * t}) {
    lines<range, join> l(n);
    for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
      scan<groups>(l.problem(), space, 2, hostile(seed));
      ASSERT_TRUE(l.right()) << "n " << n << ", schedule " << seed;
      ASSERT_EQ(strangers, 0u) << "n " << n << ", schedule " << seed;
    }
  }
}
TEST(BlockProtocol, OperatorMeetsRealElements) { meets_real_elements<1>(); }
TEST(BlockProtocol, OperatorOfLargeTilesMeetsRealElements) { meets_real_elements<4>(); }

TEST(BlockProtocol, SurvivesTheLastEpoch) {
  uc::workspace space(std::size_t{1} << 14);
  survives_the_last_epoch(space, schedules / 2, [&](const auto& how, std::uint64_t number) {
    lines<wide, wide_hash> l(35 * tile<wide>, 1, number);
    scan(l.problem(), space, 4, how);
    return l.right();
  });
}

TEST(BlockProtocol, ExclusiveWithInitAndTotal) {
  uc::workspace space(std::size_t{1} << 18);
  lines<wide, wide_hash> l(4 * tile<wide> + 3);
  const wide init{5, 6};
  wide total{};
  auto expected = upsweep::reference::exclusive_scan<wide>(l.in, wide_hash{}, init, true);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    auto p = l.problem();
    p.what = uc::result::exclusive;
    p.start = init, p.has_start = p.has_init = true, p.total = &total;
    scan(p, space, 3, hostile(seed));
    l.out.push_back(total);
    ASSERT_EQ(first_difference(l.out, expected), expected.size()) << "schedule " << seed;
    l.out.pop_back();
    p.what = uc::result::none, total = {};
    scan(p, space, 3, hostile(seed));
    ASSERT_EQ(std::memcmp(&total, &expected.back(), sizeof total), 0) << "schedule " << seed;
  }
}

TEST(BlockProtocol, OneTileNeedsNobody) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile<wide> - 1, tile<wide>}) {
    lines<wide, wide_hash> l(n, 3);
    const auto p = l.problem();
    emulator::device& gpu = device_of(uc::block_shape<wide, wide, 1>::threads);
    gpu.launch(3, uc::block_shape<wide, wide, 1>::threads, [&] {
      uc::block_scan<wide, wide, wide, wide_hash, 1>(p, uc::levels{}, uc::exchange::alone);
    });
    ASSERT_TRUE(l.right()) << "n " << n;
  }
}

// Up to eight blocks, of which some may have no tile, hand sums on through shared memory.
template <class T, class Op>
void in_a_cluster() {
  constexpr unsigned threads = uc::block_shape<T, T, 1>::threads;
  emulator::device& gpu = device_of(threads, uc::max_cluster);
  for (std::uint64_t seed = 0; seed < 3 * schedules; ++seed) {
    const auto blocks = 2 + static_cast<unsigned>(seed % 7);
    lines<T, Op> l(blocks * tile<T> - seed, 1, seed);
    const std::uint64_t here = seed % 4 == 3 ? l.n / 2 : l.n;
    auto p = l.problem();
    p.device_n = &here;
    gpu.how = hostile(seed);
    gpu.how.resident = uc::max_cluster;
    for (int launch = 0; launch < 2; ++launch)
      gpu.launch(blocks, threads,
                 [&] { uc::block_scan<T, T, T, Op, 1>(p, uc::levels{}, uc::exchange::cluster); });
    l.out.resize(here), l.expected.resize(here);
    ASSERT_TRUE(l.right()) << "schedule " << seed << ", " << blocks << " blocks, n " << here;
    ASSERT_EQ(strangers, 0u) << "schedule " << seed << ", " << blocks << " blocks, n " << here;
  }
}
TEST(BlockProtocol, Cluster) { in_a_cluster<wide, wide_hash>(); }
TEST(BlockProtocol, OperatorInAClusterMeetsRealElements) { in_a_cluster<range, join>(); }

}  // namespace protocol
