// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-back by itself on the emulated device, a warp a block and an element a tile: thousands of
// tiles cost little. And the emulator: that it says what a launch waits for.
#include <stdexcept>

#include "protocol_cases.hpp"
#include "upsweep/cuda/look_back.cuh"

namespace protocol {

// out[t] = P(t + 1), before[t] = P(t) but for the first.
template <class T, class Op>
void scan_by_warps(const uc::levels& words, const std::vector<T>& in, std::vector<T>& out,
                   std::vector<T>& before) {
  __shared__ T nodes[uc::max_nodes];
  const Op op;
  const unsigned epoch = words.state->epoch;
  const uc::line_levels line{words, words.words, epoch};
  uc::look_back<T, Op> look(nodes, T{}, false, op);
  for (;;) {
    // By a shuffle, which orders no memory: look-back has to see to its nodes itself.
    const unsigned t = emulator::shuffle(threadIdx.x == 0 ? uc::take_ticket(words) : 0, 0);
    if (t >= in.size()) break;
    uc::publish_sums(line, t, in[t], op);
    look.find(line, 0, t);
    if (threadIdx.x == 0) out[t] = look.end(t, in[t]), before[t] = look.start.value;
  }
  if (threadIdx.x == 0) uc::leave(words, gridDim.x, epoch);
}

template <class T, class Op>
void thousands_of_tiles(std::size_t tiles, std::uint64_t seeds) {
  uc::workspace space(std::size_t{1} << 18);
  emulator::device& gpu = device_of(32);
  const std::vector<T> in = some_values<T>(tiles, 3);
  const auto expected = upsweep::reference::inclusive_scan<T>(in, Op{});
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::vector<T> out(tiles), before(tiles);
    gpu.how = hostile(seed);
    space.use(nullptr, 1, tiles, uc::granules_of<T>, [&](const uc::levels& words) {
      gpu.launch(6, 32, [&] { scan_by_warps<T, Op>(words, in, out, before); });
    });
    ASSERT_EQ(first_difference(out, expected), tiles) << "schedule " << seed;
    before.erase(before.begin());
    ASSERT_EQ(first_difference(before, expected), tiles - 1) << "schedule " << seed;
  }
}
TEST(LookBack, ThousandsOfTiles) {
  thousands_of_tiles<std::uint64_t, tree_hash>(2100, with_tsan ? 2 : 6);
  thousands_of_tiles<wide, wide_hash>(1090, with_tsan ? 1 : 6);
  thousands_of_tiles<float, upsweep::plus>(1025, with_tsan ? 1 : 6);
}

// Tiles so far to the right that all levels have words. The words are made up, and only those that
// tile t needs have room: level q's begin at 32 q. The prefix is a fold of trees over them.
struct far_words {
  uc::granule words[32 * uc::max_levels] = {};
  uc::launch_state state{0, 0, 1};
  uc::levels all;
  std::vector<std::uint64_t> made[uc::max_levels];

  explicit far_words(unsigned t) {
    all.words = words;
    all.state = &state;
    for (unsigned q = 0; q < uc::max_levels; ++q) {
      all.level_start[q] = 32 * q - (t >> 5 * q & ~31u);
      made[q] = some_values<std::uint64_t>(t >> 5 * q & 31, t + q);
      for (std::size_t i = 0; i < made[q].size(); ++i) {
        words[32 * q + i].epoch = state.epoch;
        std::memcpy(words[32 * q + i].payload, &made[q][i], sizeof made[q][i]);
      }
    }
  }
  far_words(const far_words&) = delete;

  std::uint64_t expected() const {
    std::uint64_t sum = 0;
    bool any = false;
    for (int q = uc::max_levels - 1; q >= 0; --q) {
      const std::span<const std::uint64_t> x(made[q]);
      for (std::size_t done = 0, size = 16; size > 0; size /= 2) {
        if ((made[q].size() & size) == 0) continue;
        const auto part = upsweep::reference::block_sum<std::uint64_t>(
            x, {std::countr_zero(size), done / size}, tree_hash{});
        sum = any ? tree_hash{}(sum, part) : part;
        any = true, done += size;
      }
    }
    return sum;
  }
};
TEST(LookBack, EveryLevel) {
  for (const unsigned t :
       {32767u, 32768u, 1u << 20, (1u << 20) + 1055, (1u << 25) + 33, (1u << 30) - 1, 0x2badcabu}) {
    const far_words words(t);
    std::uint64_t found = 0;
    device_of(32).launch(1, 32, [&] {
      __shared__ std::uint64_t nodes[uc::max_nodes];
      const tree_hash op;
      uc::look_back<std::uint64_t, tree_hash> look(nodes, 0, false, op);
      look.find({words.all, words.all.words, 1}, 0, t);
      if (threadIdx.x == 0) found = look.start.value;
    });
    ASSERT_EQ(found, words.expected()) << "tile " << t;
  }
}

// The emulator can fail: it names who waits for what.
std::string failure_of(void (*kernel)(uc::granule*)) {
  emulator::device gpu(2, 64);
  uc::granule word{};
  try {
    gpu.launch(3, 64, [&] { kernel(&word); });
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}
TEST(Emulator, NamesWhatADeadlockWaitsFor) {
  const std::string words = failure_of([](uc::granule* word) {
    for (int value = 0; threadIdx.x < 32 && !uc::observe(word, value, 1);) {
    }
    __syncthreads();
  });
  EXPECT_NE(words.find("deadlock: block 0 has 32 threads waiting for a word"), std::string::npos)
      << words;
  EXPECT_NE(words.find("32 threads waiting for the rest of the block"), std::string::npos) << words;
  const std::string lanes = failure_of([](uc::granule*) {
    if (threadIdx.x != 5) __syncwarp();
  });
  EXPECT_NE(lanes.find("31 threads waiting for the rest of the warp"), std::string::npos) << lanes;
}
TEST(Emulator, RefusesLanesThatMeetAtDifferentPlaces) {
  const std::string lanes = failure_of([](uc::granule*) {
    if (threadIdx.x != 5) __syncwarp();
    (void)__any_sync(uc::all_lanes, true);
  });
  EXPECT_NE(lanes.find("lanes of a warp do not meet: "), std::string::npos) << lanes;
}

}  // namespace protocol
