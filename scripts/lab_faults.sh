#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: scripts/lab_faults.sh [FOLDER]
# On a machine with a GPU: asks compute-sanitizer about the lab's faulty kernels, which the simulator
# finds (upsweep lab pitfalls): it has to find what is named below, and nothing in the right one. FOLDER
# has the program lab_faults; build/release/tests/cuda if none is given.
set -euo pipefail

program=${1:-build/release/tests/cuda}/lab_faults
failed=0

# expect TOOL FAULT FOUND: whether the tool finds something in the kernel
expect() {
  local status=0
  timeout 120 compute-sanitizer --tool "$1" --error-exitcode 9 "$program" "$2" >/dev/null 2>&1 ||
    status=$?
  local found=no
  ((status == 9)) && found=yes
  ((status == 0 || status == 9)) || found="status $status"
  [[ $found == "$3" ]] || failed=1
  printf '%-10s %-22s found: %s, expected: %s\n' "$1" "$2" "$found" "$3"
}

for tool in racecheck synccheck memcheck; do expect "$tool" right no; done
expect racecheck missing-barrier yes
expect racecheck one-barrier-in-place yes
# Since compute capability 7.0 a barrier counts threads, wherever each of them waits, and does not wait
# for those that have ended: the kernel runs through, and only the simulator says what is wrong.
expect synccheck barrier-in-branch no
expect memcheck no-bounds-check yes
exit "$failed"
