// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace cli {

// Makes SIGINT, SIGTERM, SIGHUP and SIGQUIT remove the pending file before they end the program as
// they always do, makes a closed pipe and a file size limit errors of the write instead of signals,
// and ends with a message and status 1 when a mapped file can no longer be read. Call it once.
void install_signal_handlers();

// Creates a file with a name of its own in a directory, and makes it the pending one: it is removed
// if a signal ends the program. Returns its descriptor, -1 with errno set on failure. There is at
// most one pending file.
int create_pending_file(const std::string& directory);

// Gives it its name; nothing is pending any more, and the result is committed. False with errno set
// on failure.
bool rename_pending_file(const std::string& target);
// Removes it.
void remove_pending_file();

// For the message of a signal, which must not say that nothing was written: a part of the result
// went to a stream; all of it is where it should be, so that there is nothing to say.
// And whether a line of progress is on the terminal, which the message replaces.
void note_progress_line(bool drawn);
void note_streamed();
void note_committed();

}  // namespace cli
