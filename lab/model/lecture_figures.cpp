// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/lecture_figures.hpp"

#include <cmath>

#include "lab/model/occupancy.hpp"

namespace upsweep::lab::model {

namespace {

// The lecture gives ranges: launch 2 to 3 us, shared memory 20 to 30 cycles, a barrier 20 to 40,
// L2 200, memory 400 to 800. With these of them, all of its GPU times follow but naive's.
constexpr double launch_s = 2.0e-6, memory_cycles = 500, l2_cycles = 200;
constexpr double step_cycles = 20 + 25;  // shared memory, and a barrier
constexpr double reached = 0.90;         // share of the peak rate
constexpr double n = 4194304, tile = 1024, small_n = 65536;

struct lecture {
  const device_spec& d;
  const lecture_counts& counts;
  std::vector<lecture_figure> all;

  double seconds(double cycles) const { return cycles / d.clock_hz; }
  void add(const char* what, const char* unit, double stated, double rounding, double computed,
           const char* premises, const char* erratum = "") {
    all.push_back({what, unit, stated, rounding, computed, premises, erratum});
  }

  void roofline() {
    add("bytes an element", "B", 8, 0.5, 2 * 4, "4 bytes read, 4 written");
    add("additions a second", "1e12/s", 9.75, 0.005, d.adds_per_s() / 1e12,
        "multiprocessors x lanes x clock");
    add("ridge", "adds/B", 6.27, 0.005, d.ridge(), "additions a second / peak bandwidth");
    add("intensity, hillis-steele tile", "adds/B", 1.125, 0.0005, counts.tile_adds / (8 * tile),
        "9217 adds, counted, / 8192 bytes",
        "9 adds an element are 9216 a tile; counted are 9217, and 37752832 for 4096 tiles");
    add("intensity, add offsets", "adds/B", 0.125, 0.0005, 1.0 / 8, "1 add / 8 bytes");
    add("intensity, blelloch", "adds/B", 0.25, 0.005, counts.tree_adds / (8 * 2 * tile),
        "4094 adds, counted, / 16384 bytes");
  }

  void occupancy() {
    const auto held = occupancy_of(d, {1024, 32, 8192});
    const double at_once = held.blocks * d.processors, waves = n / tile / at_once;
    add("blocks a multiprocessor", "", 2, 0.5, held.blocks, "1024 threads, 8 KB, 32 registers");
    add("occupancy", "%", 100, 0.5, 100 * held.share, "64 of 64 warps");
    add("blocks at once", "", 216, 0.5, at_once, "2 x 108");
    add("waves of 4096 blocks", "", 19, 0.5, waves, "4096 / 216 = 18.96");
    const double threads = d.processors * d.threads;
    add("bytes in flight, needed", "KB", 780, 5, d.dram_bytes_per_s * 500e-9 / 1e3,
        "peak bandwidth x 500 ns",
        "500 ns are 705 cycles; the one-block times need 500 cycles an access");
    add("bytes in flight, 4 a thread", "KB", 884, 0.5, 4 * threads / 1e3, "108 x 2048 threads x 4",
        "884736 bytes round to 885 KB");
    add("bytes in flight, 16 a thread", "MB", 3.5, 0.05, 16 * threads / 1e6, "x 16");
  }

  double one_block(double steps) const {
    return launch_s + seconds(2 * memory_cycles + steps * step_cycles);
  }

  void times() {
    add("hillis-steele, one block of 1024", "us", 3.0, 0.05, 1e6 * one_block(counts.tile_steps),
        "launch 2.0 us, 2 x 500 cycles of memory, 10 steps of 20 + 25 cycles");
    add("blelloch, one block of 2048", "us", 3.4, 0.05, 1e6 * one_block(counts.tree_steps),
        "the same with 22 steps", "22 steps as computed; as written it has 24 barriers: 3.447 us");
    const double waves = std::ceil(n / tile / (2 * d.processors));
    const double floor = 8 * n / d.dram_bytes_per_s;
    const double tiles = floor / reached + waves * seconds(counts.tile_steps * step_cycles);
    const double totals = one_block(counts.tile_steps) + seconds(n / tile / tile * l2_cycles);
    const double offsets = floor / reached, all_three = tiles + totals + offsets;
    add("floor", "us", 21.6, 0.05, 1e6 * floor, "33.55 MB at 1555 GB/s",
        "33.55 MB fit the L2 of 40 MB: where a scan runs again, memory is no bound");
    add("tile scans", "us", 30.0, 0.05, 1e6 * tiles,
        "33.55 MB at 90 % of the peak + 19 waves of 10 steps of 45 cycles");
    add("scan of totals", "us", 3.6, 0.05, 1e6 * totals,
        "one block, and 4 totals a thread from L2, 200 cycles each");
    add("add offsets", "us", 24.0, 0.05, 1e6 * offsets, "33.55 MB at 90 % of the peak");
    add("three kernels", "us", 57.6, 0.05, 1e6 * all_three, "their sum",
        "the scan of totals has its launch in it, the other two have not: 61.6 us with them");
    add("bytes moved", "MB", 67.1, 0.05, 16 * n / 1e6, "16 an element");
    add("rate of the three", "GB/s", 1165, 0.5, 16 * n / all_three / 1e9, "67.1 MB / 57.6 us");
  }

  void others() {
    const double adds = small_n * (small_n + 1) / 2;
    add("naive, 65536", "ms", 0.62, 0.005, 1e3 * seconds(adds / 32 / d.processors),
        "2.15e9 loads, a warp a cycle and multiprocessor all the time",
        "621388 cycles are 0.44 ms at 1.41 GHz; 0.62 takes them for ns");
    const double serial_s = 5.0e-3 / n;
    add("serial on a CPU, 4194304", "ms", 5.0, 0.05, 1e3 * n * serial_s, "1.19 ns an element");
    add("serial on a CPU, 65536", "ms", 0.09, 0.005, 1e3 * small_n * serial_s, "1.19 ns an element",
        "0.09 ms are 1.30 to 1.45 ns an element, 5.0 ms 1.18 to 1.20");
  }
};

}  // namespace

bool lecture_figure::follows() const { return std::abs(computed - stated) <= rounding; }

std::vector<lecture_figure> lecture_figures(const device_spec& d, const lecture_counts& counts) {
  lecture all{d, counts, {}};
  all.roofline(), all.occupancy(), all.times(), all.others();
  return std::move(all.all);
}

}  // namespace upsweep::lab::model
