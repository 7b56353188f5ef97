// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/input_stream.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

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

std::size_t input_stream::read_some(char* to, std::size_t n) {
  for (;;) {
    const ssize_t got = ::read(from_copy_ ? copy_.get() : file_.get(), to, n);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw system_failure(name_, "read");
  }
}

std::size_t input_stream::read(char* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n) {
    const std::size_t got = read_some(to + done, n - done);
    if (got == 0) break;
    for (std::size_t kept = 0; copy_.is_open() && !from_copy_ && kept < got;) {
      const ssize_t written = ::write(copy_.get(), to + done + kept, got - kept);
      if (written >= 0)
        kept += static_cast<std::size_t>(written);
      else if (errno != EINTR)
        throw system_failure(temporary_directory(), "keep a copy of " + name_ + " in it");
    }
    done += got;
  }
  position_ += done;
  total_ += done;
  if (on_read && done != 0) on_read(total_);
  return done;
}

void input_stream::keep() {
  if (size_ != 0) return;
  copy_ = create_nameless(temporary_directory());
  if (!copy_.is_open())
    throw system_failure(temporary_directory(), "keep a copy of " + name_ + " in it");
}

void input_stream::rewind() {
  from_copy_ = copy_.is_open();
  if (::lseek(from_copy_ ? copy_.get() : file_.get(), 0, SEEK_SET) != 0)
    throw system_failure(name_, "read again");
  position_ = 0;
}

}  // namespace cli
