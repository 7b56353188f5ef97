#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recomputes the numbers of docs/order.md from the definition, written here once more in Python.

usage: order_examples.py ORDER_MD

A table is an example when a line  <!-- example: KIND [KEY=VALUE ...] -->  stands above it. Every
cell of it is computed again; a column that this program does not know is a fault.
"""

import re
import struct
import sys
from fractions import Fraction
from functools import reduce

# --- the definition ---


def block_sum(x, level, index, op):
    if level == 0:
        return x[index]
    return op(block_sum(x, level - 1, 2 * index, op), block_sum(x, level - 1, 2 * index + 1, op))


def prefix_blocks(k):
    """(level, index) of the blocks of the set bits of k, largest first."""
    levels = [j for j in reversed(range(k.bit_length())) if k >> j & 1]
    return [(j, (k >> j) - 1) for j in levels]


def prefix(x, k, op, init=None):
    terms = [] if init is None else [init]
    terms += [block_sum(x, j, b, op) for j, b in prefix_blocks(k)]
    return reduce(op, terms) if terms else None


def range_blocks(begin, end):
    """The greedy cut of [begin, end) into aligned blocks."""
    blocks = []
    while begin < end:
        level = 0
        while begin % 2 ** (level + 1) == 0 and begin + 2 ** (level + 1) <= end:
            level += 1
        blocks.append((level, begin >> level))
        begin += 2**level
    return blocks


# --- numbers ---


def rounded(value, form):
    """value, a float that holds it exactly or a Fraction, rounded once to nearest even."""
    fraction_bits, least_exponent = {"float": (23, -126), "float16": (10, -14), "bfloat16": (7, -126)}[form]
    if isinstance(value, float) and (value == 0 or value != value or value in (INF, -INF)):
        return value
    exact = Fraction(value)
    if exact == 0:
        return 0.0
    exponent = least_exponent
    while abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - fraction_bits)
    result = round(exact / unit) * unit  # round() ties to even
    limit = Fraction(2) ** (16 if form == "float16" else 128)
    if abs(result) >= limit:
        return INF if exact > 0 else -INF
    return float(result) if result else (0.0 if exact > 0 else -0.0)


INF = float("inf")


def bits(value, form):
    if form == "float16":
        return f"{struct.unpack('<H', struct.pack('<e', value))[0]:04x}"
    (word,) = struct.unpack("<I", struct.pack("<f", value))
    return f"{word >> 16:04x}" if form == "bfloat16" else f"{word:08x}"


def plus(a, b):
    if INF in (abs(a), abs(b)) or (a == 0 and b == 0):
        return a + b
    return rounded(Fraction(a) + Fraction(b), "float")


def multiply_add(a, b, c):
    return rounded(Fraction(a) * Fraction(b) + Fraction(c), "float")


def compose(left, right):
    return (rounded(Fraction(right[0]) * Fraction(left[0]), "float"),
            multiply_add(right[0], left[1], right[1]))


# --- the tables ---


def left_folds(x, op):
    return [reduce(op, x[: k + 1]) for k in range(len(x))]


def text_example(rows, _):
    names = [f"x{i}" for i in range(len(rows))]
    op = lambda left, right: f"({left} + {right})"
    strip = lambda text: re.sub(r"^\((.*)\)$", r"\1", text)
    for k, _ in enumerate(rows, 1):
        yield {"k": str(k), "P(k)": strip(prefix(names, k, op)),
               "blocks": " ".join(f"({j},{b})" for j, b in prefix_blocks(k))}


def range_example(rows, _):
    for row in rows:
        begin, end = map(int, re.findall(r"\d+", row["range"]))
        yield {"range": f"[{begin}, {end})",
               "blocks": " ".join(f"({j},{b})" for j, b in range_blocks(begin, end))}


def plus_example(rows, options):
    form = options.get("storage", "float")
    x = [float(row["x[i]"]) for row in rows]
    assert all(bits(rounded(v, form), form) == bits(v, form) for v in x), "x is not exact"
    init = float(options["init"]) if "init" in options else None
    order = list(reversed(x)) if options.get("reverse") == "yes" else x
    place = lambda i: len(x) - 1 - i if options.get("reverse") == "yes" else i
    folds = left_folds(([init] if init is not None else []) + order, plus)[-len(x):]
    for i in range(len(x)):
        k = place(i)
        total = prefix(order, k + 1, plus, init)
        before = prefix(order, k, plus, init)
        stored = rounded(total, form)
        yield {"i": str(i), "x[i]": x[i], "left fold": folds[k], "accumulator": total,
               "inclusive[i]": stored, "bits": bits(stored, form),
               "exclusive[i]": 0.0 if before is None else rounded(before, form)}


def compose_example(rows, _):
    maps = [(float(row["a[i]"]), float(row["b[i]"])) for row in rows]
    for i, (a, b) in enumerate(maps):
        scale, offset = prefix(maps, i + 1, compose)
        yield {"i": str(i), "a[i]": a, "b[i]": b, "scale": scale, "offset": offset,
               "bits of offset": bits(offset, "float")}


KINDS = {"text": text_example, "ranges": range_example, "plus": plus_example,
         "compose": compose_example}


def same(cell, wanted):
    if isinstance(wanted, str):
        return cell == wanted
    return struct.pack("<d", float(cell)) == struct.pack("<d", wanted) or float(cell) != wanted != wanted


def faults(text):
    """A line for each wrong cell of the page; one more where there is no example at all."""
    examples = re.findall(r"<!-- example: (\w+)([^\n]*?) -->\n\n?((?:\|[^\n]*\n)+)", text)
    if len(examples) != text.count("<!-- example:") or not examples:
        yield "an example without a table, or no example"
    for kind, options, table in examples:
        lines = [[cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
                 for line in table.splitlines()]
        rows = [dict(zip(lines[0], line)) for line in lines[2:]]
        options = dict(option.split("=") for option in options.split())
        for number, (row, wanted) in enumerate(zip(rows, KINDS[kind](rows, options), strict=True)):
            for column, cell in row.items():
                if column not in wanted or not same(cell, wanted[column]):
                    yield f"{kind} {options}, row {number}: {column} is {wanted.get(column)}, not {cell}"


def main(path):
    with open(path, encoding="utf-8") as page:
        text = page.read()
    found = list(faults(text))
    # A planted fault in each table must be found: its last digit is changed.
    for table in re.finditer(r"<!-- example: [^\n]*\n\n?(?:\|[^\n]*\n)+", text):
        digit = max(m.start() for m in re.finditer(r"\d", table.group())) + table.start()
        wrong = text[:digit] + str((int(text[digit]) + 1) % 10) + text[digit + 1:]
        try:
            missed = list(faults(wrong)) == found
        except (AssertionError, ValueError, IndexError):
            missed = False
        if missed:
            found.append(f"a planted fault was not found at: {text[digit - 40:digit + 1]!r}")
    print("\n".join(found) or f"{text.count('<!-- example:')} examples, no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
