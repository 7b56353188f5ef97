// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/write_behind.hpp"

#include <system_error>
#include <utility>

namespace cli {

write_behind::write_behind(std::size_t buffer_bytes, writer write) : write_(std::move(write)) {
  for (memory_region& buffer : buffers_) buffer = memory_region::allocate(buffer_bytes);
}

write_behind::~write_behind() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void write_behind::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || waiting_; });
    if (ends_) return;
    const piece next = *waiting_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      write_(next.data, next.n);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    waiting_.reset();
    changed_.notify_all();
  }
}

void write_behind::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return !waiting_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void write_behind::submit(std::uint64_t n) {
  std::unique_lock lock(mutex_);
  // The first piece may be the only one, which needs no thread.
  if (waiting_ && !thread_.joinable()) try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no more threads to be had: this one writes
      write_(waiting_->data, waiting_->n);
      waiting_.reset();
    }
  wait_until_idle(lock);
  waiting_ = piece{buffers_[filling_].data(), n};
  filling_ = 1 - filling_;
  changed_.notify_all();
}

void write_behind::finish() {
  if (!thread_.joinable()) {
    if (waiting_) write_(waiting_->data, waiting_->n);
    waiting_.reset();
    return;
  }
  std::unique_lock lock(mutex_);
  wait_until_idle(lock);
}

}  // namespace cli
