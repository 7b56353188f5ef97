// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "upsweep/cpu/threads.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

#if defined(__SANITIZE_THREAD__)
#include <thread>
#include <vector>
#endif

namespace upsweep::cpu {

namespace {

// Each call is isolated: a thread that waits inside an operator (one that uses oneTBB itself) must
// not pick up a second call of the same work, which might wait for the chunk the first one holds.
void spread(unsigned workers, void (*work)(void*), void* context) {
  oneapi::tbb::this_task_arena::isolate([&] {
    oneapi::tbb::parallel_for(
        0u, workers,
        [&](unsigned) { oneapi::tbb::this_task_arena::isolate([&] { work(context); }); },
        oneapi::tbb::simple_partitioner{});
  });
}

}  // namespace

bool first_exception::capture_from(void (*work)(void*), void* context) {
  try {
    work(context);
    return true;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!pointer_) pointer_ = std::current_exception();
    return false;
  }
}

void run_workers(unsigned workers, void (*work)(void*), void* context) {
  if (workers <= 1) {
    work(context);
    return;
  }
#if defined(__SANITIZE_THREAD__)
  // The packaged oneTBB is not instrumented, so the sanitizer cannot see how it synchronises, and a
  // suppression would hide races of our own that have oneTBB on their stack.
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back(work, context);
  work(context);
  return;
#endif
  const auto in_arena = static_cast<unsigned>(oneapi::tbb::this_task_arena::max_concurrency());
  if (workers <= in_arena) {
    spread(workers, work, context);
    return;
  }
  // More threads than this arena has: asked for explicitly, mostly by tests. The process-wide limit
  // is only ever raised.
  using limit = oneapi::tbb::global_control;
  std::optional<limit> allow;
  if (workers > limit::active_value(limit::max_allowed_parallelism))
    allow.emplace(limit::max_allowed_parallelism, workers);
  oneapi::tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] { spread(workers, work, context); });
}

}  // namespace upsweep::cpu
