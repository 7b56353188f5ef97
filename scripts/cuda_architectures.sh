#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the CUDA engine for every architecture that it supports and shows the registers and the
# spills of each kernel: scripts/cuda_architectures.sh [ARCHITECTURE ...]. Needs nvcc, no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
architectures=("$@")
((${#architectures[@]})) || architectures=(75 80 86 89 90 100 120)
for architecture in "${architectures[@]}"; do
  echo "sm_$architecture"
  "$nvcc" -std=c++20 -O3 -arch="sm_$architecture" -Iinclude -Xptxas -v -c -o /dev/null \
    tests/cuda/every_architecture.cu 2>&1 |
    awk '/error|warning/ { print; bad = 1 }
         /Compiling entry/ { match($0, /(bulk|block|row|column)_(scan|walk|columns)/); name = substr($0, RSTART, RLENGTH) }
         /spill/ { spill = $5 }
         /Used/ { printf "  %-12s %3d registers, %d bytes spilled\n", name, $5, spill }
         END { exit bad }'
done
