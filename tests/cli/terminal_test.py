# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session on a terminal, by a pseudo-terminal: progress, colours, and their absence."""

import os
import pty
import subprocess
import time

import numpy as np

import tool

RED = b"\x1b[1;31mupsweep:\x1b[0m "
CLEAR = b"\r\x1b[K"


class Terminal(tool.ToolTest):
    def session(self, *arguments, feed=(), environment=()):
        """Runs the tool with its messages on a terminal. feed: pieces of input, each after a pause
        in seconds. Returns the status and what the terminal got."""
        parent, child = pty.openpty()
        plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        running = subprocess.Popen([tool.binary(), *arguments], cwd=self.dir, stderr=child,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={**plain, "TERM": "xterm", **dict(environment)})
        os.close(child)
        for pause, piece in feed:
            time.sleep(pause)
            running.stdin.write(piece)
            running.stdin.flush()
        output = running.communicate(timeout=60)[0]
        shown = b""
        try:
            while piece := os.read(parent, 65536):
                shown += piece
        except OSError:  # how a terminal ends when nobody has it open
            pass
        os.close(parent)
        return running.returncode, shown, output

    def slow(self, *arguments, environment=()):
        piece = b"1 " * 200000
        return self.session("scan", "-", "--dtype", "i8", *arguments,
                            feed=[(0, piece), (1.2, piece)], environment=environment)

    def test_progress_after_a_second_and_it_goes(self):
        status, shown, output = self.slow()
        self.assertEqual(status, 0)
        self.assertRegex(shown, rb"^\rscan: \d+ [kM]B, \d+ [kM]B/s\x1b\[K")
        self.assertTrue(shown.endswith(CLEAR), shown)
        self.assertEqual(output.split()[-1], b"400000")

    def test_share_and_time_left_of_a_file(self):
        # A text is a file that is read piece by piece: slowed down by what it is written to.
        self.put("x.txt", "1 " * 3000000)
        os.mkfifo(self.path("out"))
        parent, child = pty.openpty()
        running = subprocess.Popen([tool.binary(), "scan", "x.txt", "-o", "out"], cwd=self.dir,
                                   stderr=child, env={**os.environ, "TERM": "xterm"})
        os.close(child)
        with open(self.path("out"), "rb") as slow:
            time.sleep(1.3)
            self.assertEqual(slow.read().split()[-1], b"3000000")
        self.assertEqual(running.wait(60), 0)
        self.assertRegex(os.read(parent, 65536),
                         rb"^\rscan: \d+ % of \d+ MB, \d+ [kM]B/s, 0:\d\d left")
        os.close(parent)

    def test_none_when_quiet_or_quick(self):
        self.assertEqual(self.slow("--quiet")[:2], (0, b""))
        self.assertEqual(self.session("scan", "-", feed=[(0, b"1 2")]), (0, b"", b"1\n3\n"))

    def test_a_run_that_is_watched_has_the_same_bits(self):
        # On a terminal a long run is cut into pieces, so that it can be shown.
        x = tool.random().standard_normal((5, (1 << 20) + 77)).astype(np.float32)
        self.put("x.npy", x)
        for arguments in (["reduce", "x.npy"], ["reduce", "x.npy", "--axis", "1"],
                          ["reduce", "x.npy", "--axis", "0"], ["scan", "x.npy", "--reverse"],
                          ["scan", "x.npy", "--axis", "0"],
                          ["scan", "x.npy", "--reverse", "--exclusive", "--total"]):
            with self.subTest(arguments):
                self.assertEqual(self.run_tool(*arguments, "-o", "y.npy").returncode, 0)
                self.assertEqual(self.session(*arguments, "-o", "z.npy")[0], 0)
                self.assertEqual(self.get("y.npy"), self.get("z.npy"))

    def test_errors_are_red_where_colours_are_wanted(self):
        for environment, start in (({}, RED), ({"NO_COLOR": ""}, RED),
                                   ({"NO_COLOR": "1"}, b"upsweep: "), ({"TERM": "dumb"}, b"upsweep: ")):
            status, shown, _ = self.session("scan", "none.npy", environment=environment)
            self.assertEqual(status, 1)
            self.assertTrue(shown.startswith(start + b"none.npy"), shown)

    def test_an_error_takes_the_place_of_progress(self):
        _, shown, _ = self.session("scan", "-", "--dtype", "i8",
                                   feed=[(0, b"1 " * 200000), (1.2, b"1 " * 200000 + b"x")])
        self.assertRegex(shown, rb"^\rscan: .*\r\x1b\[K\x1b\[1;31mupsweep:\x1b\[0m standard input")

    def test_nothing_of_this_without_a_terminal(self):
        piece = b"1 " * 200000
        running = subprocess.Popen([tool.binary(), "scan", "-", "--dtype", "i8"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        running.stdin.write(piece)
        running.stdin.flush()
        time.sleep(1.2)
        self.assertEqual(running.communicate(piece)[1], b"")


if __name__ == "__main__":
    tool.main()
