// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters are not emulated: this makes their code compile, and every block a cluster of its own.
#pragma once

namespace cooperative_groups {

struct cluster_group {
  void barrier_arrive() const {}
  void barrier_wait() const {}
  void sync() const { __syncthreads(); }
  unsigned num_blocks() const { return 1; }
  template <class T>
  T* map_shared_rank(T* mine, unsigned) const {
    return mine;
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
