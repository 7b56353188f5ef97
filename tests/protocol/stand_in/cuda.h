// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of arrays, in bytes but for the unit of the first coordinate; and what the driver
// demands of them.
#pragma once

#include <cstdint>

using cuuint32_t = std::uint32_t;
using cuuint64_t = std::uint64_t;

enum CUresult { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE };
enum CUtensorMapDataType {  // numbered by size
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 2,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 4,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };

struct alignas(64) CUtensorMap {
  const void* data;
  std::uint64_t extent[5], stride[4];
  std::uint32_t unit, box_bytes, box_rows;
};

// Of rank 5, with boxes of two dimensions.
inline CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType unit, cuuint32_t rank,
                                       void* data, const cuuint64_t* extent,
                                       const cuuint64_t* stride, const cuuint32_t* box,
                                       const cuuint32_t* step, CUtensorMapInterleave,
                                       CUtensorMapSwizzle, CUtensorMapL2promotion,
                                       CUtensorMapFloatOOBfill) {
  *map = {data, {}, {}, unit, box[0] * unit, box[1]};
  bool good =
      rank == 5 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && map->box_bytes % 16 == 0;
  for (int d = 0; d < 5; ++d) {
    map->extent[d] = extent[d] * (d == 0 ? unit : 1);
    good = good && extent[d] > 0 && box[d] > 0 && box[d] <= 256 && step[d] == 1;
    if (d > 0) map->stride[d - 1] = stride[d - 1], good = good && stride[d - 1] % 16 == 0;
    if (d > 1) good = good && box[d] == 1;
  }
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
