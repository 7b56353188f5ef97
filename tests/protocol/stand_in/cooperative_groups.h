// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch as one cluster.
#pragma once

namespace cooperative_groups {

struct cluster_group {
  void barrier_arrive() const { emulator::arrive_at_cluster(); }
  void barrier_wait() const { emulator::wait_for_cluster(); }
  void sync() const {
    emulator::arrive_at_cluster();
    emulator::wait_for_cluster();
  }
  unsigned num_blocks() const { return gridDim.x; }
  template <class T>
  T* map_shared_rank(T* mine, unsigned block) const {
    return static_cast<T*>(emulator::in_block(mine, block));
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
