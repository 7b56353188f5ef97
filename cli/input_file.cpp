// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cli/file_handle.hpp"
#include "cli/standard_streams.hpp"

namespace cli {

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

file_handle open_input(const std::string& path) {
  if (path.empty()) throw usage_failure("'': the name of the input is empty");
  const std::string name = input_name(path);
  const int closed = path == "-" ? why_unreadable(STDIN_FILENO) : 0;
  if (closed != 0) throw system_failure(name, "read", closed);
  file_handle opened(path == "-" ? ::dup(STDIN_FILENO)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) throw system_failure(name, "open");
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) throw system_failure(name, "read");
  if (S_ISDIR(status.st_mode)) throw run_time_failure(name + ": is a directory, not a file");
  return opened;
}

std::size_t mappable_size(int file) {
  struct stat status {};
  // Standard input may be a file that somebody has read the start of: that part is not ours. A size
  // of 0 proves nothing: files in /proc have it.
  const bool whole =
      ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ::lseek(file, 0, SEEK_CUR) == 0;
  return whole && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

bool is_mappable(const std::string& path) {
  if (path == "-") return mappable_size(STDIN_FILENO) != 0;
  struct stat status {};
  if (!path.empty() && ::stat(path.c_str(), &status) != 0)
    throw system_failure(input_name(path), "open");
  if (S_ISDIR(status.st_mode)) throw run_time_failure(path + ": is a directory, not a file");
  return S_ISREG(status.st_mode) && status.st_size > 0;
}

input_file::input_file(const std::string& path, std::size_t most) {
  const file_handle opened = open_input(path);
  size_ = mappable_size(opened.get());
  memory_ = memory_region::map_input(opened.get(), size_);
  if (memory_.data() != nullptr) return;
  size_ = 0;
  read_all(opened.get(), input_name(path), most);
}

input_file::input_file(std::string_view read, int rest, const std::string& name)
    : size_(read.size()) {
  memory_.grow(std::max(std::size_t{1} << 20, 2 * size_));
  if (size_ != 0) std::memcpy(memory_.data(), read.data(), size_);
  read_all(rest, name);
}

void input_file::read_all(int file, const std::string& name, std::size_t most) {
  constexpr std::size_t first_size = std::size_t{1} << 20;
  while (size_ <= most) {
    if (size_ == memory_.size()) memory_.grow(std::max(first_size, 2 * size_));
    // One byte more than the most, which does not wrap where there is no limit.
    const std::size_t room = std::min(memory_.size() - size_ - 1, most - size_) + 1;
    const ssize_t got = ::read(file, memory_.data() + size_, room);
    if (got == 0) return;
    if (got > 0)
      size_ += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      throw system_failure(name, "read");
  }
}

}  // namespace cli
