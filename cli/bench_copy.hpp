// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies that a scan is compared with. No scan is faster than the fastest copy of its bytes, so
// these are as fast as we know how to make them, and none uses the library.
// All need buffers that do not overlap, and are fastest when both begin on a page.
#pragma once

#include <cstddef>

namespace cli::bench {

// memcpy by as many oneTBB threads as asked for, each with one run of whole pages.
void memcpy_all(void* to, const void* from, std::size_t bytes, unsigned threads);

// Widest vectors of the machine, stores that bypass the caches; one thread.
void stream_copy(void* to, const void* from, std::size_t bytes);

// The same by several threads, split as memcpy_all.
void stream_copy_all(void* to, const void* from, std::size_t bytes, unsigned threads);

}  // namespace cli::bench
