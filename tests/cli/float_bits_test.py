# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bits of float results: those of the canonical order, on any vector unit and thread count."""

import numpy as np

import canonical
import tool

SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 1000,
         1023,
         1024, 1025, 4095, 4097, 65535, 65537, 100003]
UNITS = ["scalar", "sse4", "avx2", "avx512"]


def values(n, kind, op="sum"):
    random = tool.random(n)
    if op == "prod":
        return random.uniform(0.99, 1.0101, n).astype(kind)
    # Of very different sizes, so that another order gives other bits.
    return (random.standard_normal(n) * np.exp2(random.integers(-12, 12, n))).astype(kind)


def scanned(x, op="sum", **options):
    """The canonical scan, with float16 accumulated in float32 and rounded on store."""
    if x.dtype != np.float16:
        return canonical.scan(x, op, **options)
    with np.errstate(over="ignore"):
        return canonical.scan(x.astype(np.float32), op, **options).astype(np.float16)


class FloatBits(tool.ToolTest):
    def units(self):
        """The vector units of this machine; the others are refused by name."""
        self.put("one.txt", "1")
        here = []
        for unit in UNITS:
            done = self.run_tool("scan", "one.txt", "--simd", unit)
            if done.returncode == 0:
                here.append(unit)
            else:
                self.assertEqual(done.returncode, 1)
                self.assertIn(unit.encode(), done.stderr)
        self.assertIn("scalar", here)
        return here

    def test_every_size_has_the_canonical_bits(self):
        for n in SIZES:
            for kind in "f2", "f4", "f8":
                for op in "sum", "prod":
                    x = values(n, kind, op)
                    with self.subTest(n=n, kind=kind, op=op):
                        self.assert_same(self.scan_array(x, "--op", op), scanned(x, op))

    def test_exclusive_total_init_and_reverse(self):
        for n in 0, 1, 5, 64, 1027, 70001:
            for kind in "f2", "f4", "f8":
                x = values(n, kind)
                init = np.dtype(kind).type(0.625)
                wide = np.float32(init) if kind == "f2" else init
                for reverse in False, True:
                    back = ["--reverse"] if reverse else []
                    with self.subTest(n=n, kind=kind, reverse=reverse):
                        self.assert_same(self.scan_array(x, *back), scanned(x, reverse=reverse))
                        self.assert_same(self.scan_array(x, "--init", "0.625", *back),
                                         scanned(x, init=wide, reverse=reverse))
                        self.assert_same(
                            self.scan_array(x, "--exclusive", "--total", *back),
                            scanned(x, exclusive=True, total=True, reverse=reverse))
                        self.assert_same(
                            self.scan_array(x, "--exclusive", "--init", "0.625", *back),
                            scanned(x, exclusive=True, init=wide, reverse=reverse))

    def test_each_line_along_an_axis_is_a_scan_of_its_own(self):
        for shape in (3, 1000), (1000, 3), (33, 65), (5, 40, 7), (2, 3, 300), (70, 513):
            for kind in "f2", "f4", "f8":
                for order in "C", "F":
                    x = np.asarray(values(int(np.prod(shape)), kind).reshape(shape), order=order)
                    for axis in range(len(shape)):
                        with self.subTest(shape=shape, kind=kind, axis=axis, order=order):
                            self.assert_same(self.scan_array(x, "--axis", axis),
                                             scanned(x, axis=axis))

    def test_units_and_threads_do_not_change_a_byte(self):
        units = self.units()
        for n, kind, op, more in [(100003, "f4", "sum", []), (100003, "f8", "sum", ["--exclusive"]),
                                  (65536, "f2", "sum", []), (70001, "f4", "prod", ["--reverse"]),
                                  (3001, "f4", "max", []), (100003, "i4", "sum", []),
                                  (100003, "u1", "sum", ["--out-dtype", "u1"])]:
            x = (values(n, kind, op) if kind[0] == "f"
                 else tool.random(n).integers(0, 200, n).astype(kind))
            self.put("x.npy", x)
            results = set()
            for unit in units:
                for threads in 1, 2, 3, 8:
                    self.scan("x.npy", "--op", op, *more, "--simd", unit, "--threads", threads,
                              "-o", "y.npy")
                    results.add(self.get("y.npy"))
            with self.subTest(n=n, kind=kind, op=op):
                self.assertEqual(len(results), 1)

    def test_many_chunks_on_many_threads(self):
        x = values(1 << 22, "f4")
        want = scanned(x)
        self.put("x.npy", x)
        for threads in 0, 1, 2, 3, 8:
            self.scan("x.npy", "--threads", threads, "-o", "y.npy")
            self.assert_same(np.load(self.path("y.npy")), want, f"{threads} threads")

    def test_accumulating_in_another_float(self):
        x = values(3001, "f4")
        self.assert_same(self.scan_array(x, "--out-dtype", "f8"), scanned(x.astype("f8")))
        x = values(3001, "f8")
        self.assert_same(self.scan_array(x, "--out-dtype", "f4"), scanned(x.astype("f4")))
        x = values(3001, "f2")
        self.assert_same(self.scan_array(x, "--out-dtype", "f4"), scanned(x.astype("f4")))

    def test_bfloat16(self):
        bits = canonical.bfloat16_bits(values(5001, "f4"))
        x = canonical.bfloat16_values(bits)
        self.put("x.bin", bits.tobytes())
        for unit in self.units():
            self.scan("x.bin", "--dtype", "bf16", "--simd", unit, "-o", "y.bin")
            want = canonical.bfloat16_bits(canonical.scan(x))
            self.assert_same(np.frombuffer(self.get("y.bin"), np.uint16), want)

    def test_minimum_and_maximum_propagate_nan_and_order_the_zeros(self):
        for unit in self.units():
            for kind in "f2", "f4", "f8":
                x = np.array([3, np.inf, 5, np.nan, 7] * 7, kind)
                for op, fold in ("min", np.minimum), ("max", np.maximum):
                    self.assert_same(self.scan_array(x, "--op", op, "--simd", unit),
                                     fold.accumulate(x))
                for zeros in ([0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]):
                    for n in 3, 30:
                        x = np.array(zeros * (n // 3), kind)
                        sign = np.signbit(x)
                        low = np.where(np.logical_or.accumulate(sign), -0.0, 0.0).astype(kind)
                        high = np.where(np.logical_and.accumulate(sign), -0.0, 0.0).astype(kind)
                        self.assert_same(self.scan_array(x, "--op", "min", "--simd", unit), low)
                        self.assert_same(self.scan_array(x, "--op", "max", "--simd", unit), high)

    def test_negative_zero_infinity_and_nan_in_sums(self):
        for kind in "f2", "f4", "f8":
            x = np.full(70, -0.0, kind)
            self.assert_same(self.scan_array(x), x)
            self.assert_same(self.scan_array(x[:2], "--exclusive"), np.array([0.0, -0.0], kind))
            x = np.array([1, np.inf, 2, -np.inf, 3], kind)
            self.assert_same(self.scan_array(x),
                             np.array([1, np.inf, np.inf, np.nan, np.nan], kind))

    def test_long_sums_of_ones_do_not_stick(self):
        x = np.ones(1 << 20, np.float16)
        y = self.scan_array(x)
        self.assertEqual(y[2048 + 1], 2050)  # a float16 sum would stick at 2048
        self.put("x.bin", np.ones((1 << 24) + 4, np.uint8).tobytes())
        self.scan("x.bin", "--dtype", "u1", "--out-dtype", "f4", "--reverse",
                  "-o", "y.bin")
        self.assertEqual(np.memmap(self.path("y.bin"), np.float32)[0], (1 << 24) + 4)


if __name__ == "__main__":
    tool.main()
