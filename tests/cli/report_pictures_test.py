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

    def test_what_is_said_of_copies_and_errors(self):
        page = self.page("cpu.json")
        self.assertNotIn("No scan is faster", page.text)
        self.assertIn("of large arrays no scan is faster", page.text)
        self.assertIn("largest error / largest prefix", page.text)


if __name__ == "__main__":
    tool.main()
