// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches one of the lab's faulty kernels on a GPU, for compute-sanitizer to look at:
// scripts/lab_faults.sh. Ends with 0 whatever the kernel did, 2 for a name that is none.
#include <cstdio>
#include <string_view>

#include "lab/gpu/gpu_device.cuh"
#include "lab/kernels/broken.hpp"
#include "lab/kernels/hillis_steele_racy.hpp"

namespace {

namespace lab = upsweep::lab;

template <class Algorithm>
int launch(std::size_t n) {
  lab::gpu::device device;
  const auto x = device.array<float>("x", n), y = device.array<float>("y", n);
  lab::gpu::check(cudaMemset(x.data, 0, n * sizeof(float)), "cudaMemset");
  lab::options how;
  how.threads = 256;
  Algorithm::scan(device, lab::global<const float>(x), y, upsweep::plus{}, how);
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) std::printf("%s\n", cudaGetErrorString(status));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  using enum lab::defect;
  if (name == "right") return launch<lab::hillis_steele>(256);
  if (name == "missing-barrier") return launch<lab::broken_hillis_steele<no_barrier>>(256);
  if (name == "one-barrier-in-place") return launch<lab::hillis_steele_racy>(256);
  if (name == "barrier-in-branch") return launch<lab::broken_hillis_steele<barrier_in_branch>>(256);
  if (name == "no-bounds-check") return launch<lab::unchecked_grid<true>>(1000);
  return 2;
}
