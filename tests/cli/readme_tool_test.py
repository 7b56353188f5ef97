# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the tool in README.md, run as they are written."""

import json
import os
import re
import struct
import subprocess

import numpy as np

import report_cases
import tool

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")


class Readme(tool.ToolTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        os.symlink(os.path.abspath(tool.binary()), self.path("bin/upsweep"))
        self.put("counts.txt", "3 0 2")
        self.put("x.npy", np.arange(5.0))
        self.put("image.npy", np.array([[1, 7], [4, 2], [3, 3]]))
        self.put("raw.bin", b"h" * 16 + struct.pack("<3f", 1, 2, 3))
        self.put("bench.json", json.dumps(report_cases.cpu_bench()))
        self.put("table.csv", 'time,"size, B"\n0.5,1\n1.5,2\n')

    def run_line(self, line):
        path = self.path("bin") + ":" + os.environ["PATH"]
        return subprocess.run(line, shell=True, cwd=self.dir, capture_output=True, timeout=120,
                              env={**os.environ, "PATH": path})

    def test_they_run(self):
        with open(README, encoding="utf-8") as page:
            section = page.read().split("\n## The tool\n")[1].split("\n## ")[0]
        lines = re.search(r"^```\n(.*?)^```$", section, re.S | re.M).group(1).splitlines()
        gpu = "cuda:0" in self.run_line("upsweep info").stdout.decode()
        seen = {}
        for line in lines:
            if line.startswith("upsweep bench"):
                continue  # takes its time, and has tests of its own
            done = self.run_line(line)
            seen[line.split("#")[0].strip()] = done.stdout
            if "cuda" in line and not gpu:
                self.assertEqual(done.returncode, 1)
            else:
                self.assertEqual(done.returncode, 0, (line, done.stderr))
        self.assertGreaterEqual(len(seen), 9)
        self.assertEqual(self.get("offsets.txt"), b"0\n3\n3\n")
        self.assert_same(np.load(self.path("table.npy")), np.array([[1, 8], [4, 6], [3, 6]]))
        self.assert_same(np.load(self.path("y.npy")), np.float32([101, 103, 106]))
        self.assertEqual(seen['upsweep scan table.csv --column "size, B" --checked'], b"1\n3\n")
        self.assertEqual(seen["seq 10 | upsweep scan -"].split()[-1], b"55")
        self.assertEqual(seen["upsweep reduce image.npy --op max --axis 0"], b"4\n7\n")

    def test_an_example_that_fails_is_seen(self):
        self.assertNotEqual(self.run_line("upsweep scan no.npy").returncode, 0)


if __name__ == "__main__":
    tool.main()
