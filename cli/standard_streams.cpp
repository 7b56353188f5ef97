// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

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

}  // namespace cli
