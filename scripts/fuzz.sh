#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: scripts/fuzz.sh [MINUTES [TARGET ...]]
# Builds the fuzz targets with clang and its sanitizers and runs each for 10 minutes, or as long as is
# said, from the corpus of the tree and from what earlier runs have added in build/fuzz/corpus. An
# input that finds something is written to build/fuzz/findings; then the status is 1. Targets:
# npy_header, text, columns, options, report, devices.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
minutes=${1:-10}
targets=("${@:2}")
[[ $minutes =~ ^[1-9][0-9]*$ ]] || {
  echo "usage: scripts/fuzz.sh [MINUTES [TARGET ...]]" >&2
  exit 2
}
((${#targets[@]})) || targets=(npy_header text columns options report devices)

scripts/setup.sh libclang-rt-19-dev
cmake --preset fuzz
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}"

status=0
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target" build/fuzz/findings
  log=build/fuzz/$target.log
  echo "fuzz: $target for $minutes minutes"
  if "build/fuzz/fuzz/fuzz_$target" -max_total_time=$((minutes * 60)) -max_len=2048 -timeout=10 \
    -artifact_prefix="build/fuzz/findings/$target-" -print_final_stats=1 \
    "build/fuzz/corpus/$target" "fuzz/corpus/$target" >"$log" 2>&1; then
    grep number_of_executed_units "$log"
  else
    echo "fuzz: $target FOUND SOMETHING:" >&2
    tail -n 40 "$log" >&2
    status=1
  fi
done
exit "$status"
