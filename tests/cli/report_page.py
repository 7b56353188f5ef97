# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `upsweep report` as lists, and what is wrong with any page: for tests of it."""

import json
import re
from html.parser import HTMLParser

import report_cases as cases
import tool

VOID = {"meta", "input", "br"}


class Page(HTMLParser):
    """The page as lists: sections, tables by caption, pictures with their marks, text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.ids = text, [], []
        self.sections, self.tables, self.svgs, self.scripts, self.links = {}, {}, [], [], []
        self.warnings, self.loads = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append((tag, a))
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "section":
            self.sections[a["id"]] = []
        if tag in ("script", "link", "img", "iframe", "object", "image", "use"):
            self.loads.append((tag, a))
        if tag == "a":
            self.links.append(a["href"])
        if tag == "p" and a.get("class") == "warning":
            self.warnings.append("")
        if tag == "table":
            self.caption, self.rows = "", []
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "svg" and a.get("aria-hidden") != "true":
            self.svgs.append({**a, "title": "", "desc": "", "marks": []})
        if "data-x" in a:
            self.svgs[-1]["marks"].append({**a, "title": "", "curve": self.curve})
        if "data-curve" in a:
            self.curve = a.get("data-name", a["data-curve"])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()
        if tag == "table":
            self.tables[self.caption] = self.rows

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if not tags:
            return
        if tags[-1] == "script":
            self.scripts.append(data)
        if "p" in tags and self.open[tags.index("p")][1].get("class") == "warning":
            self.warnings[-1] += data
        if tags[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if tags[-1] == "caption":
            self.caption += data
        if tags[-1] in ("title", "desc") and "svg" in tags:
            if tags[-2] == "svg":
                self.svgs[-1][tags[-1]] += data
            elif "data-x" in self.open[-2][1]:
                self.svgs[-1]["marks"][-1]["title"] += data

    def table(self, begin):
        found = [rows for caption, rows in self.tables.items() if caption.startswith(begin)]
        assert len(found) == 1, (begin, list(self.tables))
        return found[0]

    def column(self, begin, name):
        rows = self.table(begin)
        at = rows[0].index(name)
        return [row[at] for row in rows[1:]]

    def picture(self, begin):
        found = [svg for svg in self.svgs if svg["title"].startswith(begin)]
        assert len(found) == 1, (begin, [svg["title"] for svg in self.svgs])
        return found[0]

    def values(self, begin, curve):
        return [(float(m["data-x"]), float(m["data-y"])) for m in self.picture(begin)["marks"]
                if m["curve"] == curve]


def faults_of(page):
    """What is wrong with any page, whatever it shows."""
    faults = [f"id {i} twice" for i in page.ids if page.ids.count(i) > 1]
    faults += [f"link to {link}" for link in page.links if link[1:] not in page.ids]
    faults += [f"{tag} loads" for tag, a in page.loads if tag != "script" or a]
    if len(page.scripts) != 1 or not page.scripts[0].lstrip().startswith("// SPDX"):
        faults.append("another script than the page's own")
    if re.search(r"(?:src|href)\s*=(?!\s*['\"]?#)|url\(|@import|https?:(?!//www\.w3\.org)",
                 page.text.replace(page.scripts[0], "")):
        faults.append("something from elsewhere")
    for svg in page.svgs:
        names = (svg.get("aria-labelledby") or "").split()
        if len(names) != 2 or not set(names) <= set(page.ids) or not svg["title"] or not svg["desc"]:
            faults.append(f"a picture without a name: {svg}")
        faults += [f"a mark that says nothing in {svg['title']}" for m in svg["marks"]
                   if not m["title"]]
    return faults


class PageTest(tool.ToolTest):
    """Tests that make pages."""

    @classmethod
    def setUpClass(cls):
        cls.files = cases.documents(tool.binary())

    def page(self, *names, **extra):
        """The page of some of the files, and of others that are given whole."""
        files = {**{name: self.files[name] for name in names},
                 **{name + ".json": data for name, data in extra.items()}}
        for name, data in files.items():
            self.put(name, json.dumps(data))
        done = self.run_tool("report", *files, "-o", "report.html")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        page = Page(self.get("report.html").decode())
        self.assertEqual(faults_of(page), [])
        return page
