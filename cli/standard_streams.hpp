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

}  // namespace cli
