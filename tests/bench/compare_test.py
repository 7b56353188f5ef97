#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: compare_test.py UPSWEEP scripts/compare_tools.py    With tools whose times are planted."""

import json
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import baseline_test

TOOL = SCRIPT = None

# A tool that notes that it was called and takes the samples of the round from a list; what is asked
# of it besides, the real one does.
FAKE = """#!{python}
import json, os, subprocess, sys
if "--baseline" in sys.argv:
    sys.exit(subprocess.run(["{tool}", *sys.argv[1:]]).returncode)
open("{log}", "a").write("{name} ")
rounds = json.load(open("{rounds}"))
results = rounds.pop(0)
json.dump(rounds, open("{rounds}", "w"))
if results is None:
    sys.exit(1)
assert sys.argv[1:-2] == ["bench", "--sizes", "2^10"], sys.argv
json.dump(results, open(sys.argv[-1], "w"))
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def fake(self, name, rounds):
        """A tool that measures these samples of upsweep-seq, one list a round."""
        planted = [samples and {"machine": baseline_test.MACHINE,
                                "results": [baseline_test.result("upsweep-seq", samples)]}
                   for samples in rounds]
        (self.folder / f"{name}.rounds").write_text(json.dumps(planted))
        path = self.folder / name
        path.write_text(FAKE.format(python=sys.executable, tool=Path(TOOL).resolve(), name=name,
                                    log=self.folder / "log", rounds=self.folder / f"{name}.rounds"))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def compare(self, old, new, status):
        done = subprocess.run([sys.executable, "-B", SCRIPT, self.fake("a", old), self.fake("b", new),
                               "--rounds", "3", "--keep", str(self.folder / "kept"), "--", "--sizes",
                               "2^10"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_rounds_are_taken_in_turn_and_pooled(self):
        self.compare([[10.0, 11.0], [10.5], [12.0]], [[11.0], [13.0], [14.0]], 0)
        self.assertEqual((self.folder / "log").read_text().split(), ["a", "b", "b", "a", "a", "b"])
        result, = json.loads((self.folder / "kept/old.json").read_text())["results"]
        self.assertEqual((result["samples_s"], result["median_s"]), ([10, 11, 10.5, 12], 10.75))

    def test_slower_is_slower_in_every_round(self):
        # The first rounds alone would say so; the last one has a sample as fast as the old ones.
        done = self.compare([[10.0], [11.0], [12.0]], [[13.0], [13.0], [12.0]], 0)
        self.assertIn("0 slower", done.stdout)
        done = self.compare([[10.0], [11.0], [12.0]], [[13.0], [13.0], [12.1]], 3)
        self.assertIn("1 slower", done.stdout)

    def test_a_tool_that_fails_ends_it(self):
        self.assertIn("compare_tools.py: ", self.compare([[1.0], None, [1.0]], [[1.0]] * 3, 1).stderr)


if __name__ == "__main__":
    TOOL, SCRIPT = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
