// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The one place where the version is written; CMake reads these lines.
#define UPSWEEP_VERSION_MAJOR 0
#define UPSWEEP_VERSION_MINOR 1
#define UPSWEEP_VERSION_PATCH 0
