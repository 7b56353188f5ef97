#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `upsweep report` in a browser without a screen: prepares what page_test.mjs needs.

usage: browser_test.py UPSWEEP FOLDER [--update]

FOLDER keeps playwright-core between runs: what package-lock.json names is installed there by npm.
Where chromium, node, npm or the network is missing the tests are skipped by name, with status 77.
--update writes looks.json anew: how the pictures are meant to look.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import report_cases  # noqa: E402

SKIPPED = 77


class Missing(Exception):
    """Something that the tests need and that this machine does not have."""


def program(*names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise Missing(f"{names[0]} is not installed")


def install(folder):
    """playwright-core as the lock file has it, once."""
    lock = (HERE / "package-lock.json").read_text()
    done = folder / "installed.json"
    if done.is_file() and done.read_text() == lock:
        return
    npm = program("npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    try:
        result = subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund",
                                 "--fetch-retries=1", "--fetch-timeout=20000"], cwd=folder,
                                capture_output=True, text=True, timeout=90)
    except subprocess.TimeoutExpired as late:
        raise Missing("npm ci takes longer than 90 s") from late
    if result.returncode != 0:
        raise Missing("npm ci: " + (result.stderr.strip().splitlines() or ["failed"])[0])
    done.write_text(lock)


def make_page(upsweep, folder):
    """report.html, and beside it the files that it is made of."""
    files = report_cases.documents(upsweep)
    for name, data in files.items():
        (folder / name).write_text(json.dumps(data))
    subprocess.run([upsweep, "report", *files, "-o", "report.html"], cwd=folder, check=True)


def main(upsweep, folder, *more):
    names = [name for file in sorted(HERE.glob("page_*.mjs"))
             for name in re.findall(r"^test\('([^']+)'", file.read_text(), re.M)]
    try:
        browser, node = program("chromium", "chromium-browser"), program("node", "nodejs")
        install(Path(folder))
    except Missing as why:
        print("\n".join(f"skipped: {name}: {why}" for name in names))
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="upsweep-browser-") as place:
        make_page(os.path.abspath(upsweep), Path(place))
        done = subprocess.run([node, str(HERE / "page_test.mjs"), browser, os.path.abspath(folder),
                               place, *more], capture_output=True, text=True, timeout=240)
    print(done.stdout + done.stderr)
    ran = re.findall(r"^(?:ok|FAILED): (.*?)(?:: .*)?$", done.stdout, re.M)
    if done.returncode == 0 and (not names or len(ran) != len(names)):
        print(f"{len(ran)} of {len(names)} tests ran")
        return 1
    return done.returncode


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
