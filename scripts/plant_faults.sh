#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Plants every fault of tests/protocol/planted_faults.py in the CUDA headers, one at a time, and
# demands that the emulated device finds it. About five minutes on two cores.
set -euo pipefail

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
scripts/setup.sh
cmake --preset release
cmake --build --preset release --target upsweep_emulator
exec python3 -B tests/protocol/planted_faults.py . "${CXX:-c++}" \
  build/release/tests/protocol/libupsweep_emulator.a
