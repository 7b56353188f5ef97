# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--checked, --stats and --quiet."""

import json
import os
import subprocess

import numpy as np

import tool

KINDS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


class Checked(tool.ToolTest):
    def first_overflow(self, values, kind, op):
        """The index of the first prefix beyond the dtype, in Python's integers."""
        limits, running = np.iinfo(kind), 0 if op == "sum" else 1
        for index, value in enumerate(values):
            running = running + int(value) if op == "sum" else running * int(value)
            if not limits.min <= running <= limits.max:
                return index
        return None

    def test_the_first_overflow_is_named(self):
        for number, kind in enumerate(KINDS):
            for op in "sum", "prod":
                for seed in range(3):
                    random = tool.random(100 * number + seed)
                    most = np.iinfo(kind).max // 9 if op == "sum" else 4
                    values = random.integers(1, most, 60, endpoint=True).astype(kind)
                    index = self.first_overflow(values, kind, op)
                    self.put("x.npy", values)
                    run = ["scan", "x.npy", "--checked", "--op", op, "--out-dtype", kind]
                    with self.subTest(kind, op=op, seed=seed):
                        if index is None:
                            self.assertEqual(self.run_tool(*run).returncode, 0)
                        else:
                            self.assert_refused(1, ["x.npy", f"element {index}: the",
                                                    np.dtype(kind).name, "--out-dtype"], *run)

    def test_right_up_to_the_limits(self):
        for kind in KINDS:
            limits = np.iinfo(kind)
            run = ["--checked", "--out-dtype", kind]
            self.assert_same(self.scan_array(np.array([limits.max - 1, 1, 0], kind), *run)[1:],
                             np.array([limits.max] * 2, kind))
            self.put("x.npy", np.array([limits.max, 1], kind))
            self.assert_refused(1, ["element 1"], "scan", "x.npy", *run)
            # The prefix that overflows is not written, unless the total is asked for.
            self.assertEqual(len(self.scan("x.npy", "--exclusive", *run).split()), 2)
            self.assert_refused(1, ["the end"], "scan", "x.npy", "--exclusive", "--total", *run)
            if limits.min:
                self.put("x.npy", np.array([limits.min, -1], kind))
                self.assert_refused(1, ["element 1"], "scan", "x.npy", *run)

    def test_elements_and_inits(self):
        self.assert_refused(1, ["element 1 does not fit uint8"], "scan", "-", "--checked",
                            "--out-dtype", "u1", "--op", "max", stdin="255 256")
        self.assert_refused(1, ["element 0 does not fit uint64"], "scan", "-", "--checked",
                            "--out-dtype", "u8", stdin="-1")
        self.assert_refused(1, ["element 0: the sum"], "scan", "-", "--checked", "--init",
                            "9223372036854775807", stdin="1")
        self.assertEqual(self.scan_text("-1", "--checked", "--init", "9223372036854775807"),
                         ["9223372036854775806"])

    def test_axes_reverse_and_reduce(self):
        x = np.full((3, 4), 50, np.int8)
        x[1, 2] = 100
        self.put("x.npy", x)
        run = ["x.npy", "--checked", "--out-dtype", "i1"]
        self.assert_refused(1, ["element (0, 2)"], "scan", *run, "--axis", "1")
        self.assert_refused(1, ["element (2, 0)"], "scan", *run, "--axis", "0")
        self.assert_refused(1, ["element (0, 1)"], "scan", *run, "--axis", "1", "--reverse")
        self.assert_refused(1, ["element 2"], "scan", *run)
        self.assert_refused(1, ["element 2"], "reduce", *run)

    def test_streams_count_from_the_start(self):
        x = np.ones((1 << 20) + 9, np.int64)
        x[(1 << 20) + 4] = 2**63 - 1
        for name, stdin in ("x.npy", b""), ("-", tool.npy_bytes(x)):
            self.put("x.npy", x)
            self.assert_refused(1, [f"element {(1 << 20) + 4}"], "reduce", name, "--format", "npy",
                                "--checked", stdin=stdin)

    def test_floats_do_not_wrap(self):
        self.assertEqual(self.scan_text("1e308 1e308", "--checked"), ["1e+308", "inf"])


class Stats(tool.ToolTest):
    def test_json_on_standard_error(self):
        self.put("x.npy", np.ones(1000, np.float32))
        done = self.run_tool("scan", "x.npy", "-o", "y.npy", "--stats", "json", "--threads", "1")
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (0, 1))
        stats = json.loads(done.stderr)
        want = {"input": "x.npy", "output": "y.npy", "input_format": "npy", "op": "sum",
                "mode": "inclusive", "dtype": "float32", "out_dtype": "float32", "elements": 1000,
                "results": 1000, "bytes_in": 4128, "bytes_out": 4128, "streamed": False,
                "device": "cpu", "threads": 1}
        self.assertEqual({key: stats[key] for key in want}, want)
        self.assertGreater(stats["seconds"], 0)
        self.assertGreater(stats["peak_memory_bytes"], 1 << 20)

    def test_peak_memory_is_not_that_of_the_program_that_starts_it(self):
        held = b"\1" * (400 << 20)
        self.run_tool("reduce", "-", "--stats", "json:s.json", stdin="1 2")
        self.assertLess(json.loads(self.get("s.json"))["peak_memory_bytes"], len(held) // 4)

    def test_json_in_a_file(self):
        done = self.run_tool("reduce", "-", "--stats", "json:s.json", stdin="1 2")
        self.assertEqual((done.stdout, done.stderr), (b"3\n", b""))
        stats = json.loads(self.get("s.json"))
        self.assertEqual((stats["mode"], stats["streamed"], stats["bytes_in"], stats["bytes_out"]),
                         ("reduce", True, 3, 2))

    def test_a_file_that_cannot_be_written_is_found_before_the_output_is_replaced(self):
        self.put("x.txt", "1 2 3")
        self.put("x.npy", np.ones(5))
        for name in "x.txt", "x.npy":
            for more in [], ["--verify"]:
                self.assert_refused(1, ["none/s.json", "cannot create"], "scan", name, "-o", name,
                                    "--stats", "json:none/s.json", *more)
                self.assert_refused(1, ["x.txt/s.json"], "scan", name, "-o", name, "--stats",
                                    "json:x.txt/s.json", *more)
            self.assert_refused(2, [name, "--stats would replace the numbers"], "scan", name, "-o", name,
                                "--stats", f"json:./{name}")
        self.assert_refused(2, ["--stats would replace the numbers"], "scan", "x.txt", "-o", "new.txt",
                            "--stats", "json:new.txt")
        os.link(self.path("x.npy"), self.path("same"))
        for name in "x.npy", "./x.npy", "same":
            self.assert_refused(2, ["--stats would replace the numbers"], "scan", "x.npy", "-o",
                                "y.npy", "--stats", f"json:{name}")
        self.put("s.json", "old")
        self.assert_refused(1, ["no.npy"], "scan", "no.npy", "--stats", "json:s.json")

    def test_a_named_pipe_is_opened_once(self):
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE) as reader:
            self.assertEqual(self.scan("-", "--stats", "json:pipe", stdin="1"), b"1\n")
            self.assertEqual(json.loads(reader.communicate(timeout=30)[0])["elements"], 1)

    def test_bytes_are_those_of_the_files(self):
        x = np.arange(1000, dtype=np.int32)
        self.put("x.npy", x)
        self.put("f.npy", np.asfortranarray(x.reshape(20, 50)))
        self.put("x.txt", " ".join(map(str, x)))
        self.put("x.bin", x.tobytes())
        for name, more in [("x.npy", []), ("f.npy", []), ("x.txt", []),
                           ("x.bin", ["--dtype", "i4"]), ("x.bin", ["--dtype", "i4", "--offset", 8])]:
            read = ["--format", {"npy": "npy", "txt": "text", "bin": "raw"}[name[-3:]], *more]
            for how in [], ["--reverse"], ["--verify", "--quiet"]:
                for source, stdin in (name, b""), ("-", self.get(name)):
                    for out in "y.npy", "y.txt", "y.bin":
                        run = [source, *read, *how, "-o", out, "--stats", "json:s.json"]
                        self.assertEqual(self.run_tool("scan", *run, stdin=stdin).returncode, 0)
                        stats = json.loads(self.get("s.json"))
                        got = stats["bytes_in"], stats["bytes_out"]
                        self.assertEqual(got, (len(self.get(name)), len(self.get(out))), run)

    def test_other_words(self):
        for word in "xml", "json:", "JSON":
            self.assert_refused(2, ["--stats", word], "scan", "-", "--stats", word, stdin="1")

    def test_quiet_silences_success_only(self):
        self.put("x.npy", np.ones(5))
        done = self.run_tool("scan", "x.npy", "--verify", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.put("x.npy", np.float32([1e8, 1, -1e8]))
        done = self.run_tool("scan", "x.npy", "-o", "y.npy", "--verify", "--quiet")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"FAIL", done.stderr)


if __name__ == "__main__":
    tool.main()
