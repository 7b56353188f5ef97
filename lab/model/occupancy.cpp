// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lab/model/occupancy.hpp"

#include <cmath>

namespace upsweep::lab::model {

namespace {

double round_up(double value, double unit) { return std::ceil(value / unit) * unit; }
double round_down(double value, double unit) { return std::floor(value / unit) * unit; }

}  // namespace

occupancy occupancy_of(const device_spec& d, const block_needs& block) {
  occupancy o;
  const double most_warps = std::floor(d.threads / 32), warps = std::ceil(block.threads / 32);
  if (block.threads > d.block_threads) {
    o.limit = "threads";
    return o;
  }
  if (block.shared_bytes > d.block_shared_bytes) {
    o.limit = "shared memory";
    return o;
  }
  o.blocks = std::floor(most_warps / warps);
  const auto bound = [&](double blocks, const char* limit) {
    if (blocks < o.blocks) o.blocks = blocks, o.limit = limit;
  };
  bound(d.blocks, "blocks");
  // Each of a multiprocessor's schedulers has its part of the registers: warps go in units.
  const double each = round_up(block.registers * 32, d.register_unit);
  const double room = round_down(std::floor(d.registers / each), d.warp_unit);
  bound(std::floor(room / warps), "registers");
  const double shared = round_up(block.shared_bytes + d.reserved_shared_bytes, d.shared_unit);
  if (shared > 0) bound(std::floor(d.shared_bytes / shared), "shared memory");
  o.warps = o.blocks * warps;
  o.share = o.warps / most_warps;
  return o;
}

}  // namespace upsweep::lab::model
