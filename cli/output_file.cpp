// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "cli/pending_file.hpp"

namespace cli {
namespace {

// The mode of a new file, which only setting the mask tells.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// The file that a symbolic link leads to: renaming over the link would leave that file behind.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : path;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

output_file::output_file(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  if (path == "-") {
    file_ = file_handle(::dup(STDOUT_FILENO));
    if (!file_.is_open()) throw system_failure(name_, "write");
    return;
  }
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    throw run_time_failure(name_ + ": is a directory, not a file");
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = file_handle(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.is_open()) throw system_failure(name_, "write");
    return;
  }
  // A rename asks for rights on the directory only; a file that is write-protected means it.
  if (exists && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw system_failure(name_, "write");
  target_ = exists ? resolved(path) : path;
  open_temporary(exists ? old.st_mode & 07777 : default_mode());
}

void output_file::open_temporary(mode_t mode) {
  file_ = file_handle(create_pending_file(directory_of(target_)));
  if (!file_.is_open()) throw system_failure(name_, "create");
  if (::fchmod(file_.get(), mode) != 0) {
    const failure why = system_failure(name_, "set the mode");
    remove_pending_file();
    throw why;
  }
}

output_file::~output_file() {
  if (!target_.empty()) remove_pending_file();
}

std::span<std::byte> output_file::map(std::size_t size) {
  if (!target_.empty() && size != 0) {
    if (const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(size)); error != 0)
      throw system_failure(name_, "write", error);
    memory_ = memory_region::map_output(file_.get(), size);
    mapped_ = memory_.data() != nullptr;
  }
  if (!mapped_) memory_ = memory_region::allocate(size);
  return memory_.bytes();
}

void output_file::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      throw system_failure(name_, "write");
  }
}

void output_file::commit() {
  if (!mapped_) write({reinterpret_cast<const char*>(memory_.data()), memory_.size()});
  memory_ = {};
  if (!file_.close()) throw system_failure(name_, "write");
  if (target_.empty()) return;
  if (std::rename(pending_file_path(), target_.c_str()) != 0)
    throw system_failure(name_, "replace");
  keep_pending_file();
  target_.clear();
}

}  // namespace cli
