// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "cli/scan_device.hpp"

namespace cli {

// A GPU as a device that chunks are streamed through: page-locked buffers, a stream for each slot,
// a kernel of T. T is the accumulator of a lane, and the operation one that
// lane has. Throws failure when the memory is not there. Makes the GPU the current one.
template <class T>
std::unique_ptr<chunk_device<T>> open_cuda_device(operation op, const device_room& room);

}  // namespace cli
