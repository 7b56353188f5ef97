# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dtypes, operators and options against NumPy, on integers, where every order gives the same."""

import struct

import numpy as np

import canonical
import tool

INTEGERS = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
ACCUMULATE = {"min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
              "xor": np.bitwise_xor}


def numbers(kind, n, extra=0):
    """Any bits, with the extremes among them."""
    if kind == "b1":
        return tool.random(extra).integers(0, 2, n).astype(bool)
    limits = np.iinfo(kind)
    values = tool.random(extra).integers(limits.min, limits.max, n, kind, endpoint=True)
    values[: min(n, 2)] = [limits.max, limits.min][: min(n, 2)]
    return values


def cumulated(x, op, dtype=None):
    """What NumPy gives, with the conversion of the elements first."""
    if op == "sum":
        return np.cumsum(x, dtype=dtype)
    if op == "prod":
        return np.cumprod(x, dtype=dtype)
    return ACCUMULATE[op].accumulate(x if dtype is None else x.astype(dtype))


class Dtypes(tool.ToolTest):
    def test_every_operator_and_integer_dtype_is_numpys(self):
        for number, kind in enumerate(INTEGERS):
            for op in canonical.OPERATORS:
                x = numbers(kind, 100 + number, number)
                with self.subTest(kind, op=op):
                    self.assert_same(self.scan_array(x, "--op", op), cumulated(x, op))

    def test_out_dtype_converts_the_elements_first_and_wraps(self):
        for number, kind in enumerate(INTEGERS):
            for out in INTEGERS:
                for op in "sum", "prod", "min", "max", "xor":
                    x = numbers(kind, 40, number)
                    with self.subTest(kind, out=out, op=op):
                        self.assert_same(self.scan_array(x, "--op", op, "--out-dtype", out),
                                         cumulated(x, op, np.dtype(out)))

    def test_narrow_types_wrap_over_many_blocks(self):
        x = np.ones(100000, np.int16)
        y = self.scan_array(x, "--out-dtype", "i2")
        self.assertEqual((y[32767], y[99999]), (-32768, -31072))
        x = np.zeros(100000, np.int8)
        x[0] = 1
        self.assert_same(self.scan_array(x, "--out-dtype", "i1"), np.ones(100000, np.int8))
        self.assert_same(self.scan_array(np.uint8([16, 16, 2]), "--op", "prod", "--out-dtype",
                                         "u1"),
                         np.uint8([16, 0, 0]))
        self.assert_same(self.scan_array(np.uint8([16, 16, 2]), "--op", "prod", "--out-dtype",
                                         "i8"),
                         np.int64([16, 256, 512]))
        self.assert_same(
            self.scan_array(np.full(3, 100, np.int8), "--exclusive", "--out-dtype", "i4"),
            np.int32([0, 100, 200]))

    def test_floats_to_integers_drop_the_fraction_and_must_fit(self):
        x = np.array([1.9, -1.9, -0.5, 3], np.float64)
        for kind in "i1", "i8":
            self.assert_same(self.scan_array(x, "--out-dtype", kind), np.array([1, 0, 0, 3], kind))
        self.assert_same(self.scan_array(x[3:], "--out-dtype", "u1"), np.uint8([3]))
        ends = np.array([-2.0**63, 2.0**63 - 1024])
        self.assert_same(self.scan_array(ends, "--out-dtype", "i8", "--op", "max"),
                         ends.astype(np.int64))
        self.assert_same(self.scan_array(np.array([2.0**64 - 2048]), "--out-dtype", "u8"),
                         np.array([2**64 - 2048], np.uint64))
        for bad, kind in [(128.0, "i1"), (-129.0, "i1"), (-1.0, "u1"), (2.0**63, "i8"),
                          (2.0**64, "u8"), (np.nan, "i8"), (np.inf, "i4")]:
            self.put("x.npy", np.array([1, 2, bad]))
            self.assert_refused(1, ["x.npy", "element 2", np.dtype(kind).name],
                                "scan", "x.npy", "--out-dtype", kind)
        self.assert_same(self.scan_array(np.array([0.0, 0.5, 0]), "--out-dtype", "bool"),
                         np.array([False, True, True]))

    def test_integers_to_floats(self):
        x = np.array([2**53 + 1, 1], np.int64)
        self.assert_same(self.scan_array(x, "--out-dtype", "f8"), np.array([2.0**53, 2.0**53]))
        self.assert_same(self.scan_array(np.uint8([1, 2]), "--out-dtype", "f4"), np.float32([1, 3]))

    def test_exclusive_without_init_begins_with_the_empty_value(self):
        empty = {"sum": 0, "prod": 1, "or": 0, "xor": 0}
        for kind in INTEGERS:
            for op in canonical.OPERATORS:
                x = numbers(kind, 3)
                out = "b1" if kind == "b1" else kind
                y = self.scan_array(x, "--op", op, "--exclusive", "--out-dtype", out)
                limits = (False, True) if kind == "b1" else (np.iinfo(kind).min, np.iinfo(kind).max)
                first = {**empty, "min": limits[1], "max": limits[0],
                         "and": True if kind == "b1" else np.array(~np.array(0, kind))}[op]
                want = np.append(np.array(first, out), cumulated(x, op, np.dtype(out))[:-1])
                with self.subTest(kind, op=op):
                    self.assert_same(y, want.astype(out))
        for kind in "f2", "f4", "f8":
            for op, first in [("sum", 0), ("prod", 1), ("min", np.inf), ("max", -np.inf)]:
                self.assert_same(self.scan_array(np.array([6, 3], kind), "--op", op, "--exclusive"),
                                 np.array([first, 6], kind))

    def test_init(self):
        x = np.arange(1, 9, dtype=np.int32)
        self.assert_same(self.scan_array(x, "--exclusive", "--init", "10", "--out-dtype", "i4"),
                         np.int32([10, 11, 13, 16, 20, 25, 31, 38]))
        self.assert_same(self.scan_array(x, "--init", "-5"), np.cumsum(x, dtype=np.int64) - 5)
        self.assert_same(self.scan_array(x[:0], "--exclusive", "--total", "--init", "7"),
                         np.int64([7]))
        self.assert_same(self.scan_array(x, "--op", "max", "--init", "5"), np.maximum(x, 5))
        for out, words in [("i1", ["128", "-129", "1.0", "x", ""]),
                           ("u8", ["-1", "18446744073709551616"]),
                           ("bool", ["2"]), ("f4", ["1e39", "abc"]), ("f2", ["65520"])]:
            for word in words:
                reason = np.dtype(out).name if word else "empty"
                self.assert_refused(2, ["--init", f"'{word}'", reason],
                                    "scan", "in.npy", "--out-dtype", out, "--init", word)

    def test_total_and_reverse(self):
        x = np.array([1, 2, 3])
        for arguments, want in [
            ([], [1, 3, 6]),
            (["--reverse"], [6, 5, 3]),
            (["--exclusive"], [0, 1, 3]),
            (["--exclusive", "--reverse"], [5, 3, 0]),
            (["--exclusive", "--total"], [0, 1, 3, 6]),
            (["--exclusive", "--total", "--reverse"], [6, 5, 3, 0]),
            (["--exclusive", "--total", "--reverse", "--init", "10"], [16, 15, 13, 10]),
        ]:
            self.assert_same(self.scan_array(x, *arguments), np.array(want))
            self.assertEqual(self.scan_text("1 2 3", *arguments), [str(v) for v in want])
        self.assert_same(self.scan_array(x[:0], "--exclusive", "--total"), np.array([0]))
        self.assert_same(self.scan_array(x[:0], "--reverse"), x[:0])

    def test_axes(self):
        for shape in [(5,), (3, 4), (2, 3, 4), (3, 1, 2), (40, 300), (300, 40), (2, 70, 33),
                      (0, 3)]:
            for kind in "i4", "u1", "f8":
                x = tool.random(3).integers(0, 50, shape).astype(kind)
                for axis in [*range(-len(shape), len(shape))]:
                    with self.subTest(shape=shape, axis=axis, kind=kind):
                        self.axis_in_all_ways(x, axis)
                self.assert_same(self.scan_array(x), np.cumsum(x))

    def axis_in_all_ways(self, x, axis):
        sums = np.cumsum(x, axis=axis)
        zero = np.zeros_like(np.take(sums, [], axis=axis), shape=[
            1 if d == axis % x.ndim else n for d, n in enumerate(x.shape)])
        total = np.concatenate([zero, sums], axis=axis)
        self.assert_same(self.scan_array(x, "--axis", axis), sums)
        self.assert_same(self.scan_array(x, "--axis", axis, "--exclusive", "--total"), total)
        mirrored = np.flip(np.cumsum(np.flip(x, axis), axis=axis), axis)
        self.assert_same(self.scan_array(x, "--axis", axis, "--reverse"), mirrored)
        self.assert_same(
            self.scan_array(x, "--axis", axis, "--reverse", "--exclusive", "--total"),
            np.concatenate([mirrored, zero], axis=axis))

    def test_axes_that_are_not_there(self):
        self.put("x.npy", np.ones((2, 3)))
        for axis in 2, -3, 99:
            self.assert_refused(2, ["x.npy", f"no axis {axis}"], "scan", "x.npy", "--axis", axis)
        self.assert_refused(2, ["no axis 1"], "scan", "-", "--axis", "1", stdin="1 2")

    def test_bitwise_operators_need_integers(self):
        for op in "and", "or", "xor":
            for kind in "f2", "f4", "f8":
                self.put("x.npy", np.ones(2, kind))
                self.assert_refused(2, ["x.npy", op, np.dtype(kind).name], "scan", "x.npy", "--op",
                                    op)
            self.put("x.npy", np.ones(2, np.int32))
            self.assert_refused(2, [op, "float64"], "scan", "x.npy", "--op", op, "--out-dtype",
                                "f8")

    def test_raw_files(self):
        self.put("x.bin", struct.pack("<3i", 1, 2, 3))
        self.assertEqual(self.scan("x.bin", "--dtype", "i4"), b"1\n3\n6\n")
        for name in "y.bin", "y.raw", "y.dat", "y":
            self.scan("x.bin", "--dtype", "int32", "--out-dtype", "<i4", "-o", name)
            self.assertEqual(self.get(name), struct.pack("<3i", 1, 3, 6))
        self.put("x.dat", struct.pack(">3i", 1, 2, 3))
        self.assertEqual(self.scan("x.dat", "--dtype", ">i4"), b"1\n3\n6\n")
        self.put("e.bin", b"")
        self.assertEqual(self.scan("e.bin", "--dtype", "f8"), b"")
        self.put("x.bin", bytes.fromhex("01000000020000000300"))
        self.assert_refused(1, ["x.bin", "10 bytes", "4 bytes"], "scan", "x.bin", "--dtype", "i4",
                            "-o", "y2.bin")

    def test_any_byte_of_a_bool_counts_as_true(self):
        self.put("x.bin", bytes([0, 1, 2, 255, 0]))
        self.assertEqual(self.scan("x.bin", "--dtype", "bool").split(),
                         [b"0", b"1", b"2", b"3", b"3"])
        self.assertEqual(self.scan("x.bin", "--dtype", "bool", "--op", "xor").split(),
                         [b"0", b"1", b"0", b"1", b"1"])

    def test_files_whose_content_nothing_tells(self):
        self.put("x.dat", b"1 2 3")
        self.assert_refused(2, ["x.dat", "--dtype"], "scan", "x.dat")
        self.put("x.bin", b"1234")
        self.assert_refused(2, ["x.bin", "--dtype"], "scan", "x.bin")

    def test_names_of_dtypes(self):
        self.put("x.bin", bytes(16))
        for name in ["b1", "bool", "|b1", "|u1", "<i4", "=i4", "int8", "uint64", "f2", "float16",
                     "<f8", "bf16", "bfloat16", ">f4", "|i1"]:
            self.scan("x.bin", "--dtype", name)
        for name in ["", "i3", "f16", "int", "I4", "<", "<<i4", "i4 ", "|i4", "c32"]:
            self.assert_refused(2, ["--dtype", f"'{name}'"], "scan", "x.bin", "--dtype", name)
            self.assert_refused(2, ["--out-dtype", f"'{name}'"], "scan", "x.bin", "--dtype", "i4",
                                "--out-dtype", name)
        self.assert_refused(2, ["--out-dtype", "little-endian"], "scan", "x.bin", "--dtype", "i4",
                            "--out-dtype", ">i4")


if __name__ == "__main__":
    tool.main()
