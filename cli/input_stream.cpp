// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/input_stream.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cli/input_file.hpp"

namespace cli {
namespace {

std::string temporary_directory() {
  const char* const named = ::secure_getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

// A file without a name.
file_handle create_nameless(const std::string& directory) {
  file_handle file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  std::string name = directory + "/upsweep-XXXXXX";  // a file system that has no such files
  file = file_handle(::mkostemp(name.data(), O_CLOEXEC));
  if (file.is_open()) ::unlink(name.c_str());
  return file;
}

}  // namespace

input_stream::input_stream(const std::string& path)
    : name_(input_name(path)), file_(open_input(path)), size_(mappable_size(file_.get())) {
  if (size_ != 0) ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::size_t input_stream::read_some(int file, char* to, std::size_t n) const {
  for (;;) {
    const ssize_t got = ::read(file, to, n);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw system_failure(name_, "read");
  }
}

// What was kept first, then what nobody has read yet.
std::size_t input_stream::read_again(char* to, std::size_t n) {
  const std::size_t from_memory = std::min(n, kept_.size() - at_kept_);
  if (from_memory != 0) {
    std::memcpy(to, kept_.data() + at_kept_, from_memory);
    at_kept_ += from_memory;
    return from_memory;
  }
  const std::size_t got = copy_.is_open() ? read_some(copy_.get(), to, n) : 0;
  if (got == 0) state_ = state::plain;
  return got != 0 ? got : read_some(file_.get(), to, n);
}

// In memory while it is little, in a file behind that.
void input_stream::keep_bytes(std::string_view bytes) {
  constexpr std::size_t little = std::size_t{4} << 20;
  if (!copy_.is_open() && kept_.size() + bytes.size() <= little) {
    kept_ += bytes;
    return;
  }
  const auto fail = [&] {
    return system_failure(temporary_directory(), "keep a copy of " + name_ + " there");
  };
  if (!copy_.is_open()) copy_ = create_nameless(temporary_directory());
  if (!copy_.is_open()) throw fail();
  while (!bytes.empty()) {
    const ssize_t written = ::write(copy_.get(), bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      throw fail();
  }
}

std::size_t input_stream::read(char* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    const std::size_t got = state_ == state::again ? read_again(to + done, n - done)
                                                   : read_some(file_.get(), to + done, n - done);
    if (got == 0) {
      check_size(position_ + done);
      break;
    }
    if (state_ == state::keeping) keep_bytes({to + done, got});
    done += got;
  }
  position_ += done;
  total_ += done;
  if (on_read && done != 0) on_read(total_);
  return done;
}

// A file that ends before its end was cut meanwhile. Some that the kernel makes up are shorter than
// they say, and stay so.
void input_stream::check_size(std::uint64_t end) const {
  struct stat now {};
  if (end >= size_ || ::fstat(file_.get(), &now) != 0) return;
  if (static_cast<std::uint64_t>(now.st_size) < size_)
    throw run_time_failure(name_ + ": was cut short while it was read, at byte " +
                           std::to_string(end));
}

void input_stream::keep() {
  if (size_ == 0) state_ = state::keeping;
}

void input_stream::rewind() {
  const bool kept = state_ == state::keeping;
  const int file = kept ? copy_.get() : file_.get();
  if ((!kept || copy_.is_open()) && ::lseek(file, 0, SEEK_SET) != 0)
    throw system_failure(name_, "read again");
  if (kept) state_ = state::again;
  position_ = 0;
}

}  // namespace cli
