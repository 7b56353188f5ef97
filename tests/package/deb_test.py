#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the Debian packages and checks what is in them, without installing them; scripts/
deb_clean_root.sh does that.

usage: deb_test.py BUILD CPACK
"""

import gzip
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, CPACK = sys.argv[1:]

# For each package: files that it must have, and fields of its control file that must name something.
WANTED = {
    "libupsweep-dev": (["usr/include/upsweep/scan.hpp", "usr/include/upsweep/scan.cuh",
                        "usr/lib/libupsweep.a", "usr/lib/pkgconfig/upsweep.pc",
                        "usr/lib/cmake/upsweep/upsweepConfig.cmake"],
                       {"Depends": ["libtbb-dev", "libhwy-dev"]}),
    "upsweep": (["usr/bin/upsweep", "usr/share/man/man1/upsweep.1.gz",
                 "usr/share/man/man1/upsweep-scan.1.gz",
                 "usr/share/bash-completion/completions/upsweep",
                 "usr/share/zsh/vendor-completions/_upsweep",
                 "usr/share/fish/vendor_completions.d/upsweep.fish",
                 "usr/share/upsweep/devices.json",
                 "usr/lib/cmake/upsweep/upsweepToolTargets.cmake"],
                {"Depends": ["libc6 (>=", "libstdc++6 (>=", "libtbb12 (>=", "libfmt"]})}
FIELDS = ["Architecture", "Description", "Maintainer", "Section", "Version"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults(name, files, fields):
    """What is wrong with a package: its files by path, its fields by name."""
    wanted_files, wanted_fields = WANTED[name]
    document = f"usr/share/doc/{name}/"
    found = [f"{file} is missing" for file in [*wanted_files, document + "copyright",
                                               document + "changelog.gz"] if file not in files]
    found += [f"{field} is missing" for field in FIELDS if not fields.get(field)]
    found += [f"{field} lacks {word}" for field, words in wanted_fields.items() for word in words
              if word not in fields.get(field, "")]
    found += [f"{file} is not compressed" for file in files
              if file.startswith("usr/share/man/") and not file.endswith(".gz")]
    found += [f"{file} is in the wrong place" for file in files if not file.startswith("usr/")]
    return found


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        subprocess.run([CPACK, "-G", "DEB", "-B", folder.name, "--config",
                        f"{BUILD}/CPackConfig.cmake"], check=True, stdout=subprocess.DEVNULL)
        cls.packages = {}
        for package in cls.folder.glob("*.deb"):
            name = output("dpkg-deb", "-f", package, "Package").strip()
            root = cls.folder / "roots" / name
            root.mkdir(parents=True)
            output("dpkg-deb", "-x", package, root)
            fields = {field: output("dpkg-deb", "-f", package, field).strip()
                      for field in [*FIELDS, "Depends"]}
            files = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
            cls.packages[name] = root, files, fields

    def test_packages_have_no_fault(self):
        self.assertEqual(set(self.packages), set(WANTED))
        for name, (_, files, fields) in self.packages.items():
            self.assertEqual(faults(name, files, fields), [])

    def test_planted_faults_are_found(self):
        _, files, fields = self.packages["upsweep"]
        for wrong_files, wrong_fields in (
                ([file for file in files if file != "usr/bin/upsweep"], fields),
                ([*files, "usr/share/man/man1/x.1"], fields), ([*files, "etc/x"], fields),
                (files, {**fields, "Depends": "libc6"}), (files, {**fields, "Maintainer": ""})):
            self.assertNotEqual(faults("upsweep", wrong_files, wrong_fields), [])

    def test_extracted_tool_runs(self):
        root, _, fields = self.packages["upsweep"]
        tool = root / "usr/bin/upsweep"
        self.assertEqual(output(tool, "--version").strip(), f"upsweep {fields['Version']}")
        done = subprocess.run([tool, "scan", "-"], input="1 2 3\n", text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n3\n6\n"))
        page = gzip.decompress((root / "usr/share/man/man1/upsweep.1.gz").read_bytes())
        self.assertIn(b".SH NAME\nupsweep", page)
        text = (root / "usr/share/doc/upsweep/copyright").read_text(encoding="utf-8")
        self.assertIn("/usr/share/common-licenses/Apache-2.0", text)
        self.assertIn("LLVM Exceptions", text)
        subprocess.run(["sh", "-c", f"! readelf -S {tool} | grep -q debug_info"], check=True)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(0 if result.wasSuccessful() and result.testsRun == 3 else 1)
