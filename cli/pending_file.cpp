// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/pending_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace cli {
namespace {

// What a handler may touch: plain memory and flags, no string and no lock.
char g_path[PATH_MAX];
volatile sig_atomic_t g_pending = 0;    // g_path is to be removed
volatile sig_atomic_t g_streamed = 0;   // something was written that cannot be taken back
volatile sig_atomic_t g_drawn = 0;      // a line of progress stands on the terminal
volatile sig_atomic_t g_committed = 0;  // the result is complete and in its place

// Holds back signals to this thread. Others may still take them.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &old_);
  }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &old_, nullptr); }

 private:
  sigset_t old_;
};

void say(std::string_view message) {
  if (::write(STDERR_FILENO, message.data(), message.size()) < 0) return;  // nowhere left to tell
}

// Removes the pending file and says what happened, and that nothing was written if that is so. The
// file system is asked, since another thread may be just before or behind its rename: what can be
// removed has not been renamed, and what cannot is in its place.
void end_with(std::string_view what) {
  if (g_committed != 0) return;
  const bool removed = g_pending != 0 && ::unlink(g_path) == 0;
  if (g_pending != 0 && !removed) return;
  say(g_drawn != 0 ? "\r\x1b[Kupsweep: " : "upsweep: ");
  say(what);
  say(removed && g_streamed == 0 ? ": nothing was written\n" : "\n");
}

void on_end(int signal) {
  end_with("interrupted");
  ::raise(signal);  // SA_RESETHAND: this one ends the program, with the status shells expect
}

// Of several threads that read what is gone, the first ends the program and the others stand still.
void on_bus_error(int) {
  static std::atomic_flag ending;
  while (ending.test_and_set()) ::pause();
  end_with("a file shrank or failed while it was in use");
  ::_exit(1);
}

void handle(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(flags);
  ::sigfillset(&action.sa_mask);
  ::sigaction(signal, nullptr, &old);
  if (old.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
}

// The same file under a descriptor that is not one of the standard streams.
int above_the_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(file);
  if (moved < 0) ::unlink(g_path);
  errno = error;
  return moved;
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) handle(signal, on_end, SA_RESETHAND);
  handle(SIGBUS, on_bus_error, 0);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

int create_pending_file(const std::string& directory) {
  const std::string name = directory + "/.upsweep-XXXXXX";
  if (name.size() >= sizeof g_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  const signals_blocked no_signal_between_the_file_and_the_note_of_it;
  std::memcpy(g_path, name.c_str(), name.size() + 1);
  const int file = above_the_streams(::mkostemp(g_path, O_CLOEXEC));
  g_pending = file >= 0 ? 1 : 0;
  return file;
}

bool rename_pending_file(const std::string& target) {
  const signals_blocked no_signal_between_the_rename_and_the_note_of_it;
  if (std::rename(g_path, target.c_str()) != 0) return false;
  g_committed = 1;
  g_pending = 0;
  return true;
}

void remove_pending_file() {
  const signals_blocked no_signal_between_the_removal_and_the_note_of_it;
  if (g_pending != 0) ::unlink(g_path);
  g_pending = 0;
}

void note_progress_line(bool drawn) { g_drawn = drawn ? 1 : 0; }

void note_streamed() { g_streamed = 1; }

void note_committed() { g_committed = 1; }

}  // namespace cli
