# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that matter: an output appears complete or not at all, and never harms what was there."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import time
import unittest

import numpy as np

import tool

RESULT = b"1\n3\n6\n"


class Safety(tool.ToolTest):
    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_in_place(self):
        self.put("x.txt", "1 2 3")
        self.scan("x.txt", "-o", "x.txt")
        self.assertEqual(self.get("x.txt"), RESULT)
        x = tool.random().integers(0, 100, 300000)
        self.put("x.npy", x)
        self.scan("x.npy", "--exclusive", "-o", "x.npy")
        self.assert_same(np.load(self.path("x.npy")), np.cumsum(x) - x)
        self.put("x.bin", x.tobytes())
        os.link(self.path("x.bin"), self.path("same.bin"))
        self.scan("x.bin", "--dtype", "i8", "-o", "same.bin", "--reverse")
        self.assertEqual(self.get("same.bin"), np.cumsum(x[::-1])[::-1].tobytes())
        self.assertEqual(self.get("x.bin"), x.tobytes())

    def test_the_mode_of_the_old_file_stays(self):
        self.put("x.txt", "1 2 3")
        for mode in 0o600, 0o664, 0o755, 0o4755, 0o2755, 0o6711:
            self.put("y.txt", "old")
            os.chmod(self.path("y.txt"), mode)
            self.scan("x.txt", "-o", "y.txt")
            self.assertEqual((self.get("y.txt"), self.mode("y.txt")), (RESULT, mode))

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_the_owner_of_the_old_file_stays(self):
        self.put("y.txt", "old")
        os.chown(self.path("y.txt"), 12345, 54321)
        os.chmod(self.path("y.txt"), 0o6755)
        self.scan("-", "-o", "y.txt", stdin="1 2 3")
        now = os.stat(self.path("y.txt"))
        self.assertEqual((now.st_uid, now.st_gid, self.mode("y.txt")), (12345, 54321, 0o6755))

    def test_a_new_file_has_the_mode_that_the_mask_leaves(self):
        self.put("x.txt", "1 2 3")
        for mask, mode in (0o022, 0o644), (0o077, 0o600), (0, 0o666):
            self.scan("x.txt", "-o", f"y{mask}.txt", umask=mask)
            self.assertEqual(self.mode(f"y{mask}.txt"), mode)

    def test_a_link_is_followed(self):
        os.mkdir(self.path("there"))
        self.put("there/y.txt", "old")
        os.symlink("there/y.txt", self.path("link.txt"))
        self.scan("-", "-o", "link.txt", stdin="1 2 3")
        self.assertTrue(os.path.islink(self.path("link.txt")))
        self.assertEqual(self.get("there/y.txt"), RESULT)

    def test_a_link_to_nothing_yet_is_followed(self):
        os.mkdir(self.path("there"))
        os.symlink("there/link.txt", self.path("link.txt"))
        os.symlink(self.path("y.txt"), self.path("there/link.txt"))
        self.scan("-", "-o", "link.txt", stdin="1 2 3")
        self.assertTrue(os.path.islink(self.path("link.txt")))
        self.assertFalse(os.path.islink(self.path("y.txt")))
        self.assertEqual(self.get("y.txt"), RESULT)

    def test_a_link_that_cannot_be_followed(self):
        for to, why in ("loop.txt", "symbolic links"), ("none/y.txt", "cannot create"):
            with self.subTest(to):
                os.symlink(to, self.path("loop.txt"))
                done = self.run_tool("scan", "-", "-o", "loop.txt", stdin="1")
                self.assertEqual(done.returncode, 1)
                self.assertIn(why, done.stderr.decode())
                self.assertEqual(os.listdir(self.dir), ["loop.txt"])
                self.assertEqual(os.readlink(self.path("loop.txt")), to)
                os.unlink(self.path("loop.txt"))

    def test_names_that_cannot_be(self):
        self.assert_refused(1, ["too long", "cannot create"], "scan", "-", "-o", "y" * 300,
                            stdin="1")
        self.assert_refused(1, ["too long"], "scan", "-", "-o", "y/" * 3000 + "y", stdin="1")
        self.put("x.txt", "1")
        self.assert_refused(1, ["x.txt/y.txt", "cannot create"], "scan", "-", "-o", "x.txt/y.txt",
                            stdin="1")
        for name in "y.npz", "y.zip", "y.npy.gz":
            self.assert_refused(2, [name, "name it .npy"], "scan", "-", "-o", name, stdin="1")

    def test_failures_leave_the_old_output(self):
        self.put("y.txt", "old")
        self.put("bad.npy", tool.npy_bytes(np.arange(5))[:-1])
        self.assert_refused(1, ["line 1"], "scan", "-", "-o", "y.txt", stdin="1 x")
        self.assert_refused(1, ["truncated"], "scan", "bad.npy", "-o", "y.txt")
        self.assert_refused(1, ["no.npy", "cannot open"], "scan", "no.npy", "-o", "y.txt")
        self.assert_refused(2, ["--init"], "scan", "-", "-o", "y.txt", "--init", "x", stdin="1")

    def test_targets_that_cannot_be(self):
        os.mkdir(self.path("d"))
        done = self.run_tool("scan", "-", "-o", "d", stdin="1")
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
        self.assertIn(b"d: is a directory", done.stderr)
        self.assertEqual(os.listdir(self.dir), ["d"])
        os.rmdir(self.path("d"))
        self.assert_refused(1, ["none/y.txt", "cannot create"], "scan", "-", "-o", "none/y.txt",
                            stdin="1")
        self.assert_refused(1, ["is a directory"], "scan", ".")

    @unittest.skipIf(os.geteuid() == 0, "root may write to any file")
    def test_a_write_protected_target_is_not_replaced(self):
        self.put("y.txt", "old")
        os.chmod(self.path("y.txt"), 0o444)
        self.assert_refused(1, ["y.txt", "cannot write"], "scan", "-", "-o", "y.txt", stdin="1")

    def test_devices_are_written_to_and_not_replaced(self):
        self.assertEqual(self.scan("-", "-o", "/dev/null", stdin="1 2"), b"")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.scan("-", "-o", "/dev/stdout", stdin="1 2 3"), RESULT)
        self.put("x.npy", np.arange(3))
        self.assertEqual(self.scan("x.npy", "-o", "/dev/stdout"), np.cumsum(np.arange(3)).tobytes())

    def test_an_open_descriptor_is_written_to_and_the_file_behind_it_not_replaced(self):
        os.symlink("/dev/fd/3", self.path("link.txt"))
        for line in ("-o /dev/stdout >>log", "-o /dev/stderr 2>>log", "-o /dev/fd/3 3>>log",
                     "-o /proc/self/fd/3 3>>log", "-o link.txt 3>>log", "-o - >>log",
                     "-o /dev/fd/../fd/12 12>>log", "--out-format text -o /dev/stdout >>log"):
            for more in "", " --verify --quiet":
                with self.subTest(line + more):
                    self.put("log", "kept\n")
                    old = os.stat(self.path("log")).st_ino
                    done = self.shell(f"scan - {more} {line}")
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
                    self.assertEqual(self.get("log"), b"kept\n" + RESULT)
                    self.assertEqual(os.stat(self.path("log")).st_ino, old)
                    self.assertTrue(os.path.islink(self.path("link.txt")))
        self.put("log", "kept\n")
        self.shell("scan - -o /dev/null --stats json:/dev/fd/3 3>>log")
        self.assertRegex(self.get("log"), rb"^kept\n\{.*\}\n$")
        # A file that was opened anew, and not to append.
        done = self.shell("scan - --out-format npy -o /dev/stdout >y.npy")
        self.assertEqual(done.returncode, 0)
        self.assert_same(np.load(self.path("y.npy")), np.int64([1, 3, 6]))

    def test_descriptors_that_cannot_be_written_to(self):
        self.put("log", "kept\n")
        for line in "-o /dev/fd/9", "-o /dev/fd/3 3<log", "-o /dev/stdin <log":
            done = self.shell(f"scan x.txt {line}")
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), done.stderr)
            self.assertIn(b"cannot write: Bad file descriptor", done.stderr)
            self.assertEqual(self.get("log"), b"kept\n")

    def test_an_input_that_is_open_for_the_output_is_refused(self):
        os.symlink("x.txt", self.path("same.txt"))
        for line in ("scan x.txt >>x.txt", "scan - <x.txt >>x.txt", "scan same.txt >>x.txt",
                     "reduce x.txt -o /dev/fd/3 3<>x.txt", "scan x.txt --reverse >>x.txt"):
            done = self.shell(line)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), line)
            self.assertIn(b"is the output too", done.stderr)
            self.assertEqual(self.get("x.txt"), b"1 2 3")

    def shell(self, line):
        self.put("x.txt", "1 2 3")
        return subprocess.run(["bash", "-c", f'"$0" {line}', tool.binary()], input=b"1 2 3",
                              capture_output=True, cwd=self.dir, timeout=60)

    def test_a_full_device(self):
        for target, name in [("/dev/full", "/dev/full"), ("-", "standard output")]:
            self.put("x.txt", "1 2 3\n" * 30000)
            with open("/dev/full", "wb") as full:
                self.assert_refused(1, [name, "No space left"], "scan", "x.txt", "-o", target,
                                    stdout=full)
        for arguments in ["info"], ["--help"], ["--version"], ["scan", "--help"]:
            with open("/dev/full", "wb") as full:
                self.assert_refused(1, ["standard output"], *arguments, stdout=full)

    def test_a_reader_that_has_left_is_told_nothing(self):
        self.put("x.txt", "1 2 3\n" * 30000)
        self.put("bench.json", self.run_tool("bench", "--sizes", "1000", "--repeat", "1", "--json",
                                             "-").stdout)
        read, write = os.pipe()
        os.close(read)
        for command in ("scan x.txt", "scan x.txt --verify --quiet", "reduce x.txt", "info", "--help",
                        "lab --help", "lab list", "lab banks blelloch --n 2048", "lab pitfalls 1",
                        "lab trace blelloch --input 1,2 --html /dev/stdout", "report bench.json",
                        "lab run blelloch --json", "bench --sizes 1000 --repeat 1",
                        "bench --sizes 1000 --repeat 1 --json -"):
            done = self.run_tool(*command.split(), stdout=write)
            told = done.stderr.decode()
            self.assertEqual(done.returncode, 1, command + ": " + told)
            if "--json -" not in command:  # the table is there
                self.assertEqual(told, "", command)
            self.assertNotIn("cannot write", told)
        # What went wrong before anything was written is told, whoever reads.
        done = self.run_tool("scan", "none.txt", stdout=write)
        self.assertIn(b"none.txt", done.stderr)
        os.close(write)

    def limited(self, kind, size):
        def limit():
            resource.setrlimit(kind, (size, size))
        return {"preexec_fn": limit}

    def test_a_file_that_may_not_grow(self):
        self.put("x.npy", np.ones(100000))
        self.put("y.npy", b"old")
        for target in "y.npy", "new.npy", "new.txt":
            self.assert_refused(1, [target, "cannot write", "too large"], "scan", "x.npy", "-o",
                                target,
                                **self.limited(resource.RLIMIT_FSIZE, 65536))

    def test_too_little_memory(self):
        self.put("x.npy", np.ones(1 << 23, np.int8))
        limit = self.limited(resource.RLIMIT_AS, 48 << 20)
        if self.run_tool("info", **limit).returncode != 0:
            self.skipTest("the tool itself needs more: a sanitizer's shadow memory does")
        self.assert_refused(1, ["x.npy: not enough memory"], "scan", "x.npy", "--reverse",
                            "-o", "y.txt", **limit)

    def test_too_few_threads(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            if os.geteuid() == 0:  # whom the limit does not concern
                os.setgid(65534)
                os.setuid(65534)
        copy = shutil.copy(tool.binary(), self.path("tool"))
        os.chmod(copy, 0o755)
        os.chmod(self.dir, 0o755)
        run = {"input": b"1\n" * (3 << 20), "capture_output": True, "preexec_fn": limit,
               "timeout": 60}
        try:
            subprocess.run([copy, "--version"], **run)
            done = subprocess.run([copy, "scan", "-", "--threads", "4"], **run)
        except OSError:
            self.skipTest("nobody else can run the tool")
        if done.returncode != 0:  # a machine of one core starts none
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
            self.assertIn(b"cannot start threads", done.stderr)
        done = subprocess.run([copy, "scan", "-", "--threads", "1"], **run)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\n"), 3 << 20)

    def start_and_wait_for_the_temporary(self):
        """A scan that waits inside its output: the target is text, written to a slow disk."""
        self.put("x.npy", np.ones(1 << 22))
        self.put("y.txt", "old")
        running = subprocess.Popen([tool.binary(), "scan", "x.npy", "-o", "y.txt"], cwd=self.dir,
                                   stderr=subprocess.PIPE)
        self.addCleanup(running.stderr.close)
        while len(os.listdir(self.dir)) < 3:
            self.assertIsNone(running.poll(), "it was done before it could be stopped")
            time.sleep(0.001)
        return running

    def test_signals_remove_the_temporary_file(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            running = self.start_and_wait_for_the_temporary()
            running.send_signal(number)
            self.assertEqual(running.wait(30), -number)
            self.assertIn(b"interrupted: nothing was written\n", running.stderr.read())
            self.assertEqual(sorted(os.listdir(self.dir)), ["x.npy", "y.txt"])
            self.assertEqual(self.get("y.txt"), b"old")

    def test_an_interrupted_stream_was_written_to(self):
        self.put("x.npy", np.ones(1 << 20))
        running = subprocess.Popen([tool.binary(), "scan", "x.npy"], cwd=self.dir,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with running.stdout, running.stderr:
            self.assertEqual(running.stdout.read(2), b"1\n")
            running.send_signal(signal.SIGTERM)
            self.assertEqual(running.wait(30), -signal.SIGTERM)
            self.assertEqual(running.stderr.read(), b"upsweep: interrupted\n")

    def test_a_signal_says_nothing_was_written_only_if_so(self):
        # Sent at times all over the run: the message and the file never contradict each other.
        self.put("x.npy", np.ones(1 << 16))
        for step in range(60):
            if os.path.exists(self.path("y.bin")):
                os.unlink(self.path("y.bin"))
            running = subprocess.Popen([tool.binary(), "scan", "x.npy", "-o", "y.bin"],
                                       cwd=self.dir, stderr=subprocess.PIPE)
            time.sleep(step * 0.0003)
            running.send_signal(signal.SIGTERM)
            message = running.communicate(timeout=30)[1]
            written = os.path.exists(self.path("y.bin"))
            self.assertEqual(sorted(os.listdir(self.dir)), ["x.npy"] + ["y.bin"] * written)
            self.assertFalse(written and message, message)
            if written:
                self.assertEqual(len(self.get("y.bin")), 8 << 16)

    def test_a_kill_leaves_the_old_output(self):
        running = self.start_and_wait_for_the_temporary()
        running.kill()
        running.wait(30)
        self.assertEqual(self.get("y.txt"), b"old")

    def test_an_input_that_shrinks_while_it_is_read(self):
        for threads in ("1", "8"):  # of which many may meet the end at once
            with self.subTest(threads=threads):
                self.put("x.npy", np.ones(1 << 22))
                running = subprocess.Popen(
                    [tool.binary(), "scan", "x.npy", "-o", "y.bin", "--threads", threads],
                    cwd=self.dir, stderr=subprocess.PIPE)
                self.addCleanup(running.stderr.close)
                while running.poll() is None and len(os.listdir(self.dir)) < 2:
                    pass
                os.truncate(self.path("x.npy"), 4096)
                status = running.wait(30)
                # It may have been quicker; if not, it must have said so and left nothing.
                if status != 0:
                    self.assertEqual(status, 1)
                    self.assertIn(b"shrank", running.stderr.read())
                    self.assertEqual(os.listdir(self.dir), ["x.npy"])
                else:
                    os.unlink(self.path("y.bin"))

    def test_a_text_that_is_cut_while_it_is_read(self):
        for left, more in (0, []), (4096, []), (5 << 20, []), (4096, ["--dtype", "i8"]):
            self.put("x.txt", "1\n" * (1 << 23))
            running = subprocess.Popen([tool.binary(), "scan", "x.txt", *more], cwd=self.dir,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # It waits for a reader of its first results, and has more of the text before it.
            self.assertEqual(running.stdout.read(2), b"1\n")
            os.truncate(self.path("x.txt"), left)
            message = running.communicate(timeout=60)[1]
            self.assertEqual(running.returncode, 1)
            self.assertIn(b"x.txt: was cut short while it was read", message)

    def test_a_closed_standard_output(self):
        done = subprocess.run(["sh", "-c", '"$0" scan - >&-', tool.binary()], input=b"1 2",
                              stderr=subprocess.PIPE, cwd=self.dir, timeout=60)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
        self.assertIn(b"standard output", done.stderr)

    def test_messages_never_land_in_the_result(self):
        self.put("x.txt", "1 2 3")
        for closed in "2>&-", ">&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-":
            for verify in "", " --verify":
                with self.subTest(closed + verify):
                    done = subprocess.run(
                        ["sh", "-c", f'"$0" scan x.txt{verify} -o y.txt {closed}', tool.binary()],
                        stdin=subprocess.DEVNULL, capture_output=True, cwd=self.dir, timeout=60)
                    self.assertEqual((done.returncode, self.get("y.txt")), (0, RESULT))
                    self.assertEqual(sorted(os.listdir(self.dir)), ["x.txt", "y.txt"])
                    os.unlink(self.path("y.txt"))

    def test_closed_streams_cannot_be_used(self):
        self.put("x.txt", "1 2 3")
        for line, words in [("scan x.txt >&-", "standard output: cannot write"),
                            ("scan x.txt -o /dev/stdout >&-", "/dev/stdout"),
                            ("scan - <&-", "standard input: cannot read"),
                            ("scan /dev/stdin --dtype i1 <&-", "/dev/stdin"),
                            ("info >&-", "standard output"), ("--help >&-", "standard output"),
                            ("scan x.txt 1</dev/null", "standard output: cannot write")]:
            with self.subTest(line):
                done = subprocess.run(["sh", "-c", f'"$0" {line}', tool.binary()],
                                      capture_output=True, cwd=self.dir, timeout=60)
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
                self.assertIn(words, done.stderr.decode())
                self.assertEqual(os.listdir(self.dir), ["x.txt"])

    def test_standard_input_may_be_a_file_that_is_partly_read(self):
        self.put("x.txt", "9\n1 2 3")
        with open(self.path("x.txt"), "rb", buffering=0) as file:
            file.read(2)
            done = subprocess.run([tool.binary(), "scan", "-"], stdin=file, capture_output=True,
                                  cwd=self.dir, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, RESULT))


if __name__ == "__main__":
    tool.main()
