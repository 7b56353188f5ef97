# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that other programs had with files, texts and dtypes, as the files that showed them."""

import os
import shutil
import subprocess
import tempfile

import numpy as np

import tool


def npy(literal, data, version=1, length=None):
    """A file with a header as given, to the byte."""
    header = literal.encode() + b"\n"
    if length is not None:
        header = header[:-1].ljust(length - 1) + b"\n"
    size = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


def literal(descr="<i4", fortran=False, shape="(3,)"):
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"


INTS = np.array([1, 2, 3], "<i4").tobytes()


class Npy(tool.ToolTest):
    def sums(self, content, *arguments):
        self.put("x.npy", content)
        return self.scan("x.npy", *arguments).decode().split()

    def test_a_fortran_flag_on_one_dimension(self):
        content = npy(literal(fortran=True), np.array([7, 8, 9], "<i4").tobytes(), length=70)
        self.assertEqual(self.sums(content), ["7", "15", "24"])
        self.scan("x.npy", "--axis", "0", "-o", "y.npy")
        self.assert_same(np.load(self.path("y.npy")), np.int64([7, 15, 24]))
        self.assertIn(b"'fortran_order': False", self.get("y.npy"))

    def test_big_endian_floats_are_no_denormals(self):
        ones = np.ones(3, ">f4").tobytes()
        self.assertEqual(self.sums(npy(literal(">f4"), ones, length=70)), ["1", "2", "3"])

    def test_a_header_length_of_four_bytes(self):
        for version in 2, 3:
            self.assertEqual(self.sums(npy(literal(), INTS, version, 68)), ["1", "3", "6"])

    def test_a_header_of_a_thousand_blanks(self):
        self.assertEqual(self.sums(npy(literal(), INTS, length=1062)), ["1", "3", "6"])

    def test_an_extent_with_the_suffix_of_python_2(self):
        self.assertEqual(self.sums(npy(literal(shape="(3L,)"), INTS, length=70)), ["1", "3", "6"])

    def test_a_product_of_extents_that_wraps_to_nothing(self):
        self.put("x.npy", npy(literal(shape="(4294967296, 4294967296)"), INTS[:4], length=86))
        self.assert_refused(1, ["x.npy", "shape"], "scan", "x.npy", "-o", "y.npy")
        self.assert_refused(1, ["standard input", "shape"], "scan", "-", "--format", "npy", "-o",
                            "y.npy", stdin=self.get("x.npy"))

    def test_a_file_that_was_cut(self):
        self.put("x.npy", npy(literal(shape="(4,)"), INTS[:8], length=70))
        self.assert_refused(1, ["4 elements expected", "2 present"], "scan", "x.npy", "-o", "y.npy")

    def test_a_list_where_a_dtype_was_expected(self):
        text = literal().replace("'<i4'", "[('i', '<i8'), ('k', '<f8')]")
        self.put("x.npy", npy(text, bytes(48)))
        self.assert_refused(1, ["record"], "scan", "x.npy", "-o", "y.npy")

    def test_a_tail_of_raw_bytes(self):
        self.put("x.bin", INTS[:10])
        self.assert_refused(1, ["10 bytes", "int32"], "scan", "x.bin", "--dtype", "i4")


class Dtypes(tool.ToolTest):
    def test_accumulators_are_wide_enough(self):
        hundreds = np.full(3, 100, np.int8)
        self.assert_same(self.scan_array(hundreds, "--exclusive", "--out-dtype", "i4"),
                         np.int32([0, 100, 200]))
        self.assert_same(self.scan_array(np.array([False, True, False, True])),
                         np.int64([0, 1, 1, 2]))

    def test_rows_of_many_columns_wrap_alike(self):
        # 2^27 elements and not 2^32: the full size takes minutes on a small machine.
        ones = np.ones((2050, 65536), np.uint8)
        self.put("x.npy", ones)
        self.scan("x.npy", "--axis", "1", "--out-dtype", "u1", "-o", "y.npy")
        rows = np.load(self.path("y.npy"), mmap_mode="r")
        want = (np.arange(1, 65537) % 256).astype(np.uint8)
        self.assertTrue(all(np.array_equal(rows[r], want) for r in (0, 1, 1024, 2048, 2049)))
        done = self.run_tool("reduce", "x.npy", "--axis", "0")
        self.assertEqual(set(done.stdout.split()), {b"2050"})


class Locale(tool.ToolTest):
    def setUp(self):
        """A locale with a decimal comma and grouping, made for the test."""
        super().setUp()
        folder = tempfile.mkdtemp(prefix="upsweep-locale-")
        self.addCleanup(shutil.rmtree, folder)
        made = os.path.join(folder, "pl_PL.UTF-8")
        subprocess.run(["localedef", "-i", "pl_PL", "-f", "UTF-8", made], capture_output=True,
                       check=False)
        self.environment = {**os.environ, "LOCPATH": folder, "LC_ALL": "pl_PL.UTF-8"}
        shown = subprocess.run(["locale", "decimal_point"], env=self.environment,
                               capture_output=True)
        if not os.path.exists(made):
            self.skipTest("no sources of locales here: the Debian package locales has them")
        self.assertEqual(shown.stdout, b",\n", "the locale is not in effect")

    def test_a_comma_separates_numbers(self):
        got = self.scan("-", stdin="3,3,1", env=self.environment)
        self.assertEqual(got, b"3\n6\n7\n")
        got = self.scan("-", stdin="1.5,2", env=self.environment)
        self.assertEqual(got, b"1.5\n3.5\n")

    def test_nothing_is_grouped(self):
        self.put("x.npy", np.ones(2621, np.int32))
        self.scan("x.npy", "-o", "y.npy", env=self.environment)
        self.assertIn(b"(2621,)", self.get("y.npy"))
        self.assert_same(np.load(self.path("y.npy")), np.arange(1, 2622))
        done = self.run_tool("reduce", "x.npy", "--stats", "json", env=self.environment)
        self.assertEqual(done.stdout, b"2621\n")
        self.assertIn(b'"elements":2621,', done.stderr)

    def test_columns_and_messages(self):
        self.put("x.csv", "a;b\n1.5;2\n")
        got = self.scan("x.csv", "--column", "a", "--delimiter", ";", env=self.environment)
        self.assertEqual(got, b"1.5\n")
        self.assert_refused(1, ["line 1, column 1", "'1;5'"], "scan", "-", "--dtype", "f8",
                            stdin="1;5", env=self.environment)


if __name__ == "__main__":
    tool.main()
