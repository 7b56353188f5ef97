// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace upsweep::cpu {

// What a run writes: nothing (a reduction), P(i + 1), or P(i).
enum class output { none, inclusive, exclusive };

// Whether results go through the cache or, for outputs that exceed it, past it: a write past the
// cache need not read the line first, which saves a third of the traffic.
enum class store { cached, streaming };

}  // namespace upsweep::cpu
