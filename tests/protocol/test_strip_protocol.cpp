// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bulk_columns on the emulated device: boxes go round a ring, roles hand slots to each other by
// barriers alone, pairs of warps meet at barriers of their own, and strips look back.
#include "protocol_cases.hpp"
#include "upsweep/cuda/bulk_columns.cuh"

namespace upsweep::cuda {
alignas(128) thread_local unsigned char upsweep_strips[227 * 1024];  // what a launch asks for
}

namespace protocol {

template <class T>
using shape_of = uc::strip_shape<T, T>;
template <class T>
inline constexpr std::size_t tile = shape_of<T>::tile;
// So many tiles that one block uses every slot twice.
template <class T>
inline constexpr std::size_t round = 2 * shape_of<T>::slots;

// As column_engine.cuh does it.
template <class T, class Op>
uc::strip_layout cut_of(const columns<T, Op>& c, const uc::problem<T, T, T, Op>& p) {
  using shape = shape_of<T>;
  uc::box_source source;
  source.data = p.in + (c.down ? static_cast<std::int64_t>(p.n - 1) * c.step() : 0);
  source.extent[0] = c.width * sizeof(T), source.extent[1] = p.n, source.extent[2] = c.rows;
  source.stride[0] = c.pitch * sizeof(T), source.stride[1] = p.n * c.pitch * sizeof(T);
  source.across = shape::row_bytes, source.along = shape::box_rows;
  uc::strip_layout cut;
  EXPECT_TRUE(uc::describe(cut.map, source));
  cut.steps = {c.step(), c.step()};
  cut.width = static_cast<unsigned>(c.width);
  cut.row_strips = (cut.width + 31) / 32;
  cut.strips = static_cast<unsigned>(c.rows) * cut.row_strips;
  cut.line_tiles = static_cast<unsigned>((p.n + shape::tile - 1) / shape::tile);
  return cut;
}

template <class T, class Op>
void scan(columns<T, Op>& c, uc::workspace& space, unsigned blocks, const emulator::schedule& how,
          const T* init = nullptr) {
  constexpr unsigned threads = shape_of<T>::threads;
  auto p = c.problem();
  if (init != nullptr)
    p.what = uc::result::exclusive, p.start = *init, p.has_start = p.has_init = true;
  uc::strip_layout cut = cut_of(c, p);
  const std::uint64_t words_of_strip = cut.words.set(cut.line_tiles);
  emulator::device& gpu = device_of(threads);
  gpu.how = how;
  space.use(nullptr, cut.strips, words_of_strip, uc::strip_word<T>::granules,
            [&](const uc::levels& words) {
              gpu.launch(blocks, threads, [&] { uc::bulk_columns<T, T, T, Op>(p, cut, words); });
            });
}

// On so many schedules, with one block to three. No words of the same lines lie there before.
template <class T, class Op>
void on_schedules(std::uint64_t count, columns<T, Op> c) {
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    uc::workspace space(std::size_t{1} << 20);
    scan(c, space, 1 + static_cast<unsigned>(seed % 3), hostile(seed));
    ASSERT_TRUE(c.right()) << c.by_line.n << " steps, " << c.width << " lines, schedule " << seed;
  }
}

TEST(StripProtocol, FloatSums) {
  on_schedules<float, upsweep::plus>(schedules, {round<float> * tile<float> + 5, 3, 4});
}

// Tiles longer than a box.
TEST(StripProtocol, SumsOfTwoBytes) {
  on_schedules<std::uint16_t, upsweep::plus>(
      schedules, {3 * tile<std::uint16_t> + tile<std::uint16_t> / 2 + 3, 9, 16});
}

TEST(StripProtocol, IsTheTreeOfTheDefinition) {
  using hash = columns<std::uint64_t, tree_hash>;
  on_schedules(schedules, hash(round<std::uint64_t> * tile<std::uint64_t> + 77, 2, 2));
  for (const std::size_t tiles : {1, 2, 3, with_tsan ? 4 : 32, with_tsan ? 5 : 64})
    for (const std::size_t less : {1, 0})
      on_schedules<wide, wide_hash>(schedules / 3, {tiles * tile<wide> - less, 2, 2});
}

TEST(StripProtocol, Strips) {
  on_schedules<wide, wide_hash>(schedules / 3, {3 * tile<wide>, 70, 71});
  on_schedules<std::uint64_t, tree_hash>(schedules / 3,
                                         {2 * tile<std::uint64_t> + 1, 33, 34, 0, 3});
}

TEST(StripProtocol, LinesThatRunDownwards) {
  on_schedules<wide, wide_hash>(schedules / 3, {5 * tile<wide> + 7, 34, 34, 0, 1, true});
  on_schedules<wide, wide_hash>(schedules / 3, {4 * tile<wide>, 33, 35, 0, 2, true});
}

TEST(StripProtocol, MoreBlocksThanTiles) {
  uc::workspace space(std::size_t{1} << 22);
  columns<wide, wide_hash> c(2 * tile<wide> + 1, 2, 2);
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    scan(c, space, 8, hostile(seed));
    ASSERT_TRUE(c.right()) << "schedule " << seed;
  }
}

// Beyond 32 * 32 tiles prefixes come from words of their own, and of the blocks that end there.
TEST(StripProtocol, MoreThan1024Tiles) {
  if (with_tsan) GTEST_SKIP() << "the same words with fewer tiles are seen by the others";
  uc::workspace space(std::size_t{1} << 23);
  for (const std::size_t steps : {1024 * tile<large>, 1024 * tile<large> + 1, 2048 * tile<large>,
                                  2090 * tile<large> - 1, 4100 * tile<large> + 9}) {
    columns<large, large_hash> c(steps, 1, 2);
    scan(c, space, 4, hostile(steps));
    EXPECT_TRUE(c.right()) << steps << " steps";
  }
}

TEST(StripProtocol, ExclusiveWithInit) {
  uc::workspace space(std::size_t{1} << 23);
  const large init{5, 6, 7};
  for (const std::size_t tiles : {3, 36, with_tsan ? 4 : 1030}) {
    columns<large, large_hash> c(tiles * tile<large>, 3, 4);
    for (std::size_t i = 0; i < c.by_line.in.size(); i += c.by_line.n) {
      const std::span<const large> line(c.by_line.in.data() + i, c.by_line.n);
      const auto expected = upsweep::reference::exclusive_scan<large>(line, large_hash{}, init);
      std::copy(expected.begin(), expected.end(), c.by_line.expected.begin() + i);
    }
    scan(c, space, 2, hostile(tiles), &init);
    EXPECT_TRUE(c.right()) << tiles << " tiles";
  }
}

// Whichever warp is the last to run, the ring waits for it.
TEST(StripProtocol, AnyWarpMayLag) {
  if (with_tsan)
    GTEST_SKIP() << "ThreadSanitizer sees on any schedule what a warp fails to wait for";
  uc::workspace space(std::size_t{1} << 22);
  columns<wide, wide_hash> c(34 * tile<wide>, 2, 2);
  for (int warp = 0; warp < shape_of<wide>::threads / 32; warp += warp < 16 ? 1 : 4) {
    emulator::schedule how;
    how.starved_warp = warp;
    scan(c, space, 2, how);
    ASSERT_TRUE(c.right()) << "warp " << warp;
  }
}

TEST(StripProtocol, OperatorMeetsRealElements) {
  for (const std::size_t n : {2 * tile<range> + 37, 5 * tile<range> - 1, 34 * tile<range>}) {
    strangers = 0;
    on_schedules<range, join>(schedules / 3, {n, 1, 2});
    ASSERT_EQ(strangers, 0u) << "n " << n;
  }
}

// What launches of other sizes, types and data have left behind counts for nothing.
TEST(StripProtocol, UsedWorkspace) {
  uc::workspace space(std::size_t{1} << 22);
  for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
    columns<wide, wide_hash> many(34 * tile<wide> + seed, 1, 1), few(2 * tile<wide>, 33, 33);
    columns<float, upsweep::plus> other(5 * tile<float> - seed, 2, 4);
    scan(many, space, 3, hostile(seed));
    scan(other, space, 4, hostile(seed + 1));
    scan(few, space, 5, hostile(seed + 2));
    ASSERT_TRUE(many.right() && other.right() && few.right()) << "schedule " << seed;
  }
}

TEST(StripProtocol, LastEpoch) {
  uc::workspace space(std::size_t{1} << 12);
  int launches = 0;
  survives_the_last_epoch(space, schedules / 3, [&](const auto& how, std::uint64_t) {
    columns<wide, wide_hash> c(4 * tile<wide> + launches++ % 2, 2, 2);
    scan(c, space, 3, how);
    return c.right();
  });
}

}  // namespace protocol
