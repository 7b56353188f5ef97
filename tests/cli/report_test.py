# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep report: the page has what the files have, in pictures and in tables, and nothing else."""

import json

import report_cases as cases
import tool
from report_page import Page, PageTest, faults_of


class Report(PageTest):
    def test_sections_follow_the_files(self):
        for name, sections in cases.SECTIONS.items():
            self.assertEqual(set(self.page(name).sections), sections, name)
        page = self.page(*self.files)
        self.assertEqual(list(page.sections),
                         ["bandwidth", "ratios", "accuracy", "times", "roofline", "predictions",
                          "counts", "banks", "traces", "races"])
        self.assertEqual([row[0] for row in page.table("Where")[1:]], list(self.files))

    def test_bandwidth_is_that_of_the_file(self):
        page = self.page("cpu.json")
        flat = [r for r in self.files["cpu.json"]["results"] if "shape" not in r]
        for engine in cases.RATES:
            wanted = [(r["n"], r["gb_per_s"]) for r in flat if r["engine"] == engine]
            at = [s for s in page.svgs if s["title"] == "Bandwidth, inclusive sum of f32 on cpu"]
            got = [(float(m["data-x"]), float(m["data-y"])) for m in at[0]["marks"]
                   if m["curve"] == engine]
            self.assertEqual(got, wanted)
            cells = page.column("GB/s, inclusive sum of f32 on cpu (", engine)
            self.assertEqual([float(c) for c in cells], [float(f"{y:.4g}") for _, y in wanted])
        self.assertEqual(page.column("GB/s, inclusive sum of f32 on cpu (", "n"),
                         ["2^10", "2^12", "2^14", "2^16", "2^18", "2^20"])

    def test_ratios_are_within_a_run(self):
        page = self.page("cpu.json")
        cells = page.column("Ratios, inclusive sum of f32 on cpu (", "upsweep-par / fastest copy")
        self.assertEqual(set(cells), {f"{38 / 40:.3f}"})
        cells = page.column("Ratios, inclusive sum of f32 on cpu (", "upsweep-par / best rival")
        self.assertEqual(set(cells), {f"{38 / 12:.3f}"})
        array = page.table("Ratios, inclusive sum of f32 on cpu, two dimensions")
        self.assertEqual(array[1][0], "1024x1024, axis 0")

    def test_accuracy_joins_files(self):
        page = self.page("cpu.json", "gpu.json")
        title = "error of the inclusive sum of f32"
        self.assertEqual(page.table(title)[0], ["n", "std (serial)", "tbb", "upsweep (canonical)",
                                                "cub", "upsweep-cuda"])
        self.assertEqual(page.values(title, "cub"), [(1 << k, 3e-7) for k in range(10, 27, 4)])
        self.assertEqual(len(page.values(title, "std (serial)")), 6)
        # Equal bits, equal error: one curve, and one more where an engine has another.
        self.assertEqual(len(page.values(title, "upsweep (canonical)")), 8)

    def test_banks_have_a_cell_for_each_bank_and_step(self):
        page = self.page("banks.json", "index.json")
        accesses = self.files["banks.json"]["accesses"]
        steps = {}
        for a in accesses:
            step = steps.setdefault((a["phase"], a["stride"]), [0] * 32)
            for k, degree in enumerate(a["bank_degrees"]):
                step[k] = max(step[k], degree)
        marks = page.picture("Banks, blelloch")["marks"]
        self.assertEqual([int(m["data-y"]) for m in marks], sum(steps.values(), []))
        rows = page.table("Degree by step and bank, blelloch")[1:]
        self.assertEqual([[int(c) for c in row[1:]] for row in rows], list(steps.values()))
        self.assertEqual(sum(map(int, page.column("Accesses, blelloch", "transactions"))),
                         sum(a["transactions"] for a in accesses))
        self.assertEqual([m["data-y"] for m in page.picture("Banks, index")["marks"]],
                         ["2", "0"] * 16)

    def test_degrees_of_banks_are_those_of_accesses(self):
        """What the simulator says of banks fits what it says of the access."""
        for a in self.files["banks.json"]["accesses"]:
            self.assertEqual(max(a["bank_degrees"]), a["degree"])
            # Of one request only the most crowded bank counts; there may be several.
            self.assertLessEqual(max(a["bank_words"]), a["transactions"])
            if a["warps"] == 1:
                self.assertEqual(max(a["bank_words"]), a["transactions"])
                self.assertEqual(sum(d > 0 for d in a["bank_degrees"]), a["banks_touched"])

    def test_trace_has_every_step(self):
        page = self.page("trace.json", "tiles.json")
        steps = self.files["trace.json"]["launches"][0]["steps"]
        rows = page.table("The array after each step, blelloch")
        self.assertEqual([row[3:] for row in rows[1:]], [s["array"] for s in steps])
        self.assertEqual(rows[1][0], "before")
        self.assertEqual([row[0] for row in rows[2:5]], ["up-sweep 1", "up-sweep 2", "up-sweep 4"])
        self.assertEqual(rows[3][1], "[3] from [1], [7] from [5]")
        # A curve for each addition, a box for each change and each element before.
        text = page.text[page.text.index("Data flow of blelloch"):]
        text = text[:text.index("</svg>")]
        changes = [c for s in steps for c in s["changes"]]
        partners = sum(c.get(side, c["element"]) != c["element"] for c in changes
                       for side in ("left", "right"))
        self.assertEqual(text.count("class='add'") + text.count("class='copied'"), partners)
        self.assertEqual(text.count("class='node "), len(changes) + 8)

    def test_races_name_threads_and_steps(self):
        page = self.page("races.json")
        faults = self.files["races.json"]["faults"]
        self.assertTrue(faults)
        rows = page.table("Faults of hillis-steele-racy")[1:]
        for fault, row in zip(faults, rows, strict=True):
            late, early = fault["race"]["later"], fault["race"]["earlier"]
            self.assertEqual(row[2], f"thread {early['thread']}, block {early['block']}")
            self.assertEqual(row[5], f"thread {late['thread']}, block {late['block']}")
            self.assertEqual(row[4], f"{early['phase']} {early['stride']}")
            self.assertEqual(row[8:], [str(fault["race"]["element"]), str(fault["times"])])
            # The sentence that the lab prints says the same.
            self.assertIn(f"thread {late['thread']} of block {late['block']}", fault["text"])
            self.assertIn(f"thread {early['thread']} of block {early['block']}", fault["text"])
        sound = {**self.files["races.json"], "faults": [], "kernel": "blelloch"}
        self.assertIn("no fault was found", self.page(sound=sound).text)

    def test_model_and_measurement(self):
        page = self.page("model.json", "lookback_small.json", "lookback_large.json", "blelloch.json")
        begin = "Measured time over predicted time"
        self.assertEqual(page.column(begin, "kernel"), ["blelloch", "lookback", "lookback"])
        self.assertEqual(page.column(begin, "measured / predicted"), ["1.25", "2.25", "1.05"])
        reasons = page.column(begin, "reason")
        self.assertEqual(reasons[0], "barrier 4 µs of 8 µs predicted, last wave 75 % empty; 2 µs not "
                                     "explained")
        self.assertEqual(reasons[1], "launch 3 µs of 4 µs predicted, last wave 75 % empty; 5 µs not "
                                     "explained")
        self.assertEqual(reasons[2], "bandwidth 190 µs of 200 µs predicted, last wave 75 % empty")
        terms = "Measured and predicted times in microseconds"
        self.assertEqual(page.column(terms, "measured"), ["10", "9", "210"])
        self.assertEqual(page.column(terms, "barrier"), ["4", "0", "0"])
        ratios = page.values("Measured time over", "lookback")
        self.assertEqual([x for x, _ in ratios], [1 << 10, 1 << 26])
        self.assertAlmostEqual(ratios[0][1], 9 / 4)
        times = page.values("Measured and predicted times", "lookback")
        for (n, y), want in zip(times, ((1 << 10, 9), (1 << 10, 4), (1 << 26, 210), (1 << 26, 200)),
                                strict=True):
            self.assertEqual(n, want[0])
            self.assertAlmostEqual(y, want[1])
        points = page.values("Roofline of h9", "lookback")
        self.assertEqual([x for x, _ in points], [0.25] * 4)
        for (_, y), (n, micro) in zip(points, ((2**10, 4), (2**26, 200), (2**10, 9), (2**26, 210))):
            self.assertAlmostEqual(y / (2 * n / micro * 1e6), 1)
        kinds = [(m["title"].split(": ")[0].split()[-1], "open" in m["class"])
                 for m in page.picture("Roofline of h9")["marks"] if m["curve"] == "lookback"]
        self.assertEqual(kinds, [("predicted", True)] * 2 + [("measured", False)] * 2)
        self.assertEqual(page.warnings, [])

    def test_a_prediction_in_the_run_itself(self):
        own = cases.lab_run("lookback", 1 << 20, 12.0, model=cases.prediction(
            "lookback", 1 << 20, 10.0, bandwidth=7.0), model_device="h9")
        page = self.page(own=own)
        self.assertEqual(page.column("Measured time over", "measured / predicted"), ["1.20"])
        here = {**own, "model_device": {"name": "this", "about": "Test H9"}}
        self.assertEqual(self.page(here=here).warnings, [])
        more = json.loads(json.dumps(own))
        more["model"].update(grid_s=2e-6, odd_s=3e-6, tail_share=0.4)
        page = self.page(more=more)
        terms = "Measured and predicted times in microseconds"
        self.assertEqual([page.column(terms, name)[0] for name in ("grid", "odd")],
                         ["2", "3"])
        self.assertIn("last wave 40 % empty", page.column("Measured time over", "reason")[0])
        other = {**own, "model_device": "a100"}
        self.assertIn("predicted for a100, measured on Test H9", self.page(own=other).warnings[0])

    def test_mixed_machines_are_told(self):
        self.assertEqual(self.page("cpu.json").warnings, [])
        both = self.page("cpu.json", "gpu.json").warnings
        self.assertEqual(len(both), 1)
        self.assertIn("different machines", both[0])
        self.assertIn("cpu.json", both[0])
        gpus = self.page("blelloch.json", more=cases.lab_run("blelloch", 8, 3.0, device="Other"))
        self.assertIn("GPUs are different", gpus.warnings[0])
        racy = {**self.files["trace.json"], "faults": [{"fault": "data race", "text": "..."}]}
        self.assertIn("faults: 1", self.page(racy=racy).warnings[0])
        foreign = self.page("blelloch.json", far=cases.model("a100")).warnings
        self.assertIn("not compared with Test H9", foreign[0])
        wrong = {**self.files["blelloch.json"], "verified": False}
        page = self.page(wrong=wrong)
        self.assertIn("wrong", page.warnings[0])
        self.assertIn("WRONG", page.column("Times in microseconds", "results"))

    def test_text_of_files_is_text(self):
        evil = "</title><script>alert(1)</script>'\"&\u0007\u00e9"
        bench = cases.cpu_bench()
        for r in bench["results"]:
            r["engine"] += evil
            r["op"] = evil
        bench["machine"] = {**cases.MACHINE, "cpu": evil}
        trace = json.loads(json.dumps(self.files["trace.json"]).replace('"3"', json.dumps(evil))
                           .replace("up-sweep", json.dumps(evil)[1:-1]))
        races = json.loads(json.dumps(self.files["races.json"]).replace("s[t]", json.dumps(evil)[1:-1]))
        banks = {**self.files["banks.json"], "kernel": evil}
        for access in banks["accesses"]:
            access["place"] = access["phase"] = evil
        run = cases.lab_run(evil, 8, 3.0, device=evil, model=cases.prediction(evil, 8, 3.0),
                            model_device=evil)
        page = self.page(bench=bench, trace=trace, races=races, banks=banks, run=run)
        self.assertIn("<script>alert(1)</script>'\"&\ufffd\u00e9", page.tables and
                      page.table("The array after each step")[1][3])
        self.assertEqual(page.text.count("<script"), 1)
        self.assertNotIn("\u0007", page.text)

    def test_checks_of_pages_can_fail(self):
        self.put("trace.json", json.dumps(self.files["trace.json"]))
        self.run_tool("report", "trace.json", "-o", "report.html")
        text = self.get("report.html").decode()
        self.assertEqual(faults_of(Page(text)), [])
        for old, new in (("<script>", "<script>//</script><script>"), ("id='f1-t'", "id='f1-d'"),
                         ("aria-labelledby", "aria-label"), ("<main>", "<main><img src='x'>"),
                         ("#traces", "#nowhere"), ("<style>", "<style>@import 'x';")):
            self.assertIn(old, text)
            planted = text.replace(old, new, 1).replace("<img src='x'>", "<img src='x'/>")
            self.assertNotEqual(faults_of(Page(planted)), [], new)

    def test_output(self):
        self.put("trace.json", json.dumps(self.files["trace.json"]))
        done = self.run_tool("report", "trace.json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.run_tool("report", "-", stdin=json.dumps(self.files["trace.json"]))
                         .stdout.replace(b"standard input", b"trace.json"), done.stdout)
        self.put("report.html", "old")
        for arguments in (["report"], ["report", "trace.json", "-o", ""]):
            self.assert_refused(2, [], *arguments)
        self.assert_refused(1, ["nowhere"], "report", "trace.json", "-o", "nowhere/x.html")

    def refused(self, text, *words):
        """Nothing is written for a file with this text, though another one is sound."""
        self.put("good.json", json.dumps(self.files["trace.json"]))
        self.put("bad.json", text)
        self.put("report.html", "old")
        self.assert_refused(1, ["bad.json", *words], "report", "good.json", "bad.json", "-o",
                            "report.html")

    def test_bad_files(self):
        self.refused("", "empty")
        self.refused(" \n", "empty")
        self.refused("{", "JSON")
        self.refused("\x00\x01", "JSON")
        self.refused('{"program": "\xff"}'.encode("latin-1"), "JSON")
        self.refused("[" * 100000, "JSON")
        self.refused("[]", "no object")
        self.refused("1", "no object")
        self.refused('{"kernel": "blelloch"}', "program")
        self.refused('{"program": 3}', "program", "no text")
        self.refused('{"program": "other"}', "'other'")
        self.refused('{"program": "upsweep bench --baseline"}', "upsweep bench")
        self.refused(json.dumps({**cases.cpu_bench(), "results": []}), "results", "empty")
        self.refused('{"program": "upsweep lab trace", "n": 1e999}', "JSON")

    def test_missing_fields(self):
        """Each field that a page needs, left out, is named."""
        needed = 0
        for name in ("trace.json", "banks.json", "races.json", "run.json", "model.json",
                     "blelloch.json", "index.json"):
            for key in self.files[name]:
                lacking = {k: v for k, v in self.files[name].items() if k != key}
                self.put("bad.json", json.dumps(lacking))
                done = self.run_tool("report", "bad.json", "-o", "out.html")
                if done.returncode == 0 or key == "index":  # without it they are banks of a kernel
                    continue
                needed += 1
                self.assertEqual(done.returncode, 1)
                self.assertIn(key.encode(), done.stderr)
                self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertGreater(needed, 40)

    def test_wrong_values(self):
        def planted(name, change):
            data = json.loads(json.dumps(self.files[name]))
            change(data)
            return json.dumps(data)

        step = lambda d: d["launches"][0]["steps"][1]
        for name, change, words in (
                ("trace.json", lambda d: d["launches"][0]["steps"][0]["array"].pop(),
                 ["steps[1].array"]),
                ("trace.json", lambda d: step(d)["changes"][0].update(element=8), ["element"]),
                ("trace.json", lambda d: step(d)["changes"][0].update(left=2**60), ["left"]),
                ("trace.json", lambda d: step(d).update(stride=-1), ["stride", "count"]),
                ("banks.json", lambda d: d.update(banks=0), ["banks"]),
                ("banks.json", lambda d: d["accesses"][2]["bank_degrees"].pop(),
                 ["accesses[2].bank_degrees"]),
                ("index.json", lambda d: d["bank_words"].pop(), ["bank_words"]),
                ("model.json", lambda d: d["kernels"][1].update(time_s=0), ["kernels[1].time_s"]),
                ("model.json", lambda d: d["kernels"][1]["occupancy"].update(share=50),
                 ["kernels[1].occupancy.share", "above 1"]),
                ("model.json", lambda d: d["kernels"][1].update(tail_share=7),
                 ["kernels[1].tail_share", "above 1"]),
                ("model.json", lambda d: d["kernels"][1].update(
                    rate={"bytes_per_second": 1e12, "l2_share": 1.1}), ["l2_share", "above 1"]),
                ("model.json", lambda d: d["kernels"][2].update(bound="foo"),
                 ["kernels[2].bound", "'foo' bounds no kernel"]),
                ("model.json", lambda d: d["kernels"][2].update(bound="issue"),
                 ["kernels[2].issue_s", "missing"]),
                ("model.json", lambda d: d["kernels"][0].update(kernel=""),
                 ["kernels[0].kernel", "is empty"]),
                ("model.json", lambda d: d["device"].update(name=""), ["device.name", "is empty"]),
                ("model.json", lambda d: d["device"].update(assumed=["mass"]),
                 ["device.assumed[0]", "no such figure"]),
                ("blelloch.json", lambda d: d.update(gpu=""), ["gpu", "is empty"]),
                ("run.json", lambda d: d.update(kernel=""), ["kernel", "is empty"]),
                ("model.json", lambda d: d["roofline"].update(bytes_per_s="x"), ["roofline"]),
                ("blelloch.json", lambda d: d.update(median_ms=None), ["median_ms"])):
            self.refused(planted(name, change), *words)

    def test_large_files(self):
        self.put("bad.json", b" " * (65 << 20))
        self.assert_refused(1, ["bad.json", "64 MiB"], "report", "bad.json", "-o", "out.html")
        # As many results as a long session makes take no time to speak of.
        bench = cases.cpu_bench()
        bench["results"] = [cases.bench_result(e, r, n) for n in range(1, 2001)
                            for e, r in cases.RATES.items()]
        page = self.page(bench=bench)
        self.assertEqual(len(page.table("GB/s")), 2001)


if __name__ == "__main__":
    tool.main()
