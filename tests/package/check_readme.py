#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every example of a page in one language compiles as it stands.

usage: check_readme.py PAGE LANGUAGE COMPILER [OPTION ...]

LANGUAGE is what follows the fence of an example, cpp or cuda. The file's name is added to the
command.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

page, language, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
text = page.read_text(encoding="utf-8")
examples = re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)
failed = 0
with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / {"cpp": "example.cpp", "cuda": "example.cu"}[language]
    for example in examples:
        source.write_text(example, encoding="utf-8")
        done = subprocess.run([*compiler, str(source)], text=True, capture_output=True)
        if done.returncode != 0:
            failed += 1
            print(f"this example does not compile:\n{example}\n{done.stdout}{done.stderr}")
print(f"{len(examples)} examples, {failed} faults")
sys.exit(1 if failed or not examples else 0)
