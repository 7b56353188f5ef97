// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/cuda_device.hpp"
#include "cli/scan_device.hpp"

namespace cli {

void run_scan_on_device(const scan_job& job, std::size_t gpu, int chunk_log2) {
  stream_job(job, chunk_log2, {.gpu = gpu}, []<class T>(operation op, const device_room& room) {
    return open_cuda_device<T>(op, room);
  });
}

}  // namespace cli
