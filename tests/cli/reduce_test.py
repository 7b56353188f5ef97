# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep reduce: NumPy's values on integers, the last bits of the scan on floats."""

import numpy as np

import canonical
import tool

INTEGERS = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


class Reduce(tool.ToolTest):
    def reduce_array(self, array, *arguments):
        self.put("in.npy", array)
        done = self.run_tool("reduce", "in.npy", "-o", "out.npy", *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        return np.load(self.path("out.npy"))

    def test_every_operator_and_integer_dtype_is_numpys(self):
        for number, kind in enumerate(INTEGERS):
            x = tool.random(number).integers(0, 2 if kind == "b1" else 100, 83).astype(kind)
            for op, ufunc in canonical.OPERATORS.items():
                with self.subTest(kind, op=op):
                    self.assert_same(self.reduce_array(x, "--op", op), np.asarray(ufunc.reduce(x)))

    def test_axes_shapes_and_orders(self):
        for shape in (3, 4), (2, 3, 4), (3, 1, 2), (40, 300), (300, 40), (2, 70, 33), (0, 3), (3, 0):
            x = tool.random(3).integers(0, 50, shape)
            for order in "C", "F":
                array = np.asarray(x, order=order)
                for axis in range(-len(shape), len(shape)):
                    with self.subTest(shape=shape, axis=axis, order=order):
                        self.assert_same(self.reduce_array(array, "--axis", axis),
                                         np.sum(x, axis=axis))
                self.assert_same(self.reduce_array(array), np.asarray(np.sum(x)))

    def test_a_fortran_array_keeps_its_order(self):
        x = np.asfortranarray(np.arange(24).reshape(2, 3, 4))
        self.assertTrue(self.reduce_array(x, "--axis", "1").flags.f_contiguous)

    def test_floats_have_the_bits_of_the_scan(self):
        for number, n in enumerate([1, 7, 1000, (1 << 20) + 77]):
            for kind in "f2", "f4", "f8":
                x = tool.random(number).standard_normal(n).astype(kind)
                for threads in "1", "2":
                    last = self.scan_array(x, "--threads", threads)[-1:]
                    got = self.reduce_array(x, "--threads", threads).reshape(1)
                    self.assert_same(got, last, f"{kind} {n}")
        x = tool.random(9).standard_normal((300, 70)).astype(np.float32)
        for axis in 0, 1:
            want = np.take(self.scan_array(x, "--axis", axis), -1, axis)
            self.assert_same(self.reduce_array(x, "--axis", axis), want)

    def test_nothing_reduces_to_the_empty_value_or_the_init(self):
        for op, want in ("sum", "0"), ("prod", "1"), ("or", "0"), ("max", str(-(2**63))):
            done = self.run_tool("reduce", "-", "--op", op)
            self.assertEqual((done.returncode, done.stdout), (0, want.encode() + b"\n"))
            done = self.run_tool("reduce", "-", "--op", op, "--init", "7")
            self.assertEqual(done.stdout, b"7\n")

    def test_it_prints_and_writes(self):
        self.put("x.npy", np.arange(6.0).reshape(2, 3))
        self.assertEqual(self.run_tool("reduce", "x.npy", "--axis", "0").stdout, b"3\n5\n7\n")
        self.assertEqual(self.run_tool("reduce", "x.npy", "--init", "0.5").stdout, b"15.5\n")
        self.run_tool("reduce", "x.npy", "--out-dtype", "f4", "-o", "y.bin")
        self.assertEqual(self.get("y.bin"), np.float32(15).tobytes())

    def test_verify_judges_it(self):
        self.put("x.npy", tool.random().random((200, 30), np.float32))
        for axis in [], ["--axis", "0"], ["--axis", "1"]:
            done = self.run_tool("reduce", "x.npy", "-o", "y.npy", "--verify", *axis)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"PASS", done.stderr)
        # float32 loses the 1 beside 1e8, which the double beside it keeps.
        for array in np.float32([1e8, 1, -1e8]), np.float32([[1e8] * 5, [1] * 5, [-1e8] * 5]):
            self.put("x.npy", array)
            done = self.run_tool("reduce", "x.npy", "-o", "z.npy", "--verify", "--axis", "0")
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"FAIL", done.stderr)

    def test_options_that_make_no_sense_are_refused(self):
        self.put("x.txt", "1 2")
        for option in "--exclusive", "--total", "--reverse":
            self.assert_refused(2, [option, "upsweep reduce --help"], "reduce", "x.txt", option)
        self.assert_refused(2, ["no axis 1"], "reduce", "x.txt", "--axis", "1")
        self.assert_refused(2, ["or", "float64"], "reduce", "-", "--op", "or", stdin="1.5")


if __name__ == "__main__":
    tool.main()
