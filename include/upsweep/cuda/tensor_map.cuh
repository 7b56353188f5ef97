// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of arrays from which one instruction copies a box (compute capability 9.0 and
// later). Source: CUDA driver API, Tensor Map Object Management.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::cuda {

inline constexpr int box_rank = 5;

// An array in bytes: the first dimension is contiguous; `stride` holds the distances of the others.
// Of the first two dimensions a box has `across` bytes and `along` rows.
struct box_source {
  const void* data = nullptr;
  std::uint64_t extent[box_rank] = {1, 1, 1, 1, 1};
  std::uint64_t stride[box_rank - 1] = {16, 16, 16, 16};
  unsigned across = 16, along = 1;
};

// The driver's function, or null where the driver is older.
inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
  static const auto found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t code = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                              12000, cudaEnableDefault, &result);
#else
    const cudaError_t code =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    if (code != cudaSuccess || result != cudaDriverEntryPointSuccess) function = nullptr;
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
  }();
  return found;
}

// In units of how many bytes a copy counts across, where a box is 32 elements wide: of one while it
// may have so many, else of one that divides an element.
__host__ __device__ constexpr unsigned box_unit(unsigned across) {
  return across <= 256       ? 1
         : across % 256 == 0 ? 8
         : across % 128 == 0 ? 4
         : across % 64 == 0  ? 2
                             : 1;
}

// Writes the description of source to map. False where the device or its driver cannot take it:
// addresses and strides have to be multiples of 16.
inline bool describe(CUtensorMap& map, const box_source& source) {
  const unsigned unit = box_unit(source.across);
  if (tensor_map_encoder() == nullptr || source.across / unit > 256 ||
      reinterpret_cast<std::uintptr_t>(source.data) % 16 != 0)
    return false;
  for (const std::uint64_t stride : source.stride)
    if (stride % 16 != 0 || stride >= std::uint64_t{1} << 40) return false;
  const CUtensorMapDataType type = unit == 8   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
                                   : unit == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                                   : unit == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                               : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  cuuint64_t extent[box_rank], stride[box_rank - 1];
  cuuint32_t box[box_rank] = {source.across / unit, source.along, 1, 1, 1}, step[box_rank];
  // What a copy asks for beyond a box's row is the next box's, unless there is one box a row.
  const auto promotion = source.extent[0] > source.across ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                                          : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  for (int d = 0; d < box_rank; ++d) {
    extent[d] = d == 0 ? source.extent[d] / unit : source.extent[d];
    step[d] = 1;
    if (d != 0) stride[d - 1] = source.stride[d - 1];
  }
  return tensor_map_encoder()(&map, type, box_rank, const_cast<void*>(source.data), extent, stride,
                              box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace upsweep::cuda
