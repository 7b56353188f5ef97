#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every C++ example of a page compiles as it stands.

usage: check_readme.py PAGE COMPILER [OPTION ...]
"""

import re
import subprocess
import sys
from pathlib import Path

page, compiler = Path(sys.argv[1]), sys.argv[2:]
examples = re.findall(r"^```cpp\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
failed = 0
for example in examples:
    command = [*compiler, "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=example, text=True, capture_output=True)
    if done.returncode != 0:
        failed += 1
        print(f"this example does not compile:\n{example}\n{done.stderr}")
print(f"{len(examples)} examples, {failed} faults")
sys.exit(1 if failed or not examples else 0)
