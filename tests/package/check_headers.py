#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every public header compiles alone, and twice in one file.

usage: check_headers.py INCLUDE_DIR COMPILER [OPTION ...]
"""

import subprocess
import sys
from pathlib import Path

include, compiler = Path(sys.argv[1]), sys.argv[2:]
headers = sorted(p.relative_to(include).as_posix() for p in include.rglob("*.hpp"))
failed = 0
for header in headers:
    command = [*compiler, f"-I{include}", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n" * 2, text=True,
                          capture_output=True)
    if done.returncode != 0:
        failed += 1
        print(f"{header} does not compile alone:\n{done.stderr}")
print(f"{len(headers)} headers, {failed} faults")
sys.exit(1 if failed or not headers else 0)
