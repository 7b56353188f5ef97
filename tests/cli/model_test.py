# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep lab model from outside: the lecture's figures, devices of a user, refusals, JSON."""

import json
import os
import re
import tempfile
import unittest

import tool

# What the lecture states, by its own rounding; False: does not follow from its premises.
LECTURE = {
    "additions a second": (9.75, 0.005, True), "ridge": (6.27, 0.005, True),
    "bytes an element": (8, 0.5, True),
    "intensity, hillis-steele tile": (1.125, 0.0005, True),
    "intensity, add offsets": (0.125, 0.0005, True), "intensity, blelloch": (0.25, 0.005, True),
    "blocks a multiprocessor": (2, 0, True), "occupancy": (100, 0, True),
    "blocks at once": (216, 0, True), "waves of 4096 blocks": (19, 0.5, True),
    "bytes in flight, needed": (780, 5, True), "bytes in flight, 4 a thread": (884, 0.5, False),
    "bytes in flight, 16 a thread": (3.5, 0.05, True),
    "hillis-steele, one block of 1024": (3.0, 0.05, True),
    "blelloch, one block of 2048": (3.4, 0.05, True), "floor": (21.6, 0.05, True),
    "tile scans": (30.0, 0.05, True), "scan of totals": (3.6, 0.05, True),
    "add offsets": (24.0, 0.05, True), "three kernels": (57.6, 0.05, True),
    "bytes moved": (67.1, 0.05, True), "rate of the three": (1165, 0.5, True),
    "naive, 65536": (0.62, 0.005, False), "serial on a CPU, 4194304": (5.0, 0.05, True),
    "serial on a CPU, 65536": (0.09, 0.005, False),
}
TERMS = ("bandwidth_s", "alu_s", "issue_s", "shared_s", "barrier_s", "latency_s", "carry_s",
         "grid_s", "launch_s", "time_s")
AGREED = ("kernel", "n", "block", "launches", "dram_bytes", "operations", "bound", "waves",
          "intensity_adds_per_byte", "occupancy", "bytes_in_flight_needed",
          "bytes_in_flight_possible") + TERMS


def off(figures):
    """Names of figures that are not within their rounding of what the lecture states."""
    return sorted(f["figure"] for f in figures
                  if abs(f["computed"] - LECTURE[f["figure"]][0]) > LECTURE[f["figure"]][1])


ROW = re.compile(r"\| ([a-z-]+)(?:, tiles by ([a-z-]+))? \| 2\^(\d+) \| ([\d.]+) \| ([\d.]+) \| ([+-]\d+) \| "
                 r"([a-z ]+) \| ([\d.]+) \|")
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/lab.md")


def far_from_measured(rows):
    """Rows of large n whose prediction is more than 15 % off."""
    return [row for row in rows
            if int(row[2]) >= 28 and abs(float(row[4]) / float(row[3]) - 1) > 0.15]


class ModelTest(tool.ToolTest):
    def model(self, *arguments):
        done = self.run_tool("lab", "model", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def model_json(self, *arguments):
        return json.loads(self.model(*arguments, "--json"))

    def kernel(self, *arguments):
        return self.model_json(*arguments)["kernels"][0]

    def test_the_lecture(self):
        figures = self.model_json("--device", "a100")["lecture"]
        self.assertEqual({f["figure"] for f in figures}, set(LECTURE))
        self.assertEqual({f["figure"]: f["stated"] for f in figures},
                         {name: stated for name, (stated, _, _) in LECTURE.items()})
        expected = sorted(name for name, row in LECTURE.items() if not row[2])
        self.assertEqual(off(figures), expected)
        self.assertEqual(sorted(f["figure"] for f in figures if not f["follows"]), expected)
        for figure in figures:
            self.assertTrue(figure["follows"] or figure["erratum"], figure)
        # Planted: another figure is found.
        figures[1]["computed"] *= 1.01
        self.assertNotEqual(off(figures), expected)
        text = self.model("--device", "a100")
        self.assertEqual(text.count("DOES NOT FOLLOW"), len(expected))
        self.assertIn("erratum: 884736 bytes round to 885 KB", text)
        self.assertNotIn("lecture", self.model_json("--device", "h100"))

    def test_json_has_what_others_read(self):
        result = self.model_json("--n", "100000")
        self.assertEqual(result["program"], "upsweep lab model")
        self.assertEqual((result["n"], result["op"], result["type"]), (100000, "sum", "f32"))
        roofline = result["roofline"]
        self.assertAlmostEqual(roofline["ridge_adds_per_byte"],
                               roofline["adds_per_s"] / roofline["bytes_per_s"])
        self.assertEqual(len(result["kernels"]), 13)
        for kernel in result["kernels"]:
            for name in AGREED:
                self.assertIn(name, kernel)
            together = sum(max(l["bandwidth_s"], l["alu_s"], l["issue_s"], l["shared_s"],
                               l["barrier_s"] + l["latency_s"] + l["carry_s"]) + l["grid_s"]
                           for l in kernel["each_launch"])
            self.assertAlmostEqual(kernel["time_s"], together + kernel["launch_s"])

    def test_terms_by_hand(self):
        n = 1 << 28
        h200 = self.model_json("hierarchical", "--n", str(n))
        kernel, device = h200["kernels"][0], h200["device"]
        scan, offsets = kernel["each_launch"][0], kernel["each_launch"][-1]
        self.assertEqual((scan["blocks"], offsets["blocks"]), (n // 1024, n // 1024 - 1))
        self.assertEqual(scan["operations"], 9217 * n // 1024)
        copy = device["dram_bytes_per_s"] * device["copy_share"]
        self.assertAlmostEqual(scan["bandwidth_s"] / (8 * n / copy), 1, delta=0.01)
        self.assertAlmostEqual(scan["waves"], n / 1024 / (2 * device["processors"]))
        # 929 transactions of the steps and 32 of the first store, a tile
        self.assertAlmostEqual(
            scan["shared_s"] * device["processors"] * device["clock_hz"] / (961 * n / 1024), 1)
        barrier = device["barrier_cycles"] + 32 * device["barrier_warp_cycles"]
        self.assertAlmostEqual(scan["barrier_s"] * device["clock_hz"] / (993 * 10 * barrier), 1)
        self.assertEqual(offsets["barrier_s"], 0)

    def test_the_page_has_what_is_predicted(self):
        with open(PAGE, encoding="utf-8") as page:
            rows = ROW.findall(page.read())
        self.assertGreater(len(rows), 8)
        for kernel, tiles, log, measured, predicted, percent, bound, _ in rows:
            tile_kernel = ["--tile-kernel", tiles] if tiles else []
            now = self.kernel(kernel, "--n", str(1 << int(log)), *tile_kernel)
            self.assertAlmostEqual(now["time_s"] * 1e6 / float(predicted), 1, delta=0.01)
            self.assertEqual(now["bound"], bound)
            self.assertAlmostEqual(100 * (float(predicted) / float(measured) - 1), float(percent),
                                   delta=1)
        self.assertEqual(far_from_measured(rows), [])
        # Planted: one that is far off.
        self.assertTrue(far_from_measured([("x", "", "28", "100", "120")]))

    def test_more_elements_take_longer(self):
        for kernel in ("hierarchical", "lookback", "naive"):
            times = [self.kernel(kernel, "--n", str(1 << log))["time_s"] for log in (12, 18, 22)]
            self.assertEqual(times, sorted(times), kernel)
            self.assertGreater(times[2], times[0])

    def test_conflicts_and_padding(self):
        plain, padded = (self.kernel("blelloch", "--n", "2048", "--pad", pad)["shared_s"]
                         for pad in ("none", "2"))
        self.assertGreater(plain, 3 * padded)

    def test_every_device(self):
        for device in ("a100", "h100", "h200", "rtx4090", "v100", "8800gtx"):
            result = self.model_json("--device", device, "--n", "100000")
            self.assertEqual(result["device"]["name"], device)
            self.assertTrue(result["device"]["sources"])
            for kernel in result["kernels"]:
                self.assertGreater(kernel["time_s"], 0)
                self.assertGreaterEqual(kernel["occupancy"]["blocks"], 1)
        self.assertEqual(self.kernel("hierarchical", "--device", "8800gtx")["block"], 512)

    def with_file(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mine.json")
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            return self.run_tool("lab", "model", "--devices", file, *arguments)

    def test_devices_of_a_user(self):
        device = self.model_json("lookback")["device"]
        device["name"], device["dram_bytes_per_s"] = "mine", 1e11
        text = json.dumps({"devices": [device]})
        done = self.with_file(text, "--device", "mine", "hierarchical", "--n", "100000000", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        mine = json.loads(done.stdout)
        self.assertEqual(mine["device"]["dram_bytes_per_s"], 1e11)
        self.assertGreater(mine["kernels"][0]["bandwidth_s"],
                           10 * self.kernel("hierarchical", "--n", "100000000")["bandwidth_s"])
        del device["clock_hz"]
        for text, words in ((json.dumps({"devices": [device]}), "has no clock_hz: give it"),
                            ("{", "is no JSON"), ("[]", "has no list devices")):
            done = self.with_file(text)
            message = done.stderr.decode()
            self.assertEqual((done.returncode, done.stdout, message.count("\n")), (1, b"", 1))
            self.assertIn("mine.json: ", message)
            self.assertIn(words, message)
        self.assert_refused(1, "cannot be read", "lab", "model", "--devices", "/nowhere.json")

    def test_fields_are_those_of_the_file(self):
        names = [line.split()[0] for line in self.model("--fields").splitlines()[1:-2]]
        device = self.model_json("lookback")["device"]
        self.assertEqual(set(names), set(device) - {"name", "about", "sources", "assumed"})

    def test_refusals(self):
        for status, words, *arguments in (
                (2, "'a200' is no device: a100, h100", "--device", "a200"),
                (2, "'scan' is no kernel", "scan"),
                (2, "hillis-steele is one block", "hillis-steele", "--n", "5000"),
                (2, "--n is 0", "lookback", "--n", "0"),
                (2, "8800gtx holds no block", "hillis-steele", "--device", "8800gtx", "--block",
                 "1024", "--n", "1000"),
                (2, "--tile-kernel is for hierarchical", "lookback", "--tile-kernel", "blelloch"),
                (2, "--op", "lookback", "--op", "concat")):
            self.assert_refused(status, words, "lab", "model", *arguments)
        self.assert_refused(2, "--model goes with --device cuda", "lab", "run", "lookback",
                            "--model")


if __name__ == "__main__":
    tool.main()
