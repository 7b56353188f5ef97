// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/pending_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace cli {
namespace {

// What a handler may touch: plain memory and a flag, no string and no lock.
char g_path[PATH_MAX];
volatile sig_atomic_t g_pending = 0;

void say(std::string_view message) {
  if (::write(STDERR_FILENO, message.data(), message.size()) < 0) return;  // nowhere left to tell
}

void on_end(int signal) {
  if (g_pending != 0) ::unlink(g_path);
  say("upsweep: interrupted: nothing was written\n");
  ::raise(signal);  // SA_RESETHAND: this one ends the program, with the status shells expect
}

void on_bus_error(int) {
  if (g_pending != 0) ::unlink(g_path);
  say("upsweep: a file shrank or failed while it was in use: nothing was written\n");
  ::_exit(1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigfillset(&action.sa_mask);
  ::sigaction(signal, nullptr, &old);
  if (old.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_end);
  handle(SIGBUS, on_bus_error);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

int create_pending_file(const std::string& directory) {
  const std::string name = directory + "/.upsweep-XXXXXX";
  if (name.size() >= sizeof g_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  sigset_t all, old;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &old);  // no signal between the file and the note of it
  std::memcpy(g_path, name.c_str(), name.size() + 1);
  const int file = ::mkostemp(g_path, O_CLOEXEC);
  const int error = errno;
  g_pending = file >= 0 ? 1 : 0;
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  errno = error;
  return file;
}

const char* pending_file_path() { return g_path; }

void keep_pending_file() { g_pending = 0; }

void remove_pending_file() {
  if (g_pending != 0) ::unlink(g_path);
  g_pending = 0;
}

}  // namespace cli
