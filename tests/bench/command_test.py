#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: command_test.py UPSWEEP    Runs `upsweep bench` and reads what it writes."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = None
COPIES = ["memcpy-1", "memcpy-all", "stream-copy-1", "stream-copy-all"]
ON_GPU = ["memcpy", "copy-kernel", "cub", "upsweep-cuda"]
ENGINES = [*COPIES, "std", "std-par", "tbb", "upsweep-seq", "upsweep-par"]
FIELDS = ["engine", "device", "op", "type", "kind", "n", "bytes", "median_s", "samples_s",
          "gb_per_s"]
SIZE = {"i8": 1, "i32": 4, "i64": 8, "u8": 1, "u32": 4, "u64": 8, "f16": 2, "bf16": 2, "f32": 4,
        "f64": 8, "affine": 8}


def bench(*arguments):
    return subprocess.run([TOOL, "bench", *arguments], capture_output=True, text=True, timeout=300)


class Bench(unittest.TestCase):
    def results(self, *arguments):
        """The parsed JSON of a run that must succeed."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            done = bench(*arguments, "--json", str(path))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["results.json"])
            self.table = done.stdout
            return json.loads(path.read_text())

    def check_numbers(self, r):
        self.assertEqual(r["bytes"], 2 * r["n"] * SIZE[r["type"]])
        self.assertTrue(all(s > 0 for s in r["samples_s"]))
        self.assertAlmostEqual(r["median_s"] / statistics.median(r["samples_s"]), 1, places=12)
        self.assertAlmostEqual(r["gb_per_s"] * r["median_s"] / r["bytes"], 1e-9, places=18)

    def test_json(self):
        data = self.results("--sizes", "2^10..2^12", "--min-time", "0.002")
        self.assertEqual(list(data), ["machine", "results"])
        self.assertLessEqual({"cpu", "cores", "threads", "caches", "simd", "compiler", "version",
                              "date"}, set(data["machine"]))
        self.assertEqual(set(data["machine"]["caches"]), {"l1d", "l2", "l3"})
        self.assertRegex(data["machine"]["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual([(r["n"], r["engine"]) for r in data["results"]],
                         [(n, e) for n in (1024, 2048, 4096) for e in ENGINES])
        for r in data["results"]:
            self.assertEqual(list(r), FIELDS)
            self.assertEqual([r[k] for k in ("device", "op", "type", "kind")],
                             ["cpu", "sum", "f32", "inclusive"])
            self.check_numbers(r)

    def test_all_engines_have_as_many_samples(self):
        for arguments, least in ((("--min-time", "0.002"), 7), (("--repeat", "3"), 3)):
            data = self.results("--sizes", "2^10,100", *arguments)
            for n in (1024, 100):
                counts = {len(r["samples_s"]) for r in data["results"] if r["n"] == n}
                self.assertEqual(len(counts), 1)
                self.assertGreaterEqual(min(counts), least)
                if "--repeat" in arguments:
                    self.assertEqual(counts, {3})

    def test_every_type_operator_and_kind(self):
        data = self.results("--type", "all", "--op", "all", "--kind", "all", "--sizes", "100",
                            "--repeat", "1")
        seen = {}
        for r in data["results"]:
            self.check_numbers(r)
            seen.setdefault((r["type"], r["op"], r["kind"]), []).append(r["engine"])
        self.assertEqual(len(seen), ((len(SIZE) - 1) * 4 + 1) * 2)
        for (type_, op, _), names in seen.items():
            wanted = list(ENGINES)
            self.assertEqual(type_ == "affine", op == "compose")
            if type_ in ("f16", "bf16", "affine"):
                wanted = [*COPIES, *ENGINES[-2:]]
            elif type_ in ("f32", "f64") and op != "sum":
                wanted.remove("std-par")  # libstdc++ gives wrong results
            self.assertEqual(names, wanted, (type_, op))

    def test_two_dimensions(self):
        for axis in ("0", "1"):
            data = self.results("--shape", "30x2^5", "--axis", axis, "--repeat", "2")
            self.assertEqual([r["engine"] for r in data["results"]],
                             [*COPIES, "std", *ENGINES[-2:]])
            for r in data["results"]:
                self.assertEqual(list(r), [*FIELDS, "shape", "axis"])
                self.assertEqual((r["shape"], r["axis"], r["n"]), ([30, 32], int(axis), 960))
                self.check_numbers(r)
            self.assertIn("30x32", self.table)

    def test_table(self):
        data = self.results("--sizes", "2^10,1000", "--engines", "std,upsweep-seq,memcpy-1",
                            "--repeat", "3")
        rates = {(r["n"], r["engine"]): r["gb_per_s"] for r in data["results"]}
        self.assertEqual(len(rates), 6)
        lines = self.table.splitlines()
        self.assertIn("inclusive sum of f32 on cpu", lines[0])
        for line, label, n in ((lines[-2], "2^10", 1024), (lines[-1], "1000", 1000)):
            copy, std, ours = (rates[n, e] for e in ("memcpy-1", "std", "upsweep-seq"))
            cells = line.split()
            self.assertEqual(cells[:4], [label, f"{copy:.2f}", f"{std:.2f}", f"{ours:.2f}"])
            self.assertEqual(cells[5:7], [f"{100 * ours / copy:.0f}%", f"{ours / std:.2f}x"])

    def test_json_on_standard_output(self):
        done = bench("--sizes", "16", "--repeat", "1", "--threads", "1", "--json", "-")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(json.loads(done.stdout)["machine"]["threads"], 1)
        self.assertIn("inclusive sum", done.stderr)

    def test_a_machine_without_a_gpu_is_told_so(self):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TOOL, "bench", "--device", "cuda", "--sizes", "8", "--json",
                                   str(Path(folder) / "results.json")], env=environment,
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^upsweep: --device cuda: .*: .*--device cpu\n$")
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_gpu(self):
        info = subprocess.run([TOOL, "info"], capture_output=True, text=True, timeout=300)
        if "cuda:0" not in info.stdout:
            self.skipTest("no GPU on this machine")
        for latency in "back-to-back", "single", "graph":
            data = self.results("--device", "cuda", "--type", "all", "--op", "all", "--kind", "all",
                                "--sizes", "1,1000,2^16", "--repeat", "3", "--latency", latency)
            self.assertLessEqual({"name", "memory", "driver", "runtime", "cub"},
                                 set(data["machine"]["gpu"]))
            cases = {(r["type"], r["op"], r["kind"]) for r in data["results"]}
            self.assertEqual(len(cases), (8 + 1 + 1) * 2)
            self.assertEqual([r["engine"] for r in data["results"]],
                             ON_GPU * (3 * len(cases)))
            for r in data["results"]:
                self.assertEqual(list(r), [*FIELDS, "latency", "cold"])
                self.assertEqual((r["device"], r["latency"], r["cold"]), ("cuda", latency, False))
                self.check_numbers(r)
        data = self.results("--device", "cuda:0", "--cold", "--sizes", "2^12", "--repeat", "3")
        self.assertEqual({(r["device"], r["cold"]) for r in data["results"]}, {("cuda:0", True)})
        data = self.results("--device", "cuda", "--shape", "30x2^5", "--axis", "0", "--repeat", "3")
        self.assertLessEqual({"memcpy", "copy-kernel"}, {r["engine"] for r in data["results"]})

    def test_bad_input_is_refused_by_name(self):
        for arguments, named in (
                (("--sizes", "abc"), "abc"), (("--sizes", "0"), "at least 1"),
                (("--sizes", "2^12..2^10"), "backwards"), (("--sizes", "10,,20"), "not a size"),
                (("--sizes", "2^70"), "2^70"), (("--sizes", "2^60"), "MiB"),
                (("--type", "f128"), "f128"), (("--op", "average"), "average"),
                (("--engines", "cub"), "cub"), (("--kind", "both"), "both"),
                (("--shape", "12"), "4096x65536"), (("--shape", "0x5"), "at least 1"),
                (("--shape", "3x5", "--axis", "2"), "axis"), (("--min-time", "-1"), "min-time"),
                (("--repeat", "-1"), "repeat"), (("--repeat", "0"), "repeat"),
                (("--threads", "1000000"), "threads"),
                (("--shape", "30x30", "--sizes", "5"), "sizes"),
                (("--type", "f16", "--engines", "std", "--sizes", "8"), "f16"),
                (("--type", "affine"), "not measured"), (("--op", "compose"), "not measured"),
                (("--device", "gpu"), "cuda:1"), (("--device", "cuda:"), "cuda:"),
                (("--device", "cuda:x"), "cuda:x"), (("--device", "auto"), "cuda"),
                (("--latency", "graph"), "--device cuda"), (("--cold",), "--device cuda"),
                (("--device", "cuda", "--latency", "slow"), "back-to-back"),
                (("--device", "cuda", "--latency", "graph", "--cold"), "--cold"),
                (("--device", "cuda", "--engines", "std"), "std"),
                (("--device", "cuda", "--type", "u64"), "not measured"),
                (("--device", "cuda", "--shape", "3x5", "--op", "max"), "not measured"),
                (("--device", "cuda", "--sizes", "2^60"), "MiB")):
            with self.subTest(arguments), tempfile.TemporaryDirectory() as folder:
                done = bench(*arguments, "--json", str(Path(folder) / "results.json"))
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(named, done.stderr)
                self.assertEqual(list(Path(folder).iterdir()), [])

    def test_a_file_that_cannot_be_written_is_refused_before_measuring(self):
        done = bench("--json", "/nowhere/at/all.json")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/nowhere/at/all.json", done.stderr)


    def test_a_table_that_nobody_can_read_is_a_failure(self):
        for where in ">/dev/full", ">&-":
            for more in "", "--json results.json":
                with self.subTest(where + more), tempfile.TemporaryDirectory() as folder:
                    done = subprocess.run(
                        ["sh", "-c", f'"$0" bench --sizes 16 --repeat 1 {more} {where}', TOOL],
                        cwd=folder, capture_output=True, text=True, timeout=300)
                    self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
                    self.assertIn("standard output: cannot write", done.stderr)
                    self.assertEqual(list(Path(folder).iterdir()), [])

    def test_no_message_lands_in_the_json(self):
        with tempfile.TemporaryDirectory() as folder:
            command = '"$0" bench --sizes 16 --repeat 1 --json r.json <&- 2>&-'
            done = subprocess.run(["sh", "-c", command, TOOL], cwd=folder, capture_output=True,
                                  timeout=300)
            self.assertEqual(done.returncode, 0)
            json.loads((Path(folder) / "r.json").read_text())


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
