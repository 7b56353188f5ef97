// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>
#include <iostream>

#include "cli/file_handle.hpp"

namespace cli {
namespace {

// The error of using a descriptor in a way that it was not opened for.
int why_not(int file, int other_way) {
  const int flags = ::fcntl(file, F_GETFL);
  if (flags < 0) return errno;
  return (flags & O_PATH) != 0 || (flags & O_ACCMODE) == other_way ? EBADF : 0;
}

}  // namespace

void occupy_closed_streams() {
  // O_PATH allows neither reading nor writing. A directory, unlike /dev/null, cannot be opened for
  // writing by way of /dev/stdout either. The lowest free descriptor is the one that is looked at.
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0 && ::open("/", O_PATH) != file) ::_exit(1);
}

int why_unreadable(int file) { return why_not(file, O_WRONLY); }
int why_unwritable(int file) { return why_not(file, O_RDONLY); }

void flush_output() {
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const int error = reader_has_left(STDOUT_FILENO) ? EPIPE : errno;
  if (error != 0) throw system_failure("standard output", "write", error);
  throw run_time_failure("standard output: cannot write");  // it failed before, and why is lost
}

bool reader_has_left(int file) {
  struct pollfd asked {
    file, POLLOUT, 0
  };
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLERR) != 0;
}

}  // namespace cli
