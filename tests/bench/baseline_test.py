#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: baseline_test.py UPSWEEP    `upsweep bench --baseline`, on samples that are planted."""

import json
import statistics
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = None
MACHINE = {"program": "upsweep bench", "version": "0.1.0", "date": "2026-11-30T12:00:00Z",
           "cpu": "Test CPU", "cores": 2, "threads": 2,
           "caches": {"l1d": 32768, "l2": 1 << 20, "l3": 32 << 20}, "simd": "avx2",
           "compiler": "g++ 12.2.0"}


def result(engine, samples, n=1024, **more):
    median = statistics.median(samples)
    return {"engine": engine, "device": "cpu", "op": "sum", "type": "f32", "kind": "inclusive",
            "n": n, "bytes": 8 * n, "median_s": median, "samples_s": samples,
            "gb_per_s": 8 * n / median * 1e-9, **more}


OLD = [10.0, 11.0, 12.0]
# Samples of the new run, and what they are beside 10, 11, 12.
CASES = {"overlap": [11.9, 13.0, 14.0], "slower": [12.1, 13.0, 14.0], "faster": [9.9, 9.0, 8.0]}


class Baseline(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, results, **machine):
        path = Path(self.folder.name) / name
        path.write_text(json.dumps({"machine": {**MACHINE, **machine}, "results": results}))
        return str(path)

    def compare(self, old, new, *more, status=0):
        done = subprocess.run([TOOL, "bench", "--baseline", old, new, *more], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def as_json(self, old, new, status=0):
        return json.loads(self.compare(old, new, "--json", "-", status=status).stdout)

    def test_each_verdict(self):
        old = self.write("old.json", [result("upsweep-seq", OLD)])
        for verdict, samples in CASES.items():
            new = self.write("new.json", [result("upsweep-seq", samples)])
            status = 3 if verdict == "slower" else 0
            data = self.as_json(old, new, status)
            pair, = data["pairs"]
            self.assertEqual(pair["verdict"], verdict)
            self.assertAlmostEqual(pair["ratio"], statistics.median(samples) / 11)
            self.assertEqual((pair["old"]["best_s"], pair["old"]["worst_s"]), (10, 12))
            self.assertEqual((data["slower"], data["faster"]),
                             (verdict == "slower", verdict == "faster"))
            done = self.compare(old, new, status=status)
            words = [line.split()[-1] for line in done.stdout.splitlines() if "seq" in line]
            self.assertEqual(words, [verdict] if verdict != "overlap" else
                             [f"{statistics.median(samples) / 11:.3f}"])
            self.assertEqual("slower than in" in done.stderr, verdict == "slower")

    def test_only_our_own_engines_fail(self):
        """A slower copy or rival is listed; it tells of the machine."""
        engines = ["std", "memcpy-1", "cub", "upsweep-seq"]
        old = self.write("old.json", [result(e, OLD) for e in engines])
        for slow in range(16):
            names = [e for k, e in enumerate(engines) if slow >> k & 1]
            new = self.write("new.json", [result(e, CASES["slower" if e in names else "overlap"])
                                          for e in engines])
            own = "upsweep-seq" in names
            data = self.as_json(old, new, 3 if own else 0)
            self.assertEqual([p["engine"] for p in data["pairs"] if p["verdict"] == "slower"], names)
            self.assertEqual((data["slower"], data["own_slower"]), (len(names), own))

    def test_one_sample_is_not_judged(self):
        many, one = [result("upsweep-seq", OLD)], [result("upsweep-seq", [99.0])]
        for old, new in ((many, one), (one, many), (one, [result("upsweep-seq", [1.0])])):
            old, new = self.write("old.json", old), self.write("new.json", new)
            data = self.as_json(old, new)
            self.assertEqual((data["pairs"][0]["verdict"], data["one_sample"], data["slower"],
                              data["faster"]), ("one sample", 1, 0, 0))
            self.assertIn("1 with one sample in a file", self.compare(old, new).stdout)

    def test_much_that_one_file_alone_has_is_a_count(self):
        few = [result("std", OLD, n=n) for n in range(1, 7)]
        old, new = self.write("old.json", few), self.write("new.json", few[:1])
        self.assertEqual(self.compare(old, new).stdout.count("only in the old file"), 5)
        old = self.write("old.json", few + [result("tbb", OLD)])
        done = self.compare(old, new)
        self.assertEqual(done.stdout.count("only in"), 1)
        self.assertIn("only in the old file: 6 results, such as", done.stdout)
        self.assertEqual(len(self.as_json(old, new)["only_old"]), 6)

    def test_samples_that_touch_are_no_difference(self):
        old = self.write("old.json", [result("std", OLD)])
        for samples in ([12.0, 13.0], [10.0, 9.0]):
            data = self.as_json(old, self.write("new.json", [result("std", samples)]))
            self.assertEqual(data["pairs"][0]["verdict"], "overlap")

    def test_one_slow_sample_hides_nothing_and_proves_nothing(self):
        old = self.write("old.json", [result("std", [10.0, 10.1, 99.0])])
        new = self.write("new.json", [result("std", [20.0, 20.1, 20.2])])
        self.assertEqual(self.as_json(old, new)["pairs"][0]["verdict"], "overlap")

    def test_workloads_are_matched(self):
        old = self.write("old.json", [result("std", OLD), result("std", OLD, n=8),
                                      result("upsweep-seq", OLD, shape=[32, 32], axis=0)])
        new = self.write("new.json", [result("upsweep-seq", CASES["slower"], shape=[32, 32], axis=0),
                                      result("std", OLD), result("tbb", OLD)])
        data = self.as_json(old, new, 3)
        self.assertEqual([(p.get("axis"), p["verdict"]) for p in data["pairs"]],
                         [(0, "slower"), (None, "overlap")])
        self.assertEqual([len(data["only_old"]), len(data["only_new"])], [1, 1])
        self.assertIn(", 2^3, std", data["only_old"][0])
        done = self.compare(old, new, status=3)
        self.assertIn("only in the old file: inclusive sum of f32 on cpu, 2^3, std", done.stdout)
        self.assertIn("1 of 2 are slower", done.stderr)

    def test_other_machines_are_warned_about(self):
        old = self.write("old.json", [result("std", OLD)])
        self.assertNotIn("warning", self.compare(old, old).stderr)
        gpu = {"name": "Test GPU", "memory": 1, "multiprocessors": 1, "l2": 1, "driver": "13.0",
               "runtime": "13.0", "cub": "3.0.1"}
        for key, value in (("cpu", "Other CPU"), ("threads", 1), ("gpu", gpu), ("simd", "avx512")):
            new = self.write("new.json", [result("std", OLD)], **{key: value})
            stderr = self.compare(old, new).stderr
            self.assertIn("warning: the machines differ", stderr)
            self.assertIn(key, stderr)
            self.assertIn(key, self.as_json(old, new)["machines_differ"])

    def test_other_versions_are_warned_about(self):
        gpu = {"name": "Test GPU", "memory": 1, "multiprocessors": 1, "l2": 1, "driver": "13.0",
               "runtime": "13.0", "cub": "3.0.1"}
        old = self.write("old.json", [result("std", OLD)], gpu=gpu)
        for key, machine in (("compiler", {"compiler": "g++ 13"}), ("upsweep", {"version": "0.0.9"}),
                             ("cub", {"gpu": {**gpu, "cub": "9"}}),
                             ("runtime", {"gpu": {**gpu, "runtime": "9"}}),
                             ("driver", {"gpu": {**gpu, "driver": "9"}})):
            new = self.write("new.json", [result("std", OLD)], **{"gpu": gpu, **machine})
            stderr = self.compare(old, new).stderr
            self.assertEqual(stderr.count("warning"), 1)
            self.assertIn(f"warning: the versions differ: {key}: ", stderr)
            self.assertIn(key, self.as_json(old, new)["versions_differ"])

    def refused(self, text, *words, good_first=True):
        """A file with this text is refused, first or second, by one line with the words."""
        good = self.write("good.json", [result("std", OLD)])
        bad = Path(self.folder.name) / "bad.json"
        bad.write_text(text)
        for files in ([good, str(bad)], [str(bad), good]):
            done = self.compare(*files, "--json", str(Path(self.folder.name) / "out.json"), status=1)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            for word in ("bad.json", *words):
                self.assertIn(word, done.stderr)
            self.assertFalse((Path(self.folder.name) / "out.json").exists())

    def test_bad_files(self):
        whole = {"machine": MACHINE, "results": [result("std", OLD)]}
        text = json.dumps(whole)
        self.refused("", "empty")
        self.refused(text[:len(text) // 2], "JSON")
        self.refused("[]", "no object")
        self.refused('{"program": "upsweep lab run"}', "upsweep lab run")
        self.refused('{"kernel": 1}', "program")
        self.refused(json.dumps({**whole, "results": []}), "results", "empty")
        self.refused(json.dumps({**whole, "results": whole["results"] * 2}), "results[1]", "twice")
        for field in whole["results"][0]:
            lacking = {k: v for k, v in whole["results"][0].items() if k != field}
            self.refused(json.dumps({**whole, "results": [lacking]}), f"results[0].{field}", "missing")
        for field in MACHINE:
            lacking = {k: v for k, v in MACHINE.items() if k != field}
            self.refused(json.dumps({**whole, "machine": lacking}), field)
        for field, value in (("n", -1), ("n", 0), ("n", 1.5), ("median_s", 0), ("median_s", "x"),
                             ("samples_s", []), ("samples_s", [1, -1]), ("samples_s", 3),
                             ("median_s", 99.0), ("engine", 3), ("shape", [1])):
            wrong = {**whole["results"][0], field: value}
            self.refused(json.dumps({**whole, "results": [wrong]}), f"results[0].{field}")

    def test_later_versions_are_refused_and_earlier_ones_read(self):
        whole = lambda v: {"machine": {**MACHINE, "version": v}, "results": [result("std", OLD)]}
        for version in ("99.0.0", "1", "x"):
            self.refused(json.dumps(whole(version)), "machine.version")
        old = self.write("old.json", [result("std", OLD)], version="0.0.9")
        self.compare(old, self.write("new.json", [result("std", OLD)]))

    def test_usage(self):
        good = self.write("good.json", [result("std", OLD)])
        for more in (["--sizes", "8"], ["--device", "cuda"], ["--accuracy"], ["--repeat", "3"]):
            self.assertEqual(self.compare(good, good, *more, status=2).stdout, "")
        done = subprocess.run([TOOL, "bench", "--baseline", good], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        other = self.write("other.json", [result("tbb", OLD)])
        self.assertIn("in common", self.compare(good, other, status=1).stderr)
        missing = str(Path(self.folder.name) / "missing.json")
        self.assertIn("missing.json", self.compare(good, missing, status=1).stderr)

    def test_names_cannot_write_to_the_terminal(self):
        bad = self.write("bad.json", [result("\x1b[31mstd\n", OLD)])
        self.assertNotIn("\x1b", self.compare(bad, bad).stdout)


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def bench_input(index):
    """The bench's float at an index, as cli/bench_workload.hpp and bench_check.hpp define it."""
    mask = 2**64 - 1
    z = (index + 1) * 0x9e3779b97f4a7c15 & mask
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & mask
    z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
    return float32(((z ^ z >> 31) >> 11) * 2.0**-52 - 1.0)


def error_of_a_left_fold(n):
    """The error that --accuracy has to tell of floats that are added one after the other."""
    fold = exact = worst = largest = 0.0
    for x in map(bench_input, range(n)):
        fold, exact = float32(fold + x), exact + x
        worst, largest = max(worst, abs(fold - exact)), max(largest, abs(exact))
    return worst / largest


class Accuracy(unittest.TestCase):
    def bench(self, *arguments, status=0):
        done = subprocess.run([TOOL, "bench", "--repeat", "1", *arguments], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout) if status == 0 else done.stderr

    def test_errors_of_float_sums(self):
        data = self.bench("--accuracy", "--sizes", "2^18", "--type", "f32,f64,f16,i32", "--op",
                          "sum,max", "--json", "-")
        errors = {(r["type"], r["op"], r["engine"]): r.get("error") for r in data["results"]}
        for (type_, op, engine), error in errors.items():
            wanted = type_ != "i32" and op == "sum" and "copy" not in engine and "memcpy" not in engine
            self.assertEqual(error is not None, wanted, (type_, op, engine))
        canonical, serial = errors["f32", "sum", "upsweep-par"], errors["f32", "sum", "std"]
        self.assertEqual(canonical, errors["f32", "sum", "upsweep-seq"])
        # One rounding is 2^-24; a left fold of 2^18 terms is worse than log n of them.
        self.assertTrue(2**-26 < canonical < 18 * 2**-24, canonical)
        self.assertGreater(serial, 4 * canonical)
        self.assertLess(errors["f64", "sum", "upsweep-par"], 18 * 2**-53)
        self.assertTrue(2**-13 < errors["f16", "sum", "upsweep-par"] <= 2**-11)

    def test_the_error_is_the_largest_of_all_prefixes(self):
        data = self.bench("--accuracy", "--sizes", "1,1000", "--engines", "std", "--json", "-")
        errors = {r["n"]: r["error"] for r in data["results"]}
        self.assertEqual(errors[1], 0)
        self.assertAlmostEqual(errors[1000] / error_of_a_left_fold(1000), 1)

    def test_errors_of_arrays(self):
        for axis, length in (("0", 64), ("1", 4096)):
            data = self.bench("--accuracy", "--shape", "64x4096", "--axis", axis, "--json", "-")
            errors = [r["error"] for r in data["results"] if "error" in r]
            self.assertEqual(len(errors), 3)
            self.assertTrue(all(2**-26 < e < length * 2**-24 for e in errors), errors)

    def test_usage(self):
        self.assertIn("--json", self.bench("--accuracy", "--sizes", "8", status=2))
        for words in (["--type", "i32"], ["--op", "max"]):
            self.assertIn("--accuracy", self.bench("--accuracy", "--sizes", "8", *words, "--json",
                                                   "-", status=2))


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
