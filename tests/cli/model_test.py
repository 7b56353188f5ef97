# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep lab model from outside: the lecture's figures, devices of a user, refusals, JSON."""

import json
import os
import re
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


def micro(seconds):
    return f"{seconds * 1e6:.{0 if seconds >= 1e-4 else 1}f}"


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
        for kernel, tiles, log, measured, predicted, percent, bound, alone in rows:
            tile_kernel = ["--tile-kernel", tiles] if tiles else []
            now = self.kernel(kernel, "--n", str(1 << int(log)), *tile_kernel)
            self.assertEqual((micro(now["time_s"]), now["bound"]), (predicted, bound), (kernel, log))
            self.assertEqual(micro(now[bound.split()[0] + "_s"]), alone, (kernel, log))
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

    def test_fields_are_those_of_the_file(self):
        names = [line.split()[0] for line in self.model("--fields").splitlines()[1:-2]]
        device = self.model_json("lookback")["device"]
        self.assertEqual(set(names), set(device) - {"name", "about", "sources", "assumed"})

    def test_refusals(self):
        size = "is no whole number from 1 to 1099511627776"
        for words, *arguments in (
                ("'a200' is no device: a100, h100", "--device", "a200"),
                ("'scan' is no kernel", "scan"),
                ("--n 5000: hillis-steele is one block, which holds at most 1024 elements here: "
                 "write --n 1024", "hillis-steele", "--n", "5000"),
                ("--n 200: blelloch is one block, which holds at most 128 elements here: write --n "
                 "128, or take --block 128, or hierarchical", "blelloch", "--n", "200", "--block", "64"),
                ("or take --block 1024, or hier", "blelloch", "--n", "2000", "--block", "64"),
                ("write --n 128, or take hier", "blelloch", "--n", "2049", "--block", "64"),
                ("8800gtx holds no block of hillis-steele", "hillis-steele", "--device", "8800gtx",
                 "--block", "1024", "--n", "1000"),
                ("8800gtx holds no block of grid-sync: 1024 threads", "grid-sync", "--device",
                 "8800gtx", "--block", "1024"),
                ("8800gtx holds no block of grid-sync: 768 threads", "grid-sync", "--device",
                 "8800gtx", "--block", "768"),
                ("768 threads are more than the 512 that a block may have", "naive", "--device",
                 "8800gtx", "--block", "768"),
                ("--pad is not for tile kernels", "hierarchical", "--tile-kernel", "blelloch",
                 "--pad", "1"), ("--fields excludes --json", "--fields", "--json"),
                ("--fields excludes --measure", "--fields", "--measure"),
                ("--tile-kernel is for hierarchical", "lookback", "--tile-kernel", "blelloch"),
                ("--block", "serial", "--block", "32"), ("--pad is for", "lookback", "--pad", "1"),
                ("--pad goes with --op sum", "--pad", "1", "--op", "max"),
                ("--op", "lookback", "--op", "concat"),
                *((size, "--n", n) for n in ("0", "-1", "2^60", "1099511627777", "1" + 30 * "0")),
                *((f"--n: '{n}' {size}", "--n", n) for n in ("2^41", "2^64", "2^99999999999")),
                ("--n: '2^' is no power of two such as 2^20", "--n", "2^"), (size, "--n", "3^4")):
            self.assert_refused(2, [words], "lab", "model", *arguments)
        self.assert_refused(2, ["--model goes with --device cuda"], "lab", "run", "lookback",
                            "--model")

    def test_sizes_are_written_as_powers_too(self):
        self.assertEqual(self.kernel("lookback", "--n", "2^20"), self.kernel("lookback", "--n", "1048576"))

    def test_the_largest_n_has_finite_figures(self):
        for device in ("h200", "8800gtx"):
            text = self.model("--n", "2^40", "--device", device, "--json")
            self.assertIsNone(re.search(r"null|nan|inf\b|: -", text))
            for kernel in json.loads(text)["kernels"]:
                self.assertGreaterEqual(kernel["launch_s"], 2e-6, kernel["kernel"])
                self.assertGreater(kernel["dram_bytes"], 0)
            self.put("huge.json", text)
            self.assertEqual(self.run_tool("report", "huge.json", "-o", "page.html").returncode, 0)
            self.assertNotRegex(self.model("--n", "2^40", "--device", device), r"\b(nan|inf)\b| -\d")

    def test_a_named_kernel_of_one_block_takes_what_it_holds(self):
        for kernel, device, n in (("blelloch", "h200", 2048), ("blelloch", "8800gtx", 1024),
                                  ("vectorized", "h200", 4096), ("hierarchical", "h200", 1 << 22)):
            self.assertEqual(self.kernel(kernel, "--device", device)["n"], n)
        self.assertEqual(self.kernel("blelloch", "--block", "64")["n"], 128)

    def test_options_of_all_kernels_are_for_those_that_take_them(self):
        kernels = {k["kernel"]: k for k in self.model_json("--pad", "1", "--tile-kernel", "blelloch",
                                                           "--block", "33")["kernels"]}
        self.assertEqual({name for name, k in kernels.items() if k["pad"] == 1},
                         {"blelloch", "brent-kung"})
        self.assertEqual((kernels["naive"]["block"], kernels["serial"]["block"]), (33, 1))
        self.assertEqual(kernels["blelloch"]["block"], 1024)
        text = self.model("--block", "33")
        self.assertIn("Without --block 33, which is not for them: blelloch, brent-kung, lookback,", text)
        self.assertNotIn("Without", self.model("--block", "64"))

    def test_text_fits_a_terminal(self):
        for arguments in ((), ("--n", "2^28", "--device", "a100"), ("--device", "8800gtx"),
                          ("--device", "a100"), ("hierarchical", "--n", "2^28"), ("naive",),
                          ("--block", "33", "--device", "rtx4090"), ("--n", "2^40"),
                          ("--n", "1099511627775"), ("--n", "2^40", "--device", "8800gtx")):
            lines = self.model(*arguments).splitlines()
            self.assertEqual([line for line in lines if len(line) > 80], [], arguments)
            self.assertEqual([line for line in lines if line != line.rstrip()], [])
        # Columns keep their places, whatever the size of a number.
        table = self.model().split("\n\n")[1].splitlines()
        self.assertEqual(len({len(line) for line in table}), 1)

    def test_text_says_where_the_bandwidth_is_from(self):
        for n, words in (("2^22", "at 6640 GB/s, as L2 holds the arrays"),
                         ("2^28", "at 4282 GB/s, from memory")):
            self.assertIn(words, " ".join(self.model("lookback", "--n", n).split()))
        self.assertIn("4282 from memory", " ".join(self.model("--n", "2^28").split()))
        rate = self.kernel("lookback", "--device", "a100")["rate"]
        self.assertEqual(rate, {"bytes_per_second": 3.9e12, "l2_share": 1.0})

    def test_one_block_is_no_wave(self):
        text = self.model("hierarchical", "--n", "2^20")
        self.assertIn("scan tiles: 1 block of 1024 threads, of the 264 that run at once;", text)
        self.assertNotIn("1 blocks", text)
        self.assertNotIn("idle", self.model("blelloch"))
        far = self.kernel("hierarchical", "--n", "2^28")
        self.assertAlmostEqual(far["tail_share"], 993 - far["waves"])
        self.assertEqual(self.kernel("blelloch")["tail_share"], 0)

    def test_guesses_are_told(self):
        a100 = " ".join(self.model("--device", "a100").split())
        self.assertIn("19 of the 37 figures of a100 are assumed", a100)
        self.assertNotIn("Hypothetical", a100)
        for text in (self.model(), self.model("lookback")):
            self.assertNotIn("assumed", text)
        old = " ".join(self.model("--device", "8800gtx").split())
        self.assertIn("has compute capability 1.0, and these kernels need 3.0: warp-shuffle, "
                      "vectorized.", old)
        self.assertIn("need 6.0: grid-sync, lookback, tree-lookback.", old)
        self.assertIn("this kernel needs 3.0: hierarchical", " ".join(self.model(
            "hierarchical", "--tile-kernel", "vectorized", "--device", "8800gtx").split()))

    def test_launches_that_no_device_takes_are_told(self):
        told = lambda *asked: " ".join(self.model(*asked).split())
        words = "Hypothetical: a launch on h200 has at most 2147483647 blocks, and "
        wide = told("hierarchical", "--block", "32", "--n", "2^37")
        self.assertIn(words + "this kernel needs more: hierarchical.", wide)
        self.assertNotIn("Hypothetical", told("hierarchical", "--block", "32", "--n", str(2 ** 36 - 32)))
        self.assertIn(words + "these kernels need more: naive, hierarchical", told("--block", "32", "--n", "2^40"))
        old = "Hypothetical: a launch on 8800gtx has at most 65535 blocks, and this kernel needs"
        most = 65535 * 512
        self.assertNotIn(old, told("hierarchical", "--device", "8800gtx", "--n", str(most)))
        self.assertIn(old, told("hierarchical", "--device", "8800gtx", "--n", str(most + 1)))

    def test_a_kernel_that_is_named_twice_has_one_row(self):
        once = self.model("blelloch", "naive", "--json")
        self.assertEqual(self.model("blelloch", "naive", "blelloch", "--json"), once)
        self.assertEqual(self.model("naive", "naive"), self.model("naive"))

    def test_the_words_of_the_tables_are_explained(self):
        text = " ".join(self.model("hierarchical").split())
        for words in ("what a whole block reads in common once", "adds/B: additions a byte",
                      "below the ridge", "waves: how often", "carry, the wait for words of other",
                      "grid, its barriers"):
            self.assertIn(words, text)

    def test_no_step_where_arrays_leave_l2(self):
        for kernel in ("hierarchical", "lookback", "grid-sync"):
            near, far = (self.kernel(kernel, "--device", "a100", "--n", n)["time_s"]
                         for n in (5242880, 5242881))
            self.assertAlmostEqual(far / near, 1, delta=0.005)
        self.assertEqual(self.model_json("serial", "--device", "a100")["device"]["l2_bytes"], 40 << 20)

    def test_the_note_on_barriers_follows_from_its_premises(self):
        with_barriers = 2.0 + (2 * 500 + 22 * (20 + 25) + 2 * 25) / 1410
        self.assertIn(f"24 barriers: {with_barriers:.3f} us", self.model("--device", "a100"))
        self.assertLess(with_barriers, 3.45)


if __name__ == "__main__":
    tool.main()
