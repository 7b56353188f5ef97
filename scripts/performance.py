#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/performance.md from the JSON of `upsweep bench`.

usage: performance.py [--check] [--doc FILE.md] [RESULT.json ...]

Replaces what stands between <!-- generated:begin --> and <!-- generated:end -->, all results in the
order of their names, or between <!-- generated:begin RESULT.json --> and the end, that one only.
Without a RESULT: bench/results/*.json. --check changes nothing and exits with 1 when the page is
not what the results give.
"""

import argparse
import difflib
import json
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"(<!-- generated:begin ?(\S*) -->\n)(.*?)(<!-- generated:end -->)", re.S)
COPIES = ("memcpy-1", "memcpy-all", "stream-copy-1", "stream-copy-all", "memcpy", "copy-kernel")
COPIES_ALL = ("memcpy-all", "stream-copy-all")
RIVALS = ("std", "std-par", "tbb", "cub")
OURS = ("upsweep-seq", "upsweep-par", "upsweep-cuda")
ON_GPU = ("memcpy", "copy-kernel", "cub", "upsweep-cuda")
FIELDS = {"engine", "device", "op", "type", "kind", "n", "bytes", "median_s", "samples_s",
          "gb_per_s"}


class Fault(Exception):
    """Something in the input that makes a page impossible; the message names the file."""


class Row:
    """All engines on one workload."""

    def __init__(self, first):
        self.first = first
        self.engines = {}

    def best(self, names):
        """The best rate among the named engines, or None."""
        return max((self.engines[e]["gb_per_s"] for e in names if e in self.engines), default=None)

    def ratio(self, engine, names):
        """The rate of an engine as a multiple of the best of others, or None."""
        best = self.best(names)
        return self.engines[engine]["gb_per_s"] / best if engine in self.engines and best else None

    def our_best(self, names):
        """The better ratio of the two engines of Upsweep, or None."""
        return max((r for e in OURS if (r := self.ratio(e, names))), default=None)

    def is_a(self, op, type_, n=None, kind="inclusive"):
        f = self.first
        return (f["op"], f["type"], f["kind"]) == (op, type_, kind) and n in (None, f["n"])

    def label(self):
        f = self.first
        if "shape" in f:
            return "{}×{}, axis {}".format(*f["shape"], f["axis"])
        n = f["n"]
        return f"2^{n.bit_length() - 1}" if n > 1 and n & (n - 1) == 0 else str(n)


def read(path):
    """(machine, rows) of a file. Engines of one workload may stand anywhere in it."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        machine, results = data["machine"], data["results"]
    except (OSError, ValueError, KeyError, TypeError) as why:
        raise Fault(f"{path}: not the JSON of upsweep bench ({why})") from why
    rows = {}
    for r in results:
        if missing := FIELDS - set(r):
            raise Fault(f"{path}: a result lacks {', '.join(sorted(missing))}")
        key = (r["device"], r["type"], r["op"], r["kind"], "shape" in r, r["n"],
               str(r.get("shape")), r.get("axis"), r.get("latency"), r.get("cold"))
        rows.setdefault(key, Row(r)).engines[r["engine"]] = r
    return machine, list(rows.values())


def spread(samples):
    """Half the distance between the quartiles, as a share of the median; as cli/bench_measure.cpp."""
    s = sorted(samples)
    quarter = (len(s) - 1) // 4
    return (s[len(s) - 1 - quarter] - s[quarter]) / 2 / statistics.median(s)


def percent(ratio):
    return "–" if ratio is None else f"{100 * ratio:.0f} %"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.2f} ×"


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, *rows]]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def rate_table(rows):
    """The rates of all engines that were measured, then what they mean."""
    known = (*COPIES, *RIVALS, *OURS)
    present = {e for row in rows for e in row.engines}
    names = [e for e in known if e in present] + sorted(present - set(known))
    ours = [e for e in OURS if e in present]
    head = ["n", *names, "spread"]
    for e in ours:
        head += [f"{e} of copy", f"{e} of rival"]
    body = []
    for row in rows:
        rates = [row.engines[e]["gb_per_s"] if e in row.engines else None for e in names]
        widest = max(spread(r["samples_s"]) for r in row.engines.values())
        cells = [row.label(), *("–" if r is None else f"{r:.2f}" for r in rates), percent(widest)]
        for e in ours:
            cells += [percent(row.ratio(e, COPIES)), times(row.ratio(e, RIVALS))]
        body.append(cells)
    return table(head, body)


def time_table(rows):
    """Of a GPU: microseconds a call, then the shares of both copies and the ratio to CUB."""
    names = [e for e in ON_GPU if any(e in row.engines for row in rows)]
    head = ["n", *(f"{e} µs" for e in names), "spread", "of memcpy", "of copy-kernel",
            "against cub", "GB/s"]
    body = []
    for row in rows:
        medians = [row.engines[e]["median_s"] if e in row.engines else None for e in names]
        widest = max(spread(r["samples_s"]) for r in row.engines.values())
        ours = row.engines.get("upsweep-cuda")
        body.append([row.label(), *("–" if m is None else f"{1e6 * m:.2f}" for m in medians),
                     percent(widest), *(percent(row.ratio("upsweep-cuda", (e,)))
                                        for e in ("memcpy", "copy-kernel")),
                     times(row.ratio("upsweep-cuda", ("cub",))),
                     f"{ours['gb_per_s']:.0f}" if ours else "–"])
    return table(head, body)


def error_table(rows):
    """The largest errors that --accuracy has told, of engines that have any."""
    names = list(dict.fromkeys(e for row in rows for e, r in row.engines.items() if "error" in r))
    body = [[row.label(), *(f"{row.engines[e]['error']:.2g}" if "error" in row.engines.get(e, {})
                            else "–" for e in names)] for row in rows]
    return table(["largest error, n", *names], body) if names else []


def slower_than_std(rows):
    """(sizes where upsweep-seq loses to std by more than 5 % and 20 ns, sizes with both)."""
    pairs = [(row.engines["upsweep-seq"]["median_s"], row.engines["std"]["median_s"])
             for row in rows if {"upsweep-seq", "std"} <= set(row.engines)]
    return sum(a > 1.05 * b and a > b + 20e-9 for a, b in pairs), len(pairs)


def targets(rows):
    """The numbers that are asked for, as far as these rows answer them."""
    rows = [row for row in rows if row.first["device"] == "cpu"]
    flat = [row for row in rows if "shape" not in row.first]
    lines = []

    def at_least(what, value, wanted, show):
        if value is not None:
            lines.append([what, "≥ " + show(wanted), show(value), "yes" if value >= wanted else "no"])

    def pick(*which, among=flat, **more):
        return [row for row in among if row.is_a(*which, **more)]

    for type_, wanted in (("f32", 0.9), ("f64", 0.9), ("i32", 0.9), ("f16", 0.5), ("u8", 0.5)):
        for row in pick("sum", type_, 1 << 28):
            at_least(f"sum of {type_}, 2^28, share of the fastest all-threads copy",
                     row.our_best(COPIES_ALL), wanted, percent)
    for row in pick("sum", "f32", 1 << 28):
        at_least("sum of f32, 2^28, against std-par", row.our_best(("std-par",)), 2.5, times)
    for row in pick("sum", "f32", 1 << 16):
        at_least("sum of f32, 2^16, one thread, against std", row.ratio("upsweep-seq", ("std",)), 4,
                 times)
    for row in rows:
        if row.first.get("shape") == [4096, 65536] and row.is_a("sum", "f32"):
            at_least(f"sum of f32, {row.label()}, share of the fastest copy", row.our_best(COPIES),
                     0.8, percent)
    slower, of = slower_than_std(flat)
    if of:
        lines.append(["sizes where upsweep-seq is slower than std by more than 5 % and 20 ns", "0",
                      f"{slower} of {of}", "yes" if slower == 0 else "no"])
    return table(["asked for", "wanted", "measured", "reached"], lines) if lines else []


def machine_line(machine):
    def size(n):
        return f"{n >> 20} MiB" if n >= 1 << 20 else f"{n >> 10} KiB"

    try:
        if g := machine.get("gpu"):
            return (f"{g['name']}, {size(g['memory'])}, {g['multiprocessors']} multiprocessors, L2 "
                    f"{size(g['l2'])}; driver {g['driver']}, runtime {g['runtime']}, CUB {g['cub']}; "
                    f"{machine['cpu']}; Upsweep {machine['version']}; {machine['date'][:10]}.")
        c = machine["caches"]
        return (f"{machine['cpu']}, {machine['cores']} cores, {machine['threads']} threads, "
                f"{machine['simd']}; caches {size(c['l1d'])}, {size(c['l2'])}, {size(c['l3'])}; "
                f"{machine['compiler']}; Upsweep {machine['version']}; {machine['date'][:10]}.")
    except (KeyError, TypeError) as why:
        raise Fault(f"the machine is not described: {why} is missing") from why


def page_of(path):
    """The lines for one file of results."""
    machine, rows = read(path)
    try:
        lines = [f"### {Path(path).name}", "", machine_line(machine), "", *targets(rows)]
    except Fault as why:
        raise Fault(f"{path}: {why}") from why
    groups = {}
    for row in rows:
        f = row.first
        along = ", two dimensions" if "shape" in f else ""
        on_gpu = "latency" in f
        calls = f", {f['latency']}{', cold' if f.get('cold') else ''}" if on_gpu else ", GB/s"
        title = f"{f['kind']} {f['op']} of {f['type']}{along}, {f['device']}{calls}"
        groups.setdefault(title[0].upper() + title[1:], []).append(row)
    for title, members in groups.items():
        show = time_table if "latency" in members[0].first else rate_table
        lines += [f"#### {title}", "", *show(members), *error_table(members)]
    return "\n".join(lines)


def generate(text, paths):
    """The page with its sections as the results give them."""
    by_name = {Path(p).name: p for p in sorted(paths, key=lambda p: Path(p).name)}
    if text.count("<!-- generated:") != 2 * len(SECTION.findall(text)) or not SECTION.search(text):
        raise Fault("the page has no section, or one that is begun or ended without the other")

    def fill(section):
        wanted = [section.group(2)] if section.group(2) else list(by_name)
        if missing := [name for name in wanted if name not in by_name]:
            raise Fault(f"the page has a section for {missing[0]}, which is not among the results")
        pages = [page_of(by_name[name]) for name in wanted]
        return section.group(1) + "".join(f"\n{page}\n" for page in pages) + section.group(4)

    return SECTION.sub(fill, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 on drift")
    parser.add_argument("--doc", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("results", nargs="*", type=Path)
    a = parser.parse_args()
    try:
        old = a.doc.read_text(encoding="utf-8")
        new = generate(old, a.results or sorted((ROOT / "bench" / "results").glob("*.json")))
        if new != old and not a.check:
            a.doc.write_text(new, encoding="utf-8")
    except (OSError, Fault) as why:
        print(f"performance.py: {why}", file=sys.stderr)
        return 2
    if new == old or not a.check:
        return 0
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                               str(a.doc), "what the results give", n=0))
    print(f"performance.py: {a.doc} has drifted; run scripts/performance.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
