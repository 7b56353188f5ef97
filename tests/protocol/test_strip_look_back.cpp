// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The look-back of strips by itself on the emulated device, three warps a block and a step a tile:
// thousands of tiles cost little, and values of all sizes can be words.
#include "protocol_cases.hpp"
#include "upsweep/cuda/strip_look_back.cuh"

namespace protocol {

// Lines of a strip, with P(t + 1) in out and P(t) in before, but for the first.
template <class T, class Op>
struct strip {
  lines<T, Op> l;
  std::vector<T> before;
  uc::strip_layout_of_words layout;

  strip(std::size_t tiles, std::size_t count) : l(tiles, count), before(l.in.size()) {}
  bool right() const {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (i % l.n != 0 && std::memcmp(&before[i], &l.expected[i - 1], sizeof(T)) != 0) return false;
    return l.right();
  }
};

// Two warps look back as in bulk_columns, the third publishes tiles and groups.
template <int at_once, class T, class Op>
void scan_by_threes(const uc::levels& words, strip<T, Op>& s) {
  __shared__ unsigned ticket;
  alignas(16) static thread_local unsigned char rows[3][uc::strip_word<T>::room],
      gathered[uc::strip_values<T> * 32 * sizeof(T)];
  const Op op;
  const unsigned epoch = words.state->epoch;
  const int warp = uc::warp_id(), lane = uc::lane_id();
  const uc::strip_words<T, at_once> mine(words.words, epoch, s.layout, rows[warp]);
  const uc::strip_lane<T, Op> exists{op, lane < static_cast<int>(s.l.count)};
  for (;;) {
    if (threadIdx.x == 0) ticket = uc::take_ticket(words);
    __syncthreads();
    const unsigned t = ticket;
    if (t >= s.l.n) break;
    const std::size_t item = exists.exists ? lane * s.l.n + t : t;
    const T own = s.l.in[item];
    uc::strip_look_back<T, Op, at_once> look(mine, gathered, T{}, false, exists);
    if (warp < 2) look.gather(t, warp, true);
    if (warp == 2) mine.publish(mine.tile(t), own);
    if (warp == 2 && t % 32 == 31) {
      uc::strip_group<T, Op> group;
      group.gather(mine, t, exists);
      mine.publish(mine.group(t / 32), group.sum(own, exists));
    }
    __syncthreads();
    if (warp != 0) continue;
    look.find(t);
    const T end = look.end(t, own);
    if (exists.exists) s.l.out[item] = end, s.before[item] = look.start.value;
  }
  if (threadIdx.x == 0) uc::leave(words, gridDim.x, epoch);
}

template <int at_once, class T, class Op>
void thousands_of_tiles(std::size_t tiles, std::size_t count, std::uint64_t seeds) {
  emulator::device& gpu = device_of(96);
  strip<T, Op> s(tiles, count);
  const std::uint64_t line_words = s.layout.set(tiles);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    uc::workspace space(std::size_t{1} << 23);  // without words of the same lines
    (void)s.l.problem();
    gpu.how = hostile(seed);
    gpu.how.resident = 1 + static_cast<unsigned>(seed % 3);  // more wait, and waiting takes long
    space.use(nullptr, 1, line_words, uc::strip_word<T>::granules, [&](const uc::levels& words) {
      gpu.launch(6, 96, [&] { scan_by_threes<at_once>(words, s); });
    });
    ASSERT_TRUE(s.right()) << tiles << " tiles, schedule " << seed;
  }
}

TEST(StripLookBack, ThousandsOfTiles) {
  constexpr std::uint64_t seeds = with_tsan ? 1 : 2;
  thousands_of_tiles<uc::few_loads, std::uint64_t, tree_hash>(1090, 3, seeds);
  thousands_of_tiles<uc::few_loads, wide, wide_hash>(1090, 1, seeds);
  thousands_of_tiles<uc::few_loads, large, large_hash>(1056, 2, seeds);
  thousands_of_tiles<uc::few_loads, float, upsweep::plus>(300, 32, seeds);
}

// Sixteen words by one trip, and words of the fewest granules.
TEST(StripLookBack, ManyWordsATrip) {
  constexpr std::uint64_t seeds = with_tsan ? 2 : 4;
  thousands_of_tiles<uc::many_loads<float>, float, upsweep::plus>(300, 31, seeds);
  thousands_of_tiles<6, std::uint8_t, upsweep::plus>(130, 32, seeds);
}

// Sums of 2^j groups of groups, of which but a few are read early.
TEST(StripLookBack, ManyGroupsOfGroups) {
  if (with_tsan) GTEST_SKIP() << "the same words with fewer tiles are seen by the others";
  thousands_of_tiles<6, std::uint64_t, tree_hash>(17 * 1024 + 5, 1, 1);
}

}  // namespace protocol
