# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipes and large inputs: the bits of the file, with bounded memory, and nothing half-written."""

import os
import resource
import subprocess
import threading
import unittest

import numpy as np

import tool

PIECE = 1 << 20  # elements that the tool takes at a time


class Streams(tool.ToolTest):
    def piped(self, data, *arguments, command="scan"):
        done = self.run_tool(command, "-", *arguments, stdin=data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def test_a_pipe_has_the_bits_of_the_file(self):
        for number, n in enumerate([0, 1, 1000, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 12345]):
            for kind in ["f4", "f2", "c8", "i1"] if n == 1000 or n == PIECE + 1 else ["f4"]:
                x = tool.random(number).standard_normal(n).astype(kind)
                self.put("x.npy", x)
                for extra in [], ["--exclusive", "--total", "--init", "3"]:
                    with self.subTest(n=n, kind=kind, extra=extra):
                        got = self.piped(self.get("x.npy"), "--format", "npy", "--out-format",
                                         "npy", *extra)
                        self.assertEqual(got, self.in_memory("x.npy", *extra))

    def in_memory(self, name, *arguments):
        """The result of the way that has the whole array in memory, which --verify needs."""
        done = self.run_tool("scan", name, "-o", "y.npy", "--verify", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.get("y.npy")

    def test_all_formats_in_and_out(self):
        for n in 5, PIECE + 5:
            self.formats_in_and_out(tool.random().integers(-9, 9, n))

    def formats_in_and_out(self, x):
        want = np.cumsum(x)
        text = "\n".join(map(str, x)).encode()
        raw = ["--format", "raw", "--dtype", "i8"]
        for data, options in ((text, []), (text, ["--dtype", "i8"]), (x.tobytes(), raw),
                              (tool.npy_bytes(x), ["--format", "npy"]),
                              (x.astype(">i8").tobytes(), [*raw, "--byte-order", "big"])):
            with self.subTest(options):
                if options != raw:
                    got = self.piped(data, *options, "--out-format", "text")
                    self.assertEqual(got, "".join(f"{v}\n" for v in want).encode())
                self.assertEqual(self.piped(data, *options, "--out-format", "raw"), want.tobytes())
                self.assertEqual(self.piped(data, *options, "--out-format", "npy"),
                                 tool.npy_bytes(want))
                self.piped(data, *options, "-o", "y.npy")
                self.assertEqual(self.get("y.npy"), tool.npy_bytes(want))
                self.assertEqual(self.piped(data, *options, "--out-format", "text",
                                            command="reduce"), b"%d\n" % want[-1])

    def test_arrays_that_cannot_be_streamed_come_whole(self):
        x = np.arange(24).reshape(2, 3, 4)
        for order in "C", "F":
            data = tool.npy_bytes(np.asarray(x, order=order))
            self.assertEqual(self.piped(data, "--format", "npy").split(),
                             [b"%d" % v for v in np.cumsum(x)])
            got = self.piped(data, "--format", "npy", "--axis", "1", "--reverse")
            self.assertEqual(got.split(), [b"%d" % v for v in np.flip(
                np.cumsum(np.flip(x, 1), 1), 1).ravel()])

    def test_mistakes_in_a_pipe(self):
        whole = tool.npy_bytes(np.arange(5))
        for data, words in ((whole[:-1], ["truncated", "5 elements", "4 present"]),
                            (whole + b"x", ["bytes behind"]), (whole[:50], ["truncated"]),
                            (b"", ["not an .npy"]), (b"\x93NUMPY\2\0\xff\xff\xff\xff", ["header"])):
            self.assert_refused(1, ["standard input", *words], "scan", "-", "--format", "npy", "-o",
                                "y.npy", stdin=data)
        self.assert_refused(1, ["10 bytes", "4 bytes"], "scan", "-", "--format", "raw", "--dtype",
                            "i4", stdin=b"0123456789")
        self.assert_refused(2, ["contradicts"], "scan", "-", "--format", "npy", "--dtype", "f4",
                            stdin=whole)

    def test_a_mistake_late_in_a_text_leaves_no_file(self):
        text = "1.5\n" * (PIECE + 9) + "2 x\n"
        self.assert_refused(1, [f"line {PIECE + 10}, column 3", "'x'"], "scan", "-", "-o", "y.txt",
                            stdin=text)

    def test_floats_that_become_integers_are_counted_from_the_start(self):
        x = np.ones(PIECE + 9)
        x[PIECE + 3] = np.nan
        self.assert_refused(1, [f"element {PIECE + 3}", "int64"], "scan", "-", "--format", "npy",
                            "--out-dtype", "i8", "-o", "y.npy", stdin=tool.npy_bytes(x))

    def test_a_text_is_kept_where_the_environment_says(self):
        gone = {**os.environ, "TMPDIR": self.path("none")}
        much = "1\n" * 3000000
        self.assert_refused(1, [self.path("none"), "keep a copy"], "reduce", "-", stdin=much,
                            env=gone)
        for text, arguments in ((much, ["--dtype", "i8"]), ("1", []), ("0.5\n" + much, [])):
            done = self.run_tool("reduce", "-", *arguments, stdin=text, env=gone)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(float(done.stdout), sum(map(float, text.split())))
        here = {**os.environ, "TMPDIR": self.dir}
        done = self.run_tool("reduce", "-", stdin=much, env=here)
        self.assertEqual((done.returncode, done.stdout, os.listdir(self.dir)), (0, b"3000000\n", []))

    def test_devices_without_a_size_are_read(self):
        count = self.run_tool("reduce", "/proc/self/stat", "--format", "raw", "--dtype", "u1")
        self.assertEqual(count.returncode, 0)
        self.assertGreater(int(count.stdout), 1000)


class Memory(tool.ToolTest):
    LIMIT = 256 << 20

    def streamed(self, block, blocks, *arguments):
        """Pipes blocks of bytes through the tool and returns its peak memory."""
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (self.LIMIT, self.LIMIT))
        running = subprocess.Popen([tool.binary(), *arguments], cwd=self.dir,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, preexec_fn=limit)

        def feed():
            try:
                for _ in range(blocks):
                    running.stdin.write(block)
                running.stdin.close()
            except BrokenPipeError:
                pass
        feeder = threading.Thread(target=feed)
        feeder.start()
        message = running.stderr.read()
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
        feeder.join()
        running.stderr.close()
        running.stdin.close()
        return running.returncode, message, usage.ru_maxrss << 10

    def setUp(self):
        super().setUp()
        if self.streamed(b"", 0, "info")[0] != 0:
            self.skipTest("the tool itself needs more: a sanitizer's shadow memory does")

    def test_a_pipe_takes_little_memory(self):
        block = np.ones(1 << 17).tobytes()
        raw = ["--format", "raw", "--dtype", "f8"]
        for arguments in (["scan", "-", *raw, "--out-format", "raw"], ["reduce", "-", *raw]):
            status, message, peak = self.streamed(block, 400, *arguments)
            self.assertEqual((status, message), (0, b""), arguments)
            self.assertLess(peak, self.LIMIT)
        block = b"1 2 3\n" * (1 << 14)
        for dtype in [], ["--dtype", "c16"]:
            status, message, peak = self.streamed(block, 100, "scan", "-", *dtype)
            self.assertEqual((status, message), (0, b""))
            self.assertLess(peak, self.LIMIT)

    def test_the_limit_is_felt(self):
        # What cannot be streamed needs the array in memory, of 400 MB.
        block = np.ones(1 << 17).tobytes()
        status, message, _ = self.streamed(block, 400, "scan", "-", "--format", "raw", "--dtype",
                                           "f8", "--reverse")
        self.assertEqual(status, 1)
        self.assertIn(b"not enough memory", message)


if __name__ == "__main__":
    tool.main()
