// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bulk_walk on the emulated device: chunks go round a ring, to lanes that walk down their lines and
// from there to memory, and copies are done when it suits them least.
#include "protocol_cases.hpp"
#include "upsweep/cuda/bulk_walk.cuh"

namespace upsweep::cuda {
alignas(128) thread_local unsigned char upsweep_walk[227 * 1024];  // what a launch asks for
}

namespace protocol {

template <class T, class Op>
void scan(columns<T, Op>& c, unsigned blocks, unsigned group_lines, bool bulk_stores,
          const emulator::schedule& how) {
  using shape = uc::walk_shape<T, T>;
  const auto p = c.problem();
  uc::walk_layout cut;
  cut.steps = {c.step(), c.step()};
  cut.width = static_cast<unsigned>(c.width);
  cut.group_lines = group_lines;
  cut.row_groups = cut.groups = (cut.width + group_lines - 1) / group_lines;
  cut.bulk_stores = bulk_stores;
  emulator::device& gpu = device_of(shape::threads);
  gpu.how = how;
  gpu.launch(blocks, shape::threads, [&] { uc::bulk_walk<T, T, T, Op>(p, cut); });
}

template <class T, class Op>
void on_every_schedule(columns<T, Op> c, unsigned group_lines, bool bulk_stores) {
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    scan(c, 1 + static_cast<unsigned>(seed % 3), group_lines, bulk_stores, hostile(seed));
    ASSERT_TRUE(c.right()) << c.by_line.n << " steps, " << c.by_line.count << " lines, schedule "
                           << seed;
  }
}

// So many chunks that every stage is used several times.
template <class T>
inline constexpr std::size_t many = 2 * uc::walk_shape<T, T>::stages * uc::walk_shape<T, T>::rows;

TEST(WalkProtocol, BulkStores) {
  using hash = columns<std::uint64_t, tree_hash>;
  on_every_schedule(hash(many<std::uint64_t> + 3, 96, 96, 0), 64, true);
  on_every_schedule(hash(many<std::uint64_t>, 70, 80, 2), 32, true);
  on_every_schedule(columns<float, upsweep::plus>(many<float> + 1, 40, 44, 4), 32, true);
}

TEST(WalkProtocol, RowsThatBeginAnywhere) {
  using hash = columns<std::uint64_t, tree_hash>;
  on_every_schedule(hash(many<std::uint64_t> + 3, 71, 71, 1), 64, false);
  on_every_schedule(columns<float, upsweep::plus>(many<float> + 1, 37, 39, 3), 32, false);
  on_every_schedule(columns<std::uint8_t, upsweep::plus>(33, 45, 47, 5), 32, false);
}

TEST(WalkProtocol, FewSteps) {
  for (const std::size_t n : {1u, 2u, 8u, 9u})
    for (const bool bulk_stores : {true, false})
      on_every_schedule(columns<std::uint64_t, tree_hash>(n, 34, 34, 0), 32, bulk_stores);
}

// Whichever warp is the last to run, the ring waits for it.
TEST(WalkProtocol, AnyWarpMayLag) {
  if (with_tsan) GTEST_SKIP() << "ThreadSanitizer sees on any schedule what is not waited for";
  columns<std::uint64_t, tree_hash> c(many<std::uint64_t> + 3, 96, 96, 0);
  for (const int warp : {0, 1, 15, 16, 17})
    for (const bool bulk_stores : {true, false}) {
      emulator::schedule how;
      how.starved_warp = warp;
      scan(c, 2, 64, bulk_stores, how);
      ASSERT_TRUE(c.right()) << "warp " << warp;
    }
}

TEST(WalkProtocol, OperatorMeetsRealElements) {
  columns<range, join> c(many<range> + 5, 1, 2, 0);
  for (std::uint64_t seed = 0; seed < schedules / 3; ++seed) {
    strangers = 0;
    scan(c, 1, 32, false, hostile(seed));
    ASSERT_TRUE(c.right());
    ASSERT_EQ(strangers, 0u) << "schedule " << seed;
  }
}

}  // namespace protocol
