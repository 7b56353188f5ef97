#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: page_test.py scripts/performance.py    The page of results is what the results give."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = None
BEGIN, END = "<!-- generated:begin -->", "<!-- generated:end -->"
MACHINE = {"program": "upsweep bench", "version": "0.1.0", "date": "2026-11-29T12:00:00Z",
           "cpu": "Test CPU", "cores": 2, "threads": 2,
           "caches": {"l1d": 32768, "l2": 1 << 20, "l3": 32 << 20}, "simd": "avx2",
           "compiler": "g++ 12.2.0"}


def result(engine, rate, n=1 << 28, **more):
    size = 8 * n
    return {"engine": engine, "device": "cpu", "op": "sum", "type": "f32", "kind": "inclusive",
            "n": n, "bytes": size, "median_s": size / rate / 1e9,
            "samples_s": [size / rate / 1e9] * 3, "gb_per_s": rate, **more}


RESULTS = [result("memcpy-1", 20.0), result("memcpy-all", 30.0), result("stream-copy-all", 40.0),
           result("std", 9.0), result("std-par", 10.0), result("upsweep-seq", 22.0),
           result("upsweep-par", 38.0)]


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.doc = Path(self.folder.name) / "page.md"
        self.doc.write_text(f"# Title\n\n{BEGIN}\n{END}\n\nWritten by hand.\n")
        self.json = self.write("cpu.json", RESULTS)

    def write(self, name, results, machine=MACHINE):
        path = Path(self.folder.name) / name
        path.write_text(json.dumps({"machine": machine, "results": results}))
        return path

    def run_script(self, *arguments, status=0):
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--doc", str(self.doc),
                               *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def generated(self, *paths):
        self.run_script(*(paths or [self.json]))
        return self.doc.read_text()

    def test_fresh_page_passes_the_check(self):
        before = self.doc.read_text()
        self.run_script("--check", self.json, status=1)
        self.assertEqual(self.doc.read_text(), before)
        page = self.generated()
        self.assertTrue(page.startswith("# Title\n\n") and page.endswith("\n\nWritten by hand.\n"))
        self.run_script("--check", self.json)

    def test_drift_of_the_page_is_found(self):
        page = self.generated()
        self.assertIn("38.00", page)
        self.doc.write_text(page.replace("38.00", "39.00"))
        self.assertIn("drifted", self.run_script("--check", self.json, status=1))

    def test_drift_of_the_results_is_found(self):
        self.generated()
        self.write("cpu.json", RESULTS[:-1] + [result("upsweep-par", 38.5)])
        self.assertIn("38.50", self.run_script("--check", self.json, status=1))

    def test_hand_written_text_is_no_drift(self):
        self.doc.write_text(self.generated().replace("Written by hand", "Written again"))
        self.run_script("--check", self.json)

    def test_shares_and_ratios(self):
        row = next(l for l in self.generated().splitlines() if l.startswith("| 2^28 "))
        cells = [c.strip() for c in row.strip("|").split("|")]
        self.assertEqual(cells, ["2^28", "20.00", "30.00", "40.00", "9.00", "10.00", "22.00",
                                 "38.00", "0 %", "55 %", "2.20 ×", "95 %", "3.80 ×"])

    def test_targets_say_whether_they_are_reached(self):
        page = self.generated()
        self.assertIn("share of the fastest all-threads copy | ≥ 90 % | 95 % | yes |", page)
        self.assertIn("against std-par | ≥ 2.50 × | 3.80 × | yes |", page)
        slow = [r for r in RESULTS if r["engine"] != "upsweep-par"] + [result("upsweep-par", 24.0)]
        page = self.generated(self.write("cpu.json", slow))
        self.assertIn("share of the fastest all-threads copy | ≥ 90 % | 60 % | no |", page)
        self.assertIn("against std-par | ≥ 2.50 × | 2.40 × | no |", page)

    def test_small_sizes_are_compared_with_std(self):
        ns = lambda t, n: 8 * n / t  # the rate of n elements in t nanoseconds
        small = [result("std", ns(10, 4), 4), result("upsweep-seq", ns(29, 4), 4)]
        self.assertIn("| 0 of 1 | yes |", self.generated(self.write("cpu.json", small)))
        small = [result("std", ns(10, 4), 4), result("upsweep-seq", ns(31, 4), 4)]
        self.assertIn("| 1 of 1 | no |", self.generated(self.write("cpu.json", small)))

    def test_two_dimensions_and_several_files(self):
        flat = [dict(r, shape=[4096, 65536], axis=0) for r in RESULTS]
        page = self.generated(self.json, self.write("a.json", flat))
        self.assertLess(page.index("### a.json"), page.index("### cpu.json"))
        self.assertIn("| 4096×65536, axis 0 |", page)

    def test_a_gpu_has_times_and_ratios(self):
        gpu = {"index": 0, "name": "Test GPU", "memory": 128 << 30, "multiprocessors": 100,
               "l2": 50 << 20, "driver": "13.0", "runtime": "13.0", "cub": "3.0.1"}
        rates = {"memcpy": 4000.0, "copy-kernel": 3200.0, "cub": 2400.0, "upsweep-cuda": 3600.0}
        results = [result(e, rate, **{"device": "cuda", "latency": how, "cold": cold})
                   for how, cold in (("back-to-back", False), ("graph", False),
                                     ("back-to-back", True))
                   for e, rate in rates.items()]
        page = self.generated(self.write("gpu.json", results, {**MACHINE, "gpu": gpu}))
        self.assertIn("Test GPU, 131072 MiB, 100 multiprocessors, L2 50 MiB; driver 13.0", page)
        row = next(l for l in page.splitlines() if l.startswith("| 2^28 "))
        self.assertEqual([c.strip() for c in row.strip("|").split("|")],
                         ["2^28", "536.87", "671.09", "894.78", "596.52", "0 %", "90 %", "112 %",
                          "1.50 ×", "3600"])
        for title in ("back-to-back", "graph", "back-to-back, cold"):
            self.assertIn(f"#### Inclusive sum of f32, cuda, {title}\n", page)
        lacking = {k: v for k, v in gpu.items() if k != "cub"}
        path = self.write("gpu.json", results, {**MACHINE, "gpu": lacking})
        self.assertIn("cub", self.run_script(path, status=2))

    def test_errors_where_they_were_measured(self):
        self.assertNotIn("largest error", self.generated())
        some = [dict(r, error=1.5e-7) if "upsweep" in r["engine"] else r for r in RESULTS]
        rows = self.generated(self.write("cpu.json", some)).splitlines()
        at = next(k for k, l in enumerate(rows) if "largest error" in l)
        self.assertEqual(rows[at], "| largest error, n | upsweep-seq | upsweep-par |")
        self.assertEqual(rows[at + 2], "| 2^28 | 1.5e-07 | 1.5e-07 |")
        some[-1] = dict(some[-1], error=2.5e-7)
        self.write("cpu.json", some)
        self.assertIn("2.5e-07", self.run_script("--check", self.json, status=1))

    def test_a_named_section_holds_that_file_only(self):
        self.doc.write_text(f"<!-- generated:begin b.json -->\n{END}\n")
        self.write("b.json", [result("std", 5.0)])
        page = self.generated(self.json, Path(self.folder.name) / "b.json")
        self.assertIn("### b.json", page)
        self.assertNotIn("### cpu.json", page)
        self.assertIn("b.json", self.run_script(self.json, status=2))

    def test_bad_input_names_the_file(self):
        path = Path(self.folder.name) / "other.json"
        lacking = {k: v for k, v in RESULTS[0].items() if k != "gb_per_s"}
        for text in ("{", "[]", '{"results": []}', json.dumps({"machine": {}, "results": []}),
                     json.dumps({"machine": MACHINE, "results": [lacking]})):
            path.write_text(text)
            self.assertIn("other.json", self.run_script(path, status=2))
        self.run_script(Path(self.folder.name) / "missing.json", status=2)

    def test_a_page_without_whole_sections_is_refused(self):
        for text in ("nothing\n", f"{BEGIN}\n", f"{END}\n", f"{BEGIN}\n{END}\n{BEGIN}\n"):
            self.doc.write_text(text)
            self.run_script(self.json, status=2)
            self.assertEqual(self.doc.read_text(), text)


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main()
