#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether one build of the tool is slower than another: runs the bench of both in turn.

usage: compare_tools.py OLD NEW [--rounds K] [--keep FOLDER] [-- OPTIONS OF upsweep bench]

The samples of all rounds of a tool are one result, which NEW compares with --baseline. So what is
called slower was slower in its best sample of all rounds than before in the worst. Status as there:
0, or 3 where an engine of upsweep is slower. --keep writes the two results to FOLDER/old.json and new.json.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def measure(tool, options, folder):
    """The results of one run of a tool's bench."""
    path = Path(folder) / "round.json"
    subprocess.run([tool, "bench", *options, "--json", str(path)], check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads(path.read_text())


def pool(rounds):
    """One result of several runs: all samples of each engine on each workload."""
    whole = rounds[0]
    for results in zip(*(r["results"] for r in rounds), strict=True):
        first = results[0]
        first["samples_s"] = [s for r in results for s in r["samples_s"]]
        first["median_s"] = statistics.median(first["samples_s"])
        first["gb_per_s"] = first["bytes"] / first["median_s"] * 1e-9
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                     epilog="Behind --: the options of upsweep bench.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path)
    words = sys.argv[1:]
    behind = words.index("--") if "--" in words else len(words)
    a, options = parser.parse_args(words[:behind]), words[behind + 1:]
    if a.rounds < 1:
        parser.error("--rounds is 1 or more")
    with tempfile.TemporaryDirectory() as scratch:
        found = {"old": [], "new": []}
        try:
            for number in range(a.rounds):
                # Who begins changes: the first of two may find the machine cooler.
                order = ("old", "new") if number % 2 == 0 else ("new", "old")
                for which in order:
                    found[which].append(measure(getattr(a, which), options, scratch))
        except (OSError, subprocess.CalledProcessError) as why:
            print(f"compare_tools.py: {why}", file=sys.stderr)
            return 1
        folder = a.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for which, rounds in found.items():
            files.append(str(folder / f"{which}.json"))
            Path(files[-1]).write_text(json.dumps(pool(rounds)))
        return subprocess.run([a.new, "bench", "--baseline", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
