# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of docs/report.md, run as they are written, and what the page says of sections."""

import os
import re
import subprocess

import tool

DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "report.md")


class ReportDoc(tool.ToolTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        os.symlink(os.path.abspath(tool.binary()), self.path("bin/upsweep"))
        with open(DOC, encoding="utf-8") as page:
            self.text = page.read()

    def run_line(self, line):
        path = self.path("bin") + ":" + os.environ["PATH"]
        return subprocess.run(line, shell=True, cwd=self.dir, capture_output=True, timeout=120,
                              env={**os.environ, "PATH": path})

    def test_commands_run_and_sections_are_those_of_the_table(self):
        anywhere, on_gpu = (block.splitlines() for block in
                            re.findall(r"^```sh\n(.*?)^```$", self.text, re.M | re.S))
        gpu = b"cuda:0" in self.run_line("upsweep info").stdout
        for line in anywhere + (on_gpu if gpu else []):
            done = self.run_line(line)
            self.assertEqual(done.returncode, 4 if "lab check" in line else 0, (line, done.stderr))
        headings = re.findall(r"<h2>(.*?)</h2>", self.get("report.html").decode())
        if gpu:
            headings += re.findall(r"<h2>(.*?)</h2>", self.get("gpu.html").decode())
        named = re.findall(r"^\| ([A-Z].*?) \|", self.text, re.M)
        self.assertLessEqual(set(headings), set(named))
        self.assertGreaterEqual(len(set(headings)), 10 if gpu else 7)
        self.assertEqual(len(named), 10)

    def test_a_command_that_fails_is_seen(self):
        self.assertNotEqual(self.run_line("upsweep report none.json -o x.html").returncode, 0)


if __name__ == "__main__":
    tool.main()
