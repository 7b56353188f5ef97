// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/memory_region.hpp"

namespace cli {

// Writes pieces of a result on a thread of its own while the next one is formed.
class write_behind {
 public:
  using writer = std::function<void(const std::byte*, std::uint64_t)>;

  // write: is handed one buffer after the other, in order, with how much is in it.
  write_behind(std::size_t buffer_bytes, writer write);
  write_behind(const write_behind&) = delete;
  write_behind& operator=(const write_behind&) = delete;
  // What has not been begun is not written any more.
  ~write_behind();

  // The buffer to be filled next.
  std::byte* buffer() const { return buffers_[filling_].data(); }
  // Hands it over, with n as the writer counts. Waits until the buffer before it has been written.
  // Throws what the writer has thrown.
  void submit(std::uint64_t n);
  // Waits until all is written. Throws what the writer has thrown.
  void finish();

 private:
  struct piece {
    const std::byte* data;
    std::uint64_t n;
  };

  void work();
  void wait_until_idle(std::unique_lock<std::mutex>& lock);

  memory_region buffers_[2];
  int filling_ = 0;
  writer write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<piece> waiting_;  // or being written
  std::exception_ptr failure_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace cli
