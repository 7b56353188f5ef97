// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "cli/failure.hpp"

namespace cli {

// A file descriptor that is closed with the object.
class file_handle {
 public:
  explicit file_handle(int file = -1) : file_(file) {}
  file_handle(file_handle&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  file_handle& operator=(file_handle&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~file_handle() {
    if (file_ >= 0) ::close(file_);
  }

  int get() const { return file_; }
  bool is_open() const { return file_ >= 0; }
  // Closes it now and tells whether that went well: some file systems report a full disk only here.
  bool close() { return ::close(std::exchange(file_, -1)) == 0; }

 private:
  int file_;
};

// "NAME: cannot VERB: reason", the reason being that of an error number.
inline failure system_failure(const std::string& name, const std::string& verb, int error = errno) {
  failure told =
      run_time_failure(name + ": cannot " + verb + ": " + std::generic_category().message(error));
  told.closed_pipe = error == EPIPE;
  return told;
}

}  // namespace cli
