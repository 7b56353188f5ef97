# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lab's machine costs nothing: a kernel written on it becomes the same PTX instructions as its
twin written by hand.

usage: machine_cost.py NVCC ROOT SCRATCH
"""

import re
import subprocess
import sys
from pathlib import Path


def instructions(ptx):
    """By kernel: the instructions in their order, without operands."""
    found = {}
    for text in re.split(r"\.visible \.entry ", ptx)[1:]:
        body = text[text.index("{"):]
        pattern = r"^\s+(?:@!?%p\d+ )?([a-z][\w.]*)"
        found[re.match(r"\w+", text).group()] = re.findall(pattern, body, re.M)
    return found


def difference(ptx):
    """Where the two kernels differ; empty if they do not."""
    kernels = instructions(ptx)
    if len(kernels) != 2 or not any("by_hand" in name for name in kernels):
        return f"there are not two kernels but {sorted(kernels)}"
    first, second = kernels.values()
    if len(first) < 40:
        return "the kernels are empty"
    if first != second:
        return f"{len(first)} and {len(second)} instructions: {first} and {second}"
    return ""


def main(nvcc, root, scratch):
    source, out = Path(root) / "tests/cuda/lab_twin.cu", Path(scratch) / "lab_twin.ptx"
    subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-O3", f"-I{root}", f"-I{root}/include",
                    "-ptx", str(source), "-o", str(out)], check=True, stdout=subprocess.DEVNULL)
    ptx = out.read_text()
    if found := difference(ptx):
        sys.exit(found)
    # A check that cannot fail is none: one barrier more in one of them is seen.
    if not difference(ptx.replace("bar.sync", "bar.sync \t0;\n\tbar.sync", 1)):
        sys.exit("a planted barrier was not found")
    print(f"{len(next(iter(instructions(ptx).values())))} instructions each, the same")


if __name__ == "__main__":
    main(*sys.argv[1:])
