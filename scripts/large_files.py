#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Large files through the tool: what takes too long for ./test.

usage: large_files.py UPSWEEP [FOLDER]     8 GB of space are used in FOLDER, and freed again

  rate     a scan of 2 GB of float32 as .npy, warm in the page cache, beside cp of that file: both
           write a new file, in turn; the ratio of the medians is to be 0.6 or more
  sparse   5 GB of uint8, nearly all of it a hole: more than 2^32 elements, right at both ends
  pipe     the same through a pipe, with less than 256 MB of memory

Prints what it finds and exits with 1 when something is not as it should be.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

GB = 10**9


def seconds_of(*command):
    start = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - start


def rate(tool, folder):
    source, copy, result = folder / "x.npy", folder / "copy.npy", folder / "y.npy"
    x = np.lib.format.open_memmap(source, "w+", np.float32, (1 << 29,))
    random = np.random.default_rng(1)
    for at in range(0, len(x), 1 << 24):
        x[at : at + (1 << 24)] = random.random(1 << 24, np.float32)
    del x
    runs = {"cp": ("cp", source, copy), "scan": (tool, "scan", source, "-o", result)}
    times = {name: [] for name in runs}
    for _ in range(5):
        for name, command in runs.items():
            for old in copy, result:
                old.unlink(missing_ok=True)
            os.sync()
            times[name].append(seconds_of(*command))
    middle = {name: statistics.median(of_one) for name, of_one in times.items()}
    ratio = middle["cp"] / middle["scan"]
    print(f"rate: cp {middle['cp']:.2f} s, scan {middle['scan']:.2f} s: {ratio:.2f} of cp's rate")
    y = np.load(result, mmap_mode="r")
    right = abs(float(y[-1]) / (len(y) / 2) - 1) < 1e-3
    for file in source, copy, result:
        file.unlink(missing_ok=True)
    return ratio >= 0.6 and right


def sparse(tool, folder):
    size = 5 * GB
    file = folder / "sparse.bin"
    with open(file, "wb") as out:
        out.truncate(size)
        for place, value in (0, 5), (1 << 32, 100), (size - 1, 7):
            out.seek(place)
            out.write(bytes([value]))
    total = subprocess.run([tool, "reduce", file, "--dtype", "u1"], check=True,
                           capture_output=True).stdout
    scan = subprocess.Popen([tool, "scan", file, "--dtype", "u1", "--out-dtype", "u1",
                             "--out-format", "raw"], stdout=subprocess.PIPE)
    ends, count = (b"", b""), 0
    while piece := scan.stdout.read(1 << 24):
        ends = (ends[0] or piece[:2], piece[-2:])
        count += len(piece)
    scan.wait()
    print(f"sparse: total {total.decode().strip()}, {count} results, ends {ends}")
    return (scan.returncode, total, count, ends) == (0, b"112\n", size, (b"\5\5", b"\x69\x70"))


def pipe(tool, folder):
    file = folder / "sparse.bin"
    stats = folder / "stats.json"
    with open(file, "rb") as source:
        cat = subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE)
        done = subprocess.run([tool, "reduce", "-", "--format", "raw", "--dtype", "u1", "--stats",
                               f"json:{stats}"], stdin=cat.stdout, capture_output=True, check=True)
    cat.wait()
    found = json.loads(stats.read_text())
    peak = found["peak_memory_bytes"]
    print(f"pipe: total {done.stdout.decode().strip()}, {peak / 1e6:.0f} MB, "
          f"{found['gb_per_s']:.2f} GB/s")
    return done.stdout == b"112\n" and peak < 256 << 20


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    tool = os.path.abspath(arguments[0])
    folder = Path(tempfile.mkdtemp(prefix="upsweep-large-", dir=(arguments + [None])[1]))
    try:
        failed = [check.__name__ for check in (rate, sparse, pipe) if not check(tool, folder)]
    finally:
        shutil.rmtree(folder)
    print("not as it should be: " + ", ".join(failed) if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
