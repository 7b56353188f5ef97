# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers: sums and products of c8 and c16 in the canonical order."""

import numpy as np

import canonical
import tool


def product(left, right):
    """The product as documented. A product of float32 fits the long double that stands for the
    inside of the fused operation, and sums there have 40 bits more than are kept."""
    a, b, c, d = (part.astype(np.longdouble) for part in (left.real, left.imag, right.real,
                                                          right.imag))
    half = left.real.dtype
    result = np.empty_like(left)
    result.real = (a * c - (b * d).astype(half)).astype(half)
    result.imag = (a * d + (b * c).astype(half)).astype(half)
    return result


class Complex(tool.ToolTest):
    def numbers(self, kind, n, extra=0):
        random = tool.random(extra)
        return (random.standard_normal(n) + 1j * random.standard_normal(n)).astype(kind)

    def bits(self, got, want):
        part = np.float32 if got.dtype == np.complex64 else np.float64
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        self.assert_same(np.ascontiguousarray(got).view(part), np.ascontiguousarray(want).view(part))

    def test_sums_are_canonical_for_every_order_and_byte_order(self):
        for kind in "c8", "c16":
            for shape in (), (0,), (1,), (1000,), (3, 0), (40, 30), (5, 1, 7):
                x = self.numbers(kind, shape)
                for order in "C", "F":
                    for byte_order in "<>":
                        array = np.asarray(x).astype(byte_order + kind, order=order)
                        flat = np.asarray(x).reshape(-1)
                        self.bits(self.scan_array(array), canonical.scan(flat))
                        for axis in range(len(shape)):
                            self.bits(self.scan_array(array, "--axis", axis),
                                      canonical.scan(np.asarray(x), axis=axis))

    def test_products_are_canonical(self):
        angles = tool.random(2).random(3000) * 7
        x = np.exp(1j * angles).astype(np.complex64)  # products of these stay near the unit circle
        with np.errstate(all="ignore"):
            want = canonical.prefixes(x, product)
        self.bits(self.scan_array(x, "--op", "prod"), want)

    def test_gaussian_integers_are_exact(self):
        x = tool.random(3).integers(-3, 4, (2, 20))
        x = (x[0] + 1j * x[1]).astype(np.complex128)
        got = self.scan_array(x, "--op", "prod")
        self.assertTrue(np.array_equal(got, np.cumprod(x)))

    def test_a_text_of_them_needs_a_dtype(self):
        for word in "1+2j", "(1-2J)", "3j", "1e5+1e5j", "nan-infj":
            for arguments in [], ["--dtype", "f4"], ["--dtype", "i4"], ["--dtype", "bool"]:
                for text in word, f"1 {word}":
                    message = self.assert_refused(1, [f"'{word}' is complex", "--dtype c16"],
                                                  "scan", "-", *arguments, stdin=text)
                    self.assertNotIn("header", message)
            self.scan("-", "--dtype", "c16", stdin=word)
        for word in "j", "1+j2", "1+2jj", "(1)", "1 +2i":
            message = self.assert_refused(1, ["is not"], "scan", "-", stdin=word)
            self.assertNotIn("c16", message)

    def test_init_exclusive_out_dtype_and_verify(self):
        x = np.array([1 + 2j, 3 - 1j, 0.5j], np.complex64)
        got = self.scan_array(x, "--exclusive", "--total", "--init", "1-1j")
        self.bits(got, np.array([1 - 1j, 2 + 1j, 5, 5 + 0.5j], np.complex64))
        self.bits(self.scan_array(x, "--out-dtype", "c16"), np.cumsum(x.astype(np.complex128)))
        self.bits(self.scan_array(np.int32([1, 2]), "--out-dtype", "c8"),
                  np.array([1, 3], np.complex64))
        self.put("x.npy", self.numbers("c8", 5000))
        for op in "sum", "prod":
            done = self.run_tool("scan", "x.npy", "-o", "y.npy", "--verify", "--op", op)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"PASS", done.stderr)
        self.put("x.npy", np.array([1e8j, 1j, -1e8j], np.complex64))
        done = self.run_tool("scan", "x.npy", "-o", "z.npy", "--verify")
        self.assertEqual(done.returncode, 3)

    def test_text(self):
        text = "1+2j (3-1e-05j) 2j 1 -1.5-0.5j"
        self.assertEqual(self.scan_text(text, "--dtype", "c16"),
                         ["1+2j", "4+1.99999j", "4+3.99999j", "5+3.99999j", "3.5+3.49999j"])
        self.assertEqual(self.scan_text("inf-nanj", "--dtype", "c8"), ["inf+nanj"])
        x = self.numbers("c16", 200)
        self.put("x.npy", x)
        words = self.scan("x.npy").decode().split()
        self.assertTrue(np.array_equal([complex(word) for word in words], canonical.scan(x)))
        for word in "1+2", "j", "1+2k", "1+j2", "1+2j+3", "1e400j", "()":
            self.assert_refused(1, ["line 1, column 1", word], "scan", "-", "--dtype", "c16",
                                stdin=word)

    def test_what_is_not_defined(self):
        self.put("x.npy", self.numbers("c8", 4))
        for op in "min", "max", "and", "or", "xor":
            self.assert_refused(2, ["x.npy", op, "complex64"], "scan", "x.npy", "--op", op)
        self.assert_refused(2, ["complex64", "float64", "--out-dtype c8"], "scan", "x.npy",
                            "--out-dtype", "f8")

    def test_raw(self):
        x = self.numbers("c8", 10)
        self.put("x.bin", x.astype(">c8").tobytes())
        self.scan("x.bin", "--dtype", "c8", "--byte-order", "big", "-o", "y.bin")
        self.assertEqual(self.get("y.bin"), canonical.scan(x).tobytes())


if __name__ == "__main__":
    tool.main()
