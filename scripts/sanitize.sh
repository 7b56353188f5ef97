#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds with sanitizers and warnings as errors, and runs the tests that run the project's code.
#   scripts/sanitize.sh        both of the following
#   scripts/sanitize.sh dev    address and undefined behaviour
#   scripts/sanitize.sh tsan   threads
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
case "${1:-all}" in
  all) presets=(dev tsan) ;;
  dev | tsan) presets=("$1") ;;
  *)
    echo "usage: scripts/sanitize.sh [dev|tsan]" >&2
    exit 2
    ;;
esac

scripts/setup.sh
for preset in "${presets[@]}"; do
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset" --parallel "$(nproc)" --label-exclude '^(structure|package)$'
done
