#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a source file compiles within a limit: processor time, the best of three.

usage: compile_time.py SECONDS SOURCE COMPILER [OPTION ...]

Processor time, because other work on the machine does not count against a header.
"""

import os
import resource
import subprocess
import sys
import tempfile

limit, source, compiler = float(sys.argv[1]), sys.argv[2], sys.argv[3:]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


times = []
uncached = {**os.environ, "CCACHE_DISABLE": "1"}
with tempfile.TemporaryDirectory() as folder:
    command = [*compiler, "-c", source, "-o", os.path.join(folder, "object.o")]
    for _ in range(3):
        before = processor_time()
        if subprocess.run(command, env=uncached).returncode != 0:
            sys.exit(f"{source} does not compile")
        times.append(processor_time() - before)
print(f"{min(times):.2f} s of processor time; {limit:g} s are the limit")
sys.exit(0 if min(times) <= limit else 1)
