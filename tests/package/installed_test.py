#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks an installed tree, and that faults planted in a copy of it are found.

usage: installed_test.py PREFIX SOURCE BUILD COMPILER

PREFIX is where the tree was moved to after its installation.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PREFIX, SOURCE, BUILD = (Path(word) for word in sys.argv[1:4])
COMPILER = sys.argv[4:]


def headers(root):
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in (root / "include").rglob("*")
            if p.is_file()}


def texts(prefix):
    """The files that tell other programs where things are, by their name."""
    return {p.relative_to(prefix).as_posix(): p.read_text(encoding="utf-8")
            for p in prefix.rglob("*") if p.suffix in (".cmake", ".pc")}


def faults(prefix):
    found = []
    if headers(prefix) != headers(SOURCE):
        found.append("the headers are not those of the source tree")
    for name, content in headers(prefix).items():
        for macro in re.findall(rb"^\s*#\s*define\s+(\w+)", content, re.M):
            if not macro.startswith(b"UPSWEEP_"):
                found.append(f"{name} defines {macro.decode()}")
    told = texts(prefix)
    if sum(name.endswith("upsweepConfig.cmake") for name in told) != 1 or \
            sum(name.endswith("upsweep.pc") for name in told) != 1:
        found.append("no upsweepConfig.cmake or upsweep.pc")
    for name, text in told.items():
        for place in (SOURCE, BUILD, prefix):
            if str(place) in text:
                found.append(f"{name} names {place}")
        if absolute := re.search(r"(?<![\w}/.])/(usr|tmp|home|opt|root)/\S*", text):
            found.append(f"{name} names {absolute.group()}")
    return found


class Installed(unittest.TestCase):
    def test_tree_has_no_fault(self):
        self.assertGreater(len(headers(PREFIX)), 20)
        self.assertEqual(faults(PREFIX), [])

    def test_planted_faults_are_found(self):
        def append(name, text):
            [file] = root.rglob(name)
            file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")

        planted = [lambda: append("order.hpp", "#define BLOCK 1\n"),
                   lambda: next(root.rglob("scan.hpp")).unlink(),
                   lambda: append("upsweepTargets.cmake", f"set(x {SOURCE})\n"),
                   lambda: append("upsweep.pc", "Libs: /usr/lib/libtbb.so\n"),
                   lambda: next(root.rglob("upsweep.pc")).unlink()]
        for number, plant in enumerate(planted):
            with self.subTest(number=number), tempfile.TemporaryDirectory() as folder:
                root = Path(folder, "copy")
                shutil.copytree(PREFIX, root)
                plant()
                self.assertNotEqual(faults(root), [])

    def test_pkg_config(self):
        [place] = PREFIX.rglob("pkgconfig")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(place)}

        def ask(*words):
            return subprocess.run(["pkg-config", *words, "upsweep"], env=environment, text=True,
                                  check=True, capture_output=True).stdout.split()

        flags = ask("--cflags")
        self.assertEqual([os.path.realpath(flag[2:]) for flag in flags], [f"{PREFIX}/include"])
        self.assertTrue(flags[0].startswith("-I"), flags)
        header = headers(SOURCE)["include/upsweep/version.hpp"]
        version = ".".join(part.decode() for part in re.findall(rb"VERSION_\w+ (\d+)", header))
        self.assertEqual(ask("--modversion"), [version])
        source = Path(__file__).parent / "one_call.cpp"
        for static in [], ["--static"]:
            with self.subTest(static=static), tempfile.TemporaryDirectory() as folder:
                program = f"{folder}/one_call"
                subprocess.run([*COMPILER, "-std=c++20", *flags, source, "-o", program,
                                *ask("--libs", *static)], check=True)
                self.assertEqual(subprocess.run([program]).returncode, 0)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(0 if result.wasSuccessful() and result.testsRun == 3 else 1)
