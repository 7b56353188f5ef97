// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call with a number, one with a structure, one along an axis: what
// scripts/cuda_architectures.sh compiles for every architecture. Nothing runs it.
#include "upsweep/scan.cuh"

void every_architecture(cudaStream_t stream, upsweep::cuda::workspace& space, const float* in,
                        float* out, const upsweep::affine<double>* maps,
                        upsweep::affine<double>* composed, std::size_t n) {
  const auto gpu = upsweep::cuda::on(stream, space);
  upsweep::inclusive_scan(gpu, in, in + n, out);
  upsweep::inclusive_scan(gpu, maps, maps + n, composed, upsweep::compose{});
  upsweep::inclusive_scan(gpu, upsweep::array_view<const float>(in, {n, 4}),
                          upsweep::array_view<float>(out, {n, 4}), 0);
}
