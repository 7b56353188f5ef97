// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>

#include "cli/pending_file.hpp"
#include "cli/standard_streams.hpp"

namespace cli {
namespace {

// The mode of a new file, which only setting the mask tells.
mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The descriptor that a name stands for, such as /proc/self/fd/3; it may be closed.
std::optional<int> descriptor_named(const std::string& path) {
  char real[PATH_MAX];
  if (::realpath(directory_of(path).c_str(), real) == nullptr) return std::nullopt;
  const std::string_view directory = real;
  if (!directory.starts_with("/proc/" + std::to_string(::getpid()) + "/") ||
      !directory.ends_with("/fd"))
    return std::nullopt;
  const char* const end = path.data() + path.size();
  int number = 0;
  const auto [stop, error] = std::from_chars(path.data() + path.rfind('/') + 1, end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// What a name leads to.
struct destination {
  std::string path;               // of a file, whether it is there or not
  std::optional<int> descriptor;  // that is open already, perhaps: no file to be replaced
};

// Follows symbolic links: renaming over one would leave the file behind it as it was. /dev/stdout
// and /dev/fd/3 are links too. What is behind those belongs to whoever opened it, perhaps to append
// to it, and is not looked for. Nothing where there are more links than the system follows.
std::optional<destination> resolved(const std::string& path) {
  constexpr int most_links = 40;
  std::string target = path;
  char link[PATH_MAX];
  for (int links = 0; links <= most_links; ++links) {
    if (const auto descriptor = descriptor_named(target)) return destination{target, descriptor};
    const ssize_t length = ::readlink(target.c_str(), link, sizeof link);
    if (length < 0) return destination{target, std::nullopt};
    const std::string next(link, static_cast<std::size_t>(length));
    target = next.starts_with('/') ? next : directory_of(target) + "/" + next;
  }
  return std::nullopt;
}

// A descriptor of the caller's, once more. Those that this program opened are none of it.
file_handle opened_again(int descriptor, const std::string& name) {
  if (const int error = why_unwritable(descriptor); error != 0)
    throw system_failure(name, "write", error);
  if ((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0) throw system_failure(name, "write", EBADF);
  file_handle file(::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!file.is_open()) throw system_failure(name, "write");
  return file;
}

}  // namespace

bool is_output_file(const std::string& path) {
  if (path == "-") return false;
  if (const auto to = resolved(path); to && to->descriptor) return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

output_file::output_file(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  if (path.empty()) throw usage_failure("'': the name of the output is empty");
  const std::optional<destination> to =
      path == "-" ? destination{path, STDOUT_FILENO} : resolved(path);
  if (!to) throw system_failure(name_, "create", ELOOP);
  if (to->descriptor) {
    file_ = opened_again(*to->descriptor, name_);
    return;
  }
  struct stat old {};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) throw system_failure(name_, "create");
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
  if (exists) replaced_ = {old.st_uid, old.st_gid, old.st_mode & 07777};
  target_ = to->path;
  // By way of /proc, a path may lead to a file that has lost its name.
  struct stat found {};
  if (exists && (::stat(target_.c_str(), &found) != 0 || found.st_ino != old.st_ino)) {
    target_.clear();
    throw run_time_failure(name_ + ": cannot replace: the file was deleted");
  }
  file_ = file_handle(create_pending_file(directory_of(target_)));
  if (!file_.is_open()) throw system_failure(name_, "create");
}

void check_not_its_own_input(const std::string& input, const std::string& output) {
  const auto to = output == "-" ? destination{output, STDOUT_FILENO} : resolved(output);
  struct stat in {
  }, out{};
  if (!to || !to->descriptor || ::fstat(*to->descriptor, &out) != 0 || !S_ISREG(out.st_mode))
    return;
  const int found = input == "-" ? ::fstat(STDIN_FILENO, &in) : ::stat(input.c_str(), &in);
  if (found != 0 || in.st_dev != out.st_dev || in.st_ino != out.st_ino) return;
  throw usage_failure((input == "-" ? "standard input" : input) +
                      ": is the output too: name it by -o, which replaces it when all is done");
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat a {
  }, b{};
  const auto is_file = [](const std::string& path, struct stat& to) {
    const int status = path == "-" ? ::fstat(STDIN_FILENO, &to) : ::stat(path.c_str(), &to);
    return status == 0 && S_ISREG(to.st_mode);
  };
  return is_file(one, a) && is_file(other, b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void check_output_is_no_input(const std::string& input, const std::string& output) {
  if (!is_same_file(input, output == "-" ? "/dev/stdout" : output)) return;
  throw usage_failure((input == "-" ? "standard input" : input) +
                      ": is the output too, which would replace it: give that another name");
}

void check_output_file(const std::string& path) {
  struct stat status {};
  // To open a named pipe and close it again would be the end of the text for who reads it.
  if (::stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode)) output_file tried(path);
}

output_file::~output_file() {
  if (!target_.empty()) remove_pending_file();
}

// Done last: writing to a file and changing its owner both clear the bits that lend rights.
void output_file::take_identity() {
  mode_t mode = default_mode();
  if (replaced_) {
    if (::fchown(file_.get(), replaced_->user, replaced_->group) != 0 &&
        ::fchown(file_.get(), static_cast<uid_t>(-1), replaced_->group) != 0)
      errno = 0;  // not allowed: the file is ours, as a new one would be
    mode = replaced_->mode;
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0) throw system_failure(name_, "write");
    // Rights of somebody else's are not lent on.
    if (now.st_uid != replaced_->user) mode &= ~static_cast<mode_t>(S_ISUID);
    if (now.st_gid != replaced_->group) mode &= ~static_cast<mode_t>(S_ISGID);
  }
  if (::fchmod(file_.get(), mode) != 0) throw system_failure(name_, "set the mode");
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
  if (target_.empty() && !text.empty()) note_streamed();
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      throw system_failure(name_, "write");
  }
}

void output_file::rewrite_start(std::string_view text) {
  for (off_t at = 0; !text.empty();) {
    const ssize_t written = ::pwrite(file_.get(), text.data(), text.size(), at);
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      at += written;
    } else if (errno != EINTR) {
      throw system_failure(name_, "write");
    }
  }
}

void output_file::commit() {
  if (!mapped_) write({reinterpret_cast<const char*>(memory_.data()), memory_.size()});
  memory_ = {};
  if (!target_.empty()) take_identity();
  // An old file is given up for this one. Its bytes are on the disk before its name is, so that a
  // crash of the machine leaves the old file or the new one. A new file has nothing to lose.
  if (replaced_ && ::fsync(file_.get()) != 0 && errno != EINVAL)
    throw system_failure(name_, "write");
  if (!file_.close()) throw system_failure(name_, "write");
  if (target_.empty()) {
    note_committed();
    return;
  }
  if (!rename_pending_file(target_)) throw system_failure(name_, "replace");
  target_.clear();
}

}  // namespace cli
