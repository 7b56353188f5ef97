# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep report: what it reads and refuses, what it pairs, and what it warns of."""

import json
import os
import resource
import subprocess

import report_cases as cases
import tool
from report_page import PageTest


def changed(data, **more):
    return {**json.loads(json.dumps(data)), **more}


class Input(PageTest):
    def test_an_output_that_is_an_input_is_refused(self):
        text = json.dumps(self.files["trace.json"])
        self.put("trace.json", text)
        os.link(self.path("trace.json"), self.path("hard.json"))
        os.symlink("trace.json", self.path("soft.json"))
        for output in ("trace.json", "hard.json", "soft.json", "./trace.json"):
            self.assert_refused(2, ["trace.json", "output"], "report", "trace.json", "-o", output)
        line = '"$0" report - -o trace.json <trace.json'
        done = subprocess.run(["bash", "-c", line, tool.binary()], cwd=self.dir, timeout=60,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertEqual(self.get("trace.json").decode(), text)
        self.put("bench.json", json.dumps(cases.cpu_bench()))
        self.put("other.json", json.dumps(cases.cpu_bench()))
        for output in ("bench.json", "other.json"):
            self.assert_refused(2, [output], "bench", "--baseline", "bench.json", "other.json",
                                "--json", output)
        self.assertEqual(self.run_tool("report", "trace.json", "-o", "out.html").returncode, 0)

    def test_a_file_is_given_once(self):
        self.put("trace.json", json.dumps(self.files["trace.json"]))
        os.symlink("trace.json", self.path("soft.json"))
        for other in ("trace.json", "soft.json", "./trace.json"):
            self.assert_refused(2, ["twice"], "report", "trace.json", other, "-o", "out.html")

    def test_the_limit_holds_while_it_is_read(self):
        """What has no end is left at the limit: neither time nor memory goes on."""
        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        self.put("good.json", json.dumps(cases.cpu_bench()))
        for line in ('"$0" report /dev/zero -o out.html', 'yes | "$0" report - -o out.html',
                     '"$0" report <(yes) -o out.html', '"$0" bench --baseline good.json /dev/zero'):
            done = subprocess.run(["bash", "-c", line, tool.binary()], cwd=self.dir, timeout=30,
                                  capture_output=True, preexec_fn=limits)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(b"64 MiB", done.stderr, line)
        # At the limit itself a file is read.
        text = json.dumps(self.files["trace.json"])
        for more, status in ((0, 0), (1, 1)):
            padded = text + " " * ((64 << 20) - len(text) + more)
            self.assertEqual(self.run_tool("report", "-", "-o", "out.html", stdin=padded).returncode,
                             status)

    def test_absurd_numbers_are_refused(self):
        bench = lambda **more: {"machine": cases.MACHINE, "results": [
            {**cases.bench_result("std", 10.0, 1024), **more}]}
        run = lambda **more: {**cases.lab_run("lookback", 8, 3.0), **more}
        for number in (5e-324, 1e308, 1e31, 1e-31):
            for data, field in (
                    (bench(gb_per_s=number), "results[0].gb_per_s"),
                    (bench(samples_s=[number], median_s=number), "results[0].samples_s[0]"),
                    (bench(error=number), "results[0].error"),
                    (run(gb_per_s=number), "gb_per_s"), (run(median_ms=number), "median_ms")):
                self.put("bad.json", json.dumps(data))
                self.assert_refused(1, ["bad.json", field, "to be true"], "report", "bad.json", "-o",
                                    "out.html")
        page = self.page(small=bench(gb_per_s=1e-30), large=bench(gb_per_s=1e30, error=0))
        self.assertNotRegex(page.text.replace(page.scripts[0], ""), r"[ 'M](?:inf|-?nan)")


class Pairs(PageTest):
    def ratios(self, model, **runs):
        page = self.page(model=model, **runs)
        found = [t for t in page.tables if t.startswith("Measured time over")]
        return (page.column(found[0], "measured / predicted") if found else []), page.warnings

    def test_only_the_same_device_is_paired(self):
        run = lambda gpu: cases.lab_run("lookback", 1 << 10, 8.0, device=gpu)
        h100 = "NVIDIA H100 SXM5, 80 GB"
        for device, gpu, paired in (
                ({"name": "h9"}, "Test H9", True), ({"name": "a100"}, "NVIDIA A10", False),
                ({"name": "a10"}, "NVIDIA A100-SXM4-40GB", False),
                ({"name": "h100", "about": h100}, "NVIDIA H100 80GB HBM3", True),
                ({"name": "h100", "about": h100}, "NVIDIA H100 PCIe", False),
                ({"name": "a100", "about": "NVIDIA A100 SXM4, 40 GB"}, "NVIDIA A100-SXM4-80GB", False),
                ({"name": "rtx4090", "about": "NVIDIA GeForce RTX 4090, 24 GB"},
                 "NVIDIA GeForce RTX 4090", True),
                ({"name": "rtx4090", "about": "NVIDIA GeForce RTX 4090, 24 GB"},
                 "NVIDIA GeForce RTX 4090 Laptop GPU", False),
                ({"name": "this", "about": "NVIDIA H200"}, "NVIDIA H200", True),
                ({"name": "this", "about": "NVIDIA H200"}, "NVIDIA GH200 480GB", False)):
            ratios, warnings = self.ratios({**cases.model(), "device": device}, run=run(gpu))
            self.assertEqual(ratios, ["2.00"] if paired else [], (device, gpu))
            self.assertEqual(len(warnings), 0 if paired else 1, warnings)

    def test_the_operator_and_the_padding_decide(self):
        run = lambda **more: {**cases.lab_run("lookback", 1 << 10, 8.0), **more}
        for data, model, words in (
                (run(op="max"), {}, "by max is not compared with model.json, a model of sum"),
                (run(pad=1), {}, "lookback, pad 1 is not compared with model.json"),
                (run(pad=0), {"pad": 2}, "a model with padding 2")):
            ratios, warnings = self.ratios({**cases.model(), **model}, run=data)
            self.assertEqual(ratios, [])
            self.assertEqual(len(warnings), 1)
            self.assertIn(words, warnings[0])
        self.assertIn("a model with padding none", self.ratios(cases.model(), run=run(pad=1))[1][0])
        # A kernel of a model may have another padding than the model.
        own = cases.model()
        for kernel in own["kernels"]:
            kernel["pad"] = 0
        self.assertEqual(self.ratios({**own, "pad": 1}, run=run(pad=0)), (["2.00"], []))
        self.assertEqual(self.ratios({**own, "pad": 1}, run=run(pad=1))[0], [])
        for data, model in ((run(pad=0), {}), (run(pad=1), {"pad": 1}), (run(), {"pad": 1})):
            self.assertEqual(self.ratios({**cases.model(), **model}, run=data), (["2.00"], []))

    def test_a_prediction_of_another_device_makes_no_row(self):
        own = cases.lab_run("lookback", 1 << 20, 12.0, model=cases.prediction(
            "lookback", 1 << 20, 10.0, bandwidth=7.0), model_device="a100")
        page = self.page(own=own)
        self.assertEqual([t for t in page.tables if t.startswith("Measured")], [])
        self.assertIn("predicted for a100, measured on Test H9", page.warnings[0])

    def test_every_measured_mark_is_in_the_table(self):
        runs = {"again": cases.lab_run("lookback", 1 << 10, 5.0),
                "own": cases.lab_run("kogge", 1 << 12, 6.0, model_device="h9", model=cases.prediction(
                    "kogge", 1 << 12, 4.0, bandwidth=4.0))}
        page = self.page("model.json", "lookback_small.json", **runs)
        marks = [float(m["data-y"]) for m in page.picture("Roofline of h9")["marks"]
                 if ", measured" in m["title"]]
        cells = [c for c in page.column("Roofline of h9", "measured adds/s") if c != "–"]
        self.assertEqual(sorted(cells), sorted(f"{y:.3e}" for y in marks))
        self.assertEqual(len(marks), 3)

    def test_a_run_that_describes_its_device_has_a_roof(self):
        device = {"name": "this", "about": "Test H9", "dram_bytes_per_s": 4e12, "copy_share": 0.5,
                  "processors": 100, "fp32_lanes": 128, "clock_hz": 1e9}
        run = cases.lab_run("lookback", 1 << 20, 12.0, pad=1, model_device=device,
                            model=cases.prediction("lookback", 1 << 20, 10.0, bandwidth=7.0))
        page = self.page(own=run)
        row, = page.table("Roofline of Test H9")[1:]
        adds = 2 * (1 << 20)
        self.assertEqual([row[0], *row[-2:]], ["lookback, pad 1", f"{adds / 10e-6:.3e}",
                                               f"{adds / 12e-6:.3e}"])
        self.assertIn("a copy", page.text)
        self.assertNotIn("roofline", self.page(own={**run, "model_device": "h9"}).sections)


class Warnings(PageTest):
    def test_wrong_results_are_told_in_numbers(self):
        run = lambda **more: {**self.files["blelloch.json"], "verified": False, **more}
        for data, words in (
                (run(mismatches=7, worst_error=0.5), ": 7 of 1024 elements, largest error 0.5, "
                                                     "tolerance 0.0001"),
                (run(mismatches=1024, worst_error=None), "1024 of 1024 elements, largest error not "
                                                         "finite, tolerance 0.0001"),
                (run(worst_error=3e38), "wrong: largest error 3.000e+38, tolerance")):
            self.assertIn(words, self.page(wrong=data).warnings[0])

    def test_other_versions_are_told(self):
        gpu = cases.gpu_bench()
        for change, words in (({"compiler": "g++ 13"}, "compiler: g++ 12.2.0 and g++ 13"),
                              ({"version": "0.0.9"}, "upsweep: 0.1.0 and 0.0.9"),
                              ({"gpu": {**cases.GPU, "cub": "9"}}, "cub: 3.0.1 and 9"),
                              ({"gpu": {**cases.GPU, "driver": "9"}}, "driver: 13.0 and 9"),
                              ({"gpu": {**cases.GPU, "runtime": "9"}}, "runtime: 13.0 and 9")):
            other = {**gpu, "machine": {**gpu["machine"], **change}}
            page = self.page("gpu.json", other=other)
            self.assertEqual(len(page.warnings), 1, page.warnings)
            self.assertIn("gpu.json and other.json are of other versions", page.warnings[0])
            self.assertIn(words, page.warnings[0])
        self.assertEqual(self.page("gpu.json", same={**gpu, "mine": True}).warnings, [])
        self.assertEqual(self.page("gpu.json").column("Where", "versions"),
                         ["upsweep 0.1.0, compiler g++ 12.2.0, cub 3.0.1, runtime 13.0, driver 13.0"])

    def test_copies_are_shown_once_and_told(self):
        model = self.files["model.json"]
        page = self.page("model.json", "cpu.json", again=model, third=model)
        self.assertEqual(page.warnings, [f"Warning. {name} is a copy of model.json and is shown once"
                                         for name in ("again.json", "third.json")])
        self.assertEqual(page.table("Roofline of"), self.page("model.json").table("Roofline of"))
        self.assertEqual([row[0] for row in page.table("Where")[1:]], ["model.json", "cpu.json"])
        self.assertEqual(len(page.svgs), len(self.page("model.json", "cpu.json").svgs))

    def test_a_copy_may_be_written_otherwise(self):
        for name in ("model.json", "trace.json", "run.json", "cpu.json"):
            data = self.files[name]
            self.put(name, json.dumps(data))
            for text in (json.dumps(data) + "\n", json.dumps(data, indent=2),
                         json.dumps(dict(reversed(data.items())))):
                self.put("again.json", text)
                page = self.run_tool("report", name, "again.json").stdout.decode()
                self.assertIn(f"again.json is a copy of {name} and is shown once", page)
        # White space within a text is another text.
        for cpu in ("Test CPU", "Test  CPU"):
            other = {**cases.cpu_bench(), "machine": {**cases.MACHINE, "cpu": cpu}}
            found = self.page("cpu.json", again=other).warnings
            self.assertEqual("is a copy of" in found[0], cpu == "Test CPU", found)

    def test_what_is_nested_deeply_is_refused(self):
        for depth, status in ((90, 0), (101, 1), (200000, 1)):
            deep = "[" * depth + "]" * depth
            text = json.dumps({**self.files["trace.json"], "deep": 0})
            self.put("one.json", text.replace('"deep": 0', f'"deep": {deep}'))
            self.put("two.json", text.replace('"deep": 0', f'"deep": {deep} '))
            done = self.run_tool("report", "one.json", "two.json", "-o", "out.html")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"levels" in done.stderr, status == 1)

    def test_captions_have_the_name_of_the_file(self):
        for folder in ("one", "two"):
            os.mkdir(self.path(folder))
        for name in ("one/a.json", "one/b.json", "two/b.json"):
            self.put(name, json.dumps({**cases.gpu_bench(), "mine": name}))
        done = self.run_tool("report", "one/a.json", "one/b.json", "two/b.json")
        text = done.stdout.decode()
        for name in ("(a.json)", "(one/b.json)", "(two/b.json)"):
            self.assertIn(f"{name}</figcaption>", text)
        self.assertNotIn("(one/a.json)", text)
        self.assertIn("<td class='word'>one/a.json</td>", text)


if __name__ == "__main__":
    tool.main()
