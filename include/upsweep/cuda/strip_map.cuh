// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The description by which a device copies strips of an array into shared memory by itself: a
// tensor map (CUDA driver API, "Tensor Map Object Management"), of which one instruction takes a
// whole tile. Copies by warps would do, but the words of other blocks would wait in the same
// queues.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <bit>

#include "upsweep/cuda/problem.cuh"

namespace upsweep::cuda {

// What a map counts in: elements of up to 8 bytes. A strip is 32 lines, at most 256 of those wide.
template <class In>
inline constexpr int map_unit = sizeof(In) >= 8 ? 8 : static_cast<int>(sizeof(In));
inline constexpr int most_map_rows = 256;  // of a box, the piece that one instruction copies

template <class In>
inline constexpr bool can_be_mapped = std::has_single_bit(sizeof(In)) && sizeof(In) <= 64;

// Lines side by side, one element apart, at multiples of 16 bytes; up to three dimensions besides.
template <class In, class Out, class T, class Op>
bool suits_map(const problem<In, Out, T, Op>& p, std::int64_t step) {
  const auto fits = [](std::int64_t stride) {
    const auto bytes = stride * static_cast<std::int64_t>(sizeof(In));
    return bytes > 0 && bytes % 16 == 0 && bytes < std::int64_t{1} << 40;
  };
  if (p.at.rank == 0 || p.at.in[0] != 1 || !fits(step) || p.n >> 31 != 0) return false;
  for (int d = 1; d < p.at.rank; ++d)
    if (!fits(p.at.in[d])) return false;
  return reinterpret_cast<std::uintptr_t>(p.in) % 16 == 0 &&
         std::uint64_t{p.at.extent[0]} * sizeof(In) / map_unit<In> >> 32 == 0;
}

// The driver's function, found by the runtime, so that nothing else has to be linked.
inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status{};
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                           cudaEnableDefault, &status),
          "cudaGetDriverEntryPointByVersion");
    if (status != cudaDriverEntryPointSuccess)
      check(cudaErrorInsufficientDriver, "cuTensorMapEncodeTiled");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  return found;
}

// The map of p's input, for tiles of `rows` steps along the axis by 32 lines.
template <class In, class Out, class T, class Op>
CUtensorMap map_of(const problem<In, Out, T, Op>& p, std::int64_t step, int rows) {
  constexpr auto type = map_unit<In> == 8   ? CU_TENSOR_MAP_DATA_TYPE_UINT64
                        : map_unit<In> == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                        : map_unit<In> == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                            : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  constexpr cuuint32_t units = sizeof(In) / map_unit<In>;
  cuuint64_t extents[5] = {std::uint64_t{p.at.extent[0]} * units, p.n};
  cuuint64_t strides[4] = {static_cast<cuuint64_t>(step) * sizeof(In)};
  cuuint32_t box[5] = {
      32 * units, static_cast<cuuint32_t>(rows < most_map_rows ? rows : most_map_rows), 1, 1, 1};
  const cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  for (int d = 1; d < p.at.rank; ++d) {
    extents[d + 1] = p.at.extent[d];
    strides[d] = static_cast<cuuint64_t>(p.at.in[d]) * sizeof(In);
  }
  CUtensorMap map;
  const CUresult code = tensor_map_encoder()(
      &map, type, static_cast<cuuint32_t>(p.at.rank + 1), const_cast<In*>(p.in), extents, strides,
      box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check(code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "cuTensorMapEncodeTiled");
  return map;
}

// Where a box begins: the line in units, the step, and the other dimensions.
struct box_place {
  int line, step, other[3];
};

// Copies a box into shared memory, asynchronously; `full` expects its bytes.
__device__ inline void copy_box(void* to, const CUtensorMap* map, int rank, const box_place& at,
                                std::uint64_t* full) {
  const auto stage = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const auto barrier = static_cast<unsigned>(__cvta_generic_to_shared(full));
  if (rank == 2)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%3, "
        "%4}], [%2];" ::"r"(stage),
        "l"(map), "r"(barrier), "r"(at.line), "r"(at.step)
        : "memory");
  else if (rank == 3)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%3, "
        "%4, %5}], [%2];" ::"r"(stage),
        "l"(map), "r"(barrier), "r"(at.line), "r"(at.step), "r"(at.other[0])
        : "memory");
  else if (rank == 4)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%3, "
        "%4, %5, %6}], [%2];" ::"r"(stage),
        "l"(map), "r"(barrier), "r"(at.line), "r"(at.step), "r"(at.other[0]), "r"(at.other[1])
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%3, "
        "%4, %5, %6, %7}], [%2];" ::"r"(stage),
        "l"(map), "r"(barrier), "r"(at.line), "r"(at.step), "r"(at.other[0]), "r"(at.other[1]),
        "r"(at.other[2])
        : "memory");
}

}  // namespace upsweep::cuda
