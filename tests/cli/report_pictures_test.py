# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep report: what pictures and tables show of copies, long numbers, padding, many races."""

import json
import re

import report_cases as cases
import tool
from report_page import PageTest


class Pictures(PageTest):
    def flow(self, page):
        text = page.text[page.text.index("<svg class='flow"):]
        return text[:text.index("</svg>")]

    def test_the_down_sweep_is_a_tree(self):
        """Each swap is a sum and a copy, both with a curve from the other element."""
        page = self.page("trace.json")
        steps = json.loads(json.dumps(self.files["trace.json"]["launches"][0]["steps"]))
        swaps = [c for s in steps if s["phase"] == "down-sweep" for c in s["changes"]
                 if "left" not in c]
        self.assertEqual(len(swaps), 7)
        flow = self.flow(page)
        self.assertEqual(flow.count("class='copied'"), 7)
        # From itself comes only what the operator took: the root is set, to nothing's value.
        self.assertEqual(flow.count("class='own'"), flow.count("class='add'"))
        said = dict(zip(page.column("The array after", "step"),
                        page.column("The array after", "changed by sum, copied (=) or set")))
        self.assertEqual(said["root"], "[7] set")
        self.assertEqual(sorted(said["down-sweep 4"].split(", ")), ["[3] = [7]", "[7] from [3]"])
        # Where a file does not say what was copied no curve claims it.
        for step in steps:
            for change in step["changes"]:
                if "left" not in change:
                    change.pop("right", None)
        trace = {**self.files["trace.json"],
                 "launches": [{**self.files["trace.json"]["launches"][0], "steps": steps}]}
        self.assertEqual(self.flow(self.page(trace=trace)).count("class='copied'"), 0)

    def test_boxes_keep_the_exponent(self):
        for value, shown in (("1.2345678901234e+20", "1.234567…e+20"),
                             ("-1.2345678901234e-300", "-1.2345…e-300"),
                             ("123456789012345", "123456789012…"), ("abcdefghijklme+5", "abcdefghijkl…"),
                             ("1.5e+20", "1.5e+20")):
            trace = json.loads(json.dumps(self.files["trace.json"]))
            trace["launches"][0]["steps"][0]["array"][0] = value
            page = self.page(trace=trace)
            self.assertIn(f">{shown}</text>", self.flow(page))
            self.assertEqual(page.column("The array after", "[0]")[0], value)

    def test_the_table_of_times_begins_with_what_matters(self):
        padded = cases.lab_run("blelloch", 1 << 10, 7.0, pad=1)
        page = self.page("blelloch.json", padded=padded)
        head, *rows = page.table("Times in microseconds")
        self.assertEqual(head[:5], ["kernel", "results", "n", "median", "least"])
        self.assertEqual(head[-2:], ["launches", "file"])
        self.assertEqual([row[0] for row in rows], ["blelloch", "blelloch, pad 1"])
        self.assertIn(">blelloch, pad 1</text>", page.text)
        self.assertRegex(page.text, r"<td class='word'>padded.json</td></tr>")

    def test_the_lab_says_its_padding(self):
        for words in (["run", "blelloch", "--n", "64"], ["model", "blelloch", "--n", "64"]):
            for more, pad in (([], 0), (["--pad", "2"], 2)):
                done = self.run_tool("lab", *words, *more, "--json")
                self.assertEqual(json.loads(done.stdout)["pad"], pad, words)
        self.put("run.json", self.run_tool("lab", "run", "blelloch", "--n", "64", "--pad", "1",
                                           "--json").stdout)
        self.assertIn(b"<td class='word'>blelloch, pad 1</td>",
                      self.run_tool("report", "run.json").stdout)

    def test_many_races_are_several_pictures(self):
        races = json.loads(json.dumps(self.files["races.json"]))
        one = races["faults"][0]
        races["faults"] = [{**one, "race": {**one["race"], "element": k}} for k in range(23)]
        page = self.page(races=races)
        pictures = [s for s in page.svgs if s["title"].startswith("Data races")]
        self.assertEqual([len(s["marks"]) for s in pictures], [10, 10, 3])
        self.assertEqual([int(re.search(r"element (\d+)", m["title"])[1]) for s in pictures
                          for m in s["marks"]], list(range(23)))
        self.assertEqual(len(page.table("Faults of")), 24)
        self.assertIn("races 21 to 23", page.text)

    def test_print_sizes_fit_the_page(self):
        """The longest words of all columns, as wide as digits are, fit beside each other."""
        page = self.page(*self.files)
        found = re.findall(r"--print:([\d.]+)pt'><caption>([^<]*)", page.text)
        self.assertEqual(len(found), page.text.count("<table"))
        for size, caption in found:
            rows = page.tables[caption]
            widths = [max(min(40, max(map(len, row[k].split()), default=0)) for row in rows)
                      for k in range(len(rows[0]))]
            wide = 0.66 * float(size) * sum(widths) + 3 * len(widths)
            self.assertLessEqual(wide, 475, caption)
            self.assertLessEqual(float(size), 6.5)
            self.assertTrue(float(size) == 6.5 or wide > 460, caption)

    def lab_model(self, *arguments):
        return json.loads(self.run_tool("lab", "model", *arguments, "--json").stdout)

    def test_no_prediction_is_above_every_roof(self):
        for device in ("a100", "v100", "8800gtx"):
            model = self.lab_model("--device", device)
            page, roof = self.page(model=model), model["roofline"]
            l2 = roof.get("l2_bytes_per_s", 0)
            self.assertEqual(l2 > 0, device != "8800gtx")
            beyond = 0
            for mark in page.picture("Roofline of")["marks"]:
                x, y = float(mark["data-x"]), float(mark["data-y"])
                self.assertLessEqual(y, 1.0001 * min(max(l2, roof["bytes_per_s"]) * x,
                                                     roof["adds_per_s"]), mark["title"])
                beyond += y > roof["bytes_per_s"] * x
            self.assertEqual(beyond > 0, device == "a100")
            self.assertEqual(page.text.count("<path class='roof'"), 2 * (3 if l2 else 2))
            for name in ("memory, by the data sheet", "a copy from memory",
                         *(["a copy within L2"] if l2 else [])):
                self.assertIn(f"<span>{name}</span>", page.text)
        self.assertIn("predicted with copies at 3900 GB/s</figcaption>",
                      self.page(model=self.lab_model("--device", "a100")).text)
        far = self.page(model=self.lab_model("--device", "a100", "--n", "2^28"))
        self.assertIn("with copies at 1400 to 3900 GB/s</figcaption>", far.text)
        self.assertEqual(set(far.column("Roofline of", "copy, GB/s")), {"1400", "3900"})

    def test_a_run_that_describes_its_device_has_the_roof_of_l2(self):
        device = {**self.lab_model("lookback")["device"], "about": "Test H9", "name": "this"}
        run = cases.lab_run("lookback", 1 << 20, 12.0, model_device=device, model=cases.prediction(
            "lookback", 1 << 20, 10.0, bandwidth=7.0))
        self.assertIn("<span>a copy within L2</span>", self.page(run=run).text)

    def test_a_model_alone_has_a_table_of_terms(self):
        model = self.lab_model("--n", "2^20")
        page = self.page(model=model)
        begin = "Predicted times in microseconds and their terms"
        self.assertEqual(page.column(begin, "kernel"), [k["kernel"] for k in model["kernels"]])
        for head, name in (("predicted", "time_s"), ("barrier", "barrier_s"), ("adding", "alu_s"),
                           ("latency", "latency_s"), ("launch", "launch_s"), ("issue", "issue_s"),
                           ("carry", "carry_s"), ("grid", "grid_s")):
            for cell, kernel in zip(page.column(begin, head), model["kernels"], strict=True):
                self.assertAlmostEqual(float(cell), 1e6 * kernel[name], delta=6e-4 * float(cell) + 1e-9)
        # What was measured stands in the table of both.
        self.assertNotIn("Predicted times", "".join(self.page("model.json", "lookback_small.json",
                                                              "lookback_large.json",
                                                              "blelloch.json").tables))

    def test_reservations_of_a_model_stand_below_its_figure(self):
        """Those that the tool prints, word for word."""
        for device in ("8800gtx", "v100", "h200"):
            for kernels in ([], ["lookback"]):
                words = ["--device", device, *kernels]
                printed = self.run_tool("lab", "model", *words).stdout.decode()
                printed = " ".join(printed.split())
                text = self.page(model=self.lab_model(*words)).text
                told = re.findall(r"<p class='reservation'>([^<]*)</p>", text)
                self.assertEqual(len(told), printed.count("Hypothetical") +
                                 printed.count("are assumed"), told)
                for line in told:
                    self.assertIn(line, printed)
                if device == "8800gtx":
                    self.assertEqual(len(told), 2 if kernels else 3)
                    figure = text[text.index("<figure"):text.index("</figure>")]
                    self.assertGreater(figure.index("Hypothetical"), figure.rindex("</table>"))

    def test_the_sentence_names_the_bound_of_the_model(self):
        model = self.lab_model("lookback", "--device", "8800gtx")
        kernel, = model["kernels"]
        self.assertEqual(kernel["bound"], "latency")
        self.assertGreater(kernel["issue_s"], kernel["latency_s"])
        run = cases.lab_run("lookback", kernel["n"], 1e6 * kernel["time_s"],
                            device="GeForce 8800 GTX")
        page = self.page(model=model, run=run)
        self.assertEqual(page.column("Measured and predicted times", "bound"), ["latency"])
        reason, = page.column("Measured time over", "reason")
        self.assertRegex(reason, rf"^latency {1e6 * kernel['latency_s']:.3g} µs of ")
        kernel["bound"] = "grid barrier"
        reason, = self.page(model=model, run=run).column("Measured time over", "reason")
        self.assertRegex(reason, "^grid 0 ")

    def test_a_kernel_twice_in_a_model_is_told(self):
        model = self.lab_model("lookback", "blelloch")
        model["kernels"] += 2 * model["kernels"][:1]  # the tool itself gives a kernel once
        page = self.page(model=model)
        self.assertEqual(page.warnings, ["Warning. model.json: has lookback with n = 4194304 more "
                                         "than once; runs are compared with the first"])

    def test_kernels_of_a_model_are_called_by_their_own_padding(self):
        page = self.page(model=self.lab_model("--pad", "1"))
        padded = [name for name in page.column("Roofline of", "kernel") if "pad" in name]
        self.assertEqual(padded, ["blelloch, pad 1", "brent-kung, pad 1"])

    def test_no_padding_is_called_none(self):
        self.assertIn("Banks, blelloch, n = 256, padding none", self.page("banks.json").text)

    def test_text_that_turns_lines_is_shown_as_a_mark(self):
        evil = "a\u202eb\u2028c\u200fd\u2066e\ufefff\u0085g\u20ac\u00e9"
        model = cases.model()
        model["device"] = {"name": "h9", "about": evil}
        text = self.page(model=model).text
        self.assertNotRegex(text, "[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
        self.assertIn("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg\u20ac\u00e9", text)

    def test_what_is_said_of_copies_and_errors(self):
        page = self.page("cpu.json")
        self.assertNotIn("No scan is faster", page.text)
        self.assertIn("of large arrays no scan is faster", page.text)
        self.assertIn("largest error / largest prefix", page.text)


if __name__ == "__main__":
    tool.main()
