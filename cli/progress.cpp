// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "cli/pending_file.hpp"
#include "cli/terminal.hpp"

namespace cli {
namespace {

using std::chrono::steady_clock;

const steady_clock::time_point program_start = steady_clock::now();
constexpr std::chrono::milliseconds silence{1000}, pause{200};

std::string size_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string line_text(const char* what, double done, double total, double seconds) {
  const double rate = seconds > 0 ? done / seconds : 0;
  if (total <= 0) return fmt::format("{}: {}, {}/s", what, size_text(done), size_text(rate));
  const double left = rate > 0 ? (total - done) / rate : 0;
  const auto whole = static_cast<long long>(left + 0.5);
  return fmt::format("{}: {:.0f} % of {}, {}/s, {}:{:02} left", what, 100 * done / total,
                     size_text(total), size_text(rate), whole / 60, whole % 60);
}

}  // namespace

progress::progress(bool wanted, const char* what, std::uint64_t total)
    : wanted_(wanted && is_terminal(STDERR_FILENO)),
      what_(what),
      total_(total),
      start_(clock::now()),
      next_(program_start + silence) {}

progress::~progress() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  note_progress_line(false);
}

void progress::advance(std::uint64_t done) {
  if (!wanted_) return;
  const clock::time_point now = clock::now();
  if (now < next_) return;
  next_ = now + pause;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line =
      line_text(what_, static_cast<double>(done), static_cast<double>(total_), seconds);
  note_progress_line(true);
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  drawn_ = true;
}

}  // namespace cli
