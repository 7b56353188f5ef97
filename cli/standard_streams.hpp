// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace cli {

// Occupies those of the descriptors 0 to 2 that the program was started without, so that no file
// it opens gets one of them and with it the messages. Reading and writing there fails, as on a
// closed descriptor, and so does opening /dev/stdout and its like. Call it before anything is
// opened.
void occupy_closed_streams();

// 0 if a descriptor can be read from, or written to; else the error number.
int why_unreadable(int file);
int why_unwritable(int file);

// Writes what waits in the buffers of standard output. Throws failure where that, or something
// before it, could not be written.
void flush_output();

// Whether a descriptor is a pipe that nobody will read from again.
bool reader_has_left(int file);

}  // namespace cli
