# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tool under test and checks what it does. The binary is UPSWEEP in the environment, or
the first argument of a test file."""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

SEED = 20240607


def binary():
    return os.environ.get("UPSWEEP", "upsweep")


def random(extra=0):
    return np.random.default_rng(SEED + extra)


def npy_bytes(array, version=None):
    data = io.BytesIO()
    np.lib.format.write_array(data, np.asanyarray(array), version=version, allow_pickle=False)
    return data.getvalue()


def same_bits(got, want):
    """Equal dtype, shape and bits; any NaN equals any other."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind == "f":
        nan = np.isnan(got) & np.isnan(want)
        bits = f"u{got.dtype.itemsize}"
        return bool(np.all(nan | (got.view(bits) == want.view(bits))))
    return bool(np.array_equal(got, want))


class ToolTest(unittest.TestCase):
    """Each test has a directory of its own, which is the tool's working directory."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="upsweep-cli-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def put(self, name, content):
        """A file in the directory: bytes, text, or an array as .npy."""
        if isinstance(content, np.ndarray):
            content = npy_bytes(content)
        if isinstance(content, str):
            content = content.encode()
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *arguments, stdin=b"", **options):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        return subprocess.run(
            [binary(), *map(str, arguments)],
            cwd=self.dir,
            input=stdin,
            stderr=subprocess.PIPE,
            timeout=120,
            **options,
        )

    def scan(self, *arguments, stdin=b"", **options):
        """A scan that must succeed and say nothing."""
        done = self.run_tool("scan", *arguments, stdin=stdin, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), f"scan {arguments}")
        return done.stdout

    def scan_array(self, array, *arguments):
        """The .npy that a scan of an array as .npy gives."""
        self.put("in.npy", array)
        if os.path.exists(self.path("out.npy")):
            os.unlink(self.path("out.npy"))  # the tool would wait for the disk to replace it
        self.assertEqual(self.scan("in.npy", "-o", "out.npy", *arguments), b"")
        return np.load(self.path("out.npy"), allow_pickle=False)

    def scan_text(self, text, *arguments):
        return self.scan("-", *arguments, stdin=text).decode().split()

    def assert_same(self, got, want, message=""):
        self.assertTrue(same_bits(got, want), f"{message}\n got {got!r}\nwant {want!r}")

    def assert_refused(self, status, words, *arguments, stdin=b"", **options):
        """The tool ends with the status and one line that has all the words, and the directory is
        as it was: no output, no temporary file."""
        before = {name: self.get(name) for name in os.listdir(self.dir)}
        done = self.run_tool(*arguments, stdin=stdin, **options)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, status, message)
        self.assertEqual(message.count("\n"), 1, message)
        for word in words:
            self.assertIn(word, message)
        self.assertFalse(done.stdout, "something was written to standard output")
        self.assertEqual({name: self.get(name) for name in os.listdir(self.dir)}, before)
        return message


def main():
    """Runs the tests of the calling file; finding none is a failure."""
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        os.environ["UPSWEEP"] = os.path.abspath(sys.argv.pop(1))
    program = unittest.main(exit=False)
    sys.exit(0 if program.result.wasSuccessful() and program.result.testsRun > 0 else 1)
