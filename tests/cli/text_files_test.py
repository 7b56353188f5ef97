# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text: words, numbers and the places of mistakes."""

import os
import subprocess

import numpy as np

import tool


class TextFiles(tool.ToolTest):
    def refused(self, text, *words, status=1, arguments=()):
        self.put("x.txt", text)
        return self.assert_refused(
            status, ["x.txt", *words], "scan", "x.txt", "-o", "y.txt", *arguments)

    def test_words_between_blanks_tabs_commas_and_line_ends(self):
        for text in ["3,3,1", "3 3 1\n", "3\n3\n1\n", "3\t3\t1", "3, 3, 1\r\n", " 3 ,3\n\n1,\n",
                     "3,3,\n1", "\ufeff3 3 1", "+3 3 +1", "03 3 1"]:
            with self.subTest(text):
                self.assertEqual(self.scan_text(text), ["3", "6", "7"])

    def test_nothing_is_an_empty_array(self):
        for text in "", "\n", "  \n\t\n":
            self.assertEqual(self.scan_text(text), [])
            self.assertEqual(self.scan_text(text, "--exclusive", "--total"), ["0"])
        self.put("x.txt", "")
        self.scan("x.txt", "-o", "y.npy")
        self.assert_same(np.load(self.path("y.npy")), np.zeros(0, np.int64))

    def test_a_comma_follows_a_number(self):
        self.refused("1,,2", "line 1, column 3", "comma")
        self.refused(",1", "line 1, column 1", "comma")
        self.refused("1,\n,2", "line 2, column 1", "comma")

    def test_the_locale_does_not_matter(self):
        listed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        for locale in ["pl_PL.UTF-8", "C", *[name for name in listed if "C" not in name][:3]]:
            environment = {**os.environ, "LC_ALL": locale, "LANG": locale}
            with self.subTest(locale):
                self.assertEqual(self.scan_text("3,3,1", env=environment), ["3", "6", "7"])
                self.assertEqual(self.scan_text("0.5 1", env=environment), ["0.5", "1.5"])
                self.put("x.npy", np.ones(2621, np.int64))
                self.scan("x.npy", "-o", "y.npy", env=environment)
                self.assertIn(b"(2621,)", self.get("y.npy"))
                self.assertEqual(np.load(self.path("y.npy"))[-1], 2621)

    def scan_text(self, text, *arguments, **options):
        return self.scan("-", *arguments, stdin=text, **options).decode().split()

    def dtype_of(self, text):
        self.put("x.txt", text)
        self.scan("x.txt", "--op", "max", "-o", "y.npy")
        return np.load(self.path("y.npy")).dtype.str[1:]

    def test_the_dtype_that_the_words_call_for(self):
        for text, want in [("1 2", "i8"), ("-1 2", "i8"), ("9223372036854775807", "i8"),
                           ("-9223372036854775808", "i8"), ("9223372036854775808", "u8"),
                           ("0 18446744073709551615", "u8"), ("1 2.0", "f8"), ("1 2e0", "f8"),
                           ("1 nan", "f8"), ("-1 9223372036854775808 .5", "f8"),
                           ("18446744073709551616 inf", "f8")]:
            with self.subTest(text):
                self.assertEqual(self.dtype_of(text), want)

    def test_integers_never_pass_through_a_double(self):
        for text in "9007199254740993", "-9223372036854775808", "18446744073709551615":
            self.assertEqual(self.scan_text(text), [text])
        self.assertEqual(self.scan_text("9007199254740993 1"),
                         ["9007199254740993", "9007199254740994"])

    def test_integers_that_no_type_holds_are_not_turned_into_floats(self):
        self.refused("1\n 18446744073709551616", "line 2, column 2", "18446744073709551616",
                     "--dtype f8")
        self.refused("9223372036854775808 -1", "line 1, column 1", "negative", "--dtype f8")
        got = self.scan_text("18446744073709551616", "--dtype", "f8")
        self.assertEqual([float(word) for word in got], [2.0**64])

    def test_integers_that_do_not_fit_the_dtype(self):
        for kind in "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8":
            limits = np.iinfo(kind)
            for value, step in (limits.max, 1), (limits.min, -1):
                self.put("x.txt", str(value))
                self.assertEqual(self.scan("x.txt", "--dtype", kind, "--op", "min").decode(),
                                 f"{value}\n")
                self.refused(f"0\n{value + step}\n", "line 2, column 1", str(value + step),
                             "out of range", np.dtype(kind).name, arguments=["--dtype", kind])

    def test_words_that_are_no_numbers(self):
        for word in ["abc", "1x", "0x10", "1e", "--1", "+-1", "+", "-", ".", "1.2.3", "1_000",
                     "infin",
                     "nanny", "\u221e", "\u0663", "1;2", "'1'"]:
            with self.subTest(word):
                self.refused(f"1\n2.5 {word}\n", "line 2, column 5", f"'{word}'")
        self.refused("1 \0 2", "line 1, column 3", "\\x00")
        self.refused("1.5", "line 1, column 1", "'1.5' is not an integer",
                     arguments=["--dtype", "i4"])
        self.refused("1 yes", "'yes' is not 0, 1, true or false", arguments=["--dtype", "bool"])
        self.refused("2", "'2' is out of range for bool", arguments=["--dtype", "bool"])
        self.refused("x" * 1000, "x" * 40 + "...")

    def test_bytes_that_are_no_text(self):
        advice = ["looks binary", "--format raw", "--dtype"]
        for content in (np.arange(1, 50, dtype=np.float32).tobytes(), b"1 2 \xff\xfe",
                        b"\x00\x01", b",\x00", tool.npy_bytes(np.ones(5))):
            self.refused(content, *advice)
        self.refused(b"1 \x80\xe2\x82\xc2\x9b", "'\\x80\\xe2\\x82\\xc2\\x9b'")
        self.refused(b"1 " + b"\x80" * 99, "\\x80")
        got = self.scan("/dev/stdin", "--dtype", "i1", "-o", "/dev/stdout", stdin=b"\1\2")
        self.assertEqual(got, np.int64([1, 3]).tobytes())
        self.assertNotIn("binary", self.refused("1 \u221e", "line 1"))

    def test_a_header_line(self):
        self.assertIn("line 1, column 1: 'time' is not a number: a header line? --column",
                      self.refused("time,x\n1,2\n"))
        self.refused("time\n1\n", "--column 1", arguments=["--dtype", "i4"])
        for text, arguments in [("1 x", []), ("1.5", ["--dtype", "i4"]), ("1e999", []),
                                ("1_000 2", []), ("1+2j", []), (".x", []), ("-", []),
                                ("1,,2", []), (",1", []),
                                ("nan", ["--dtype", "i4"])]:
            self.assertNotIn("--column", self.refused(text, arguments=arguments))

    def test_columns_count_characters(self):
        self.refused("nan \u221e", "line 1, column 5", "'\u221e'")
        self.refused("\u00e9 1", "line 1, column 1")

    def test_the_place_deep_inside_a_long_text(self):
        self.refused("1.5\n" * 70000 + "2 3 \u221e\n" + "1\n" * 10, "line 70001, column 5")

    def test_special_words_in_any_case(self):
        got = self.scan_text("inf -inf nan INF Infinity")
        self.assertEqual(got, ["inf", "nan", "nan", "nan", "nan"])
        for word, want in [("+inf", "inf"), ("-Infinity", "-inf"), ("NaN", "nan"), ("-nan", "nan")]:
            self.assertEqual(self.scan_text(word), [want])

    def test_floats_are_rounded_to_nearest(self):
        words = ["0.1", "1e-400", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
                 "9007199254740993.0", "123456789012345678901234567890.5", ".5", "5."]
        for word in words:
            self.assertEqual(float(self.scan_text(word, "--dtype", "f8")[0]), float(word))
        self.refused("1e400", "'1e400' is out of range for float64")
        self.refused("1e39", "out of range for float32", arguments=["--dtype", "f4"])
        self.refused("65520", "out of range for float16", arguments=["--dtype", "f2"])
        self.assertEqual(self.scan_text("65519.9", "--dtype", "f2"), ["65500"])

    def test_float16_is_rounded_once(self):
        # Just above the middle of 1 and the next float16: by way of float32 it would become 1.
        self.put("x.txt", "1.000488281250000001")
        self.scan("x.txt", "--dtype", "f2", "-o", "y.npy")
        self.assertEqual(self.get("y.npy")[-2:],
                         b"\x00\x3c")  # the double nearest to it is the middle
        self.put("x.txt", "1.0004882812501")
        self.scan("x.txt", "--dtype", "f2", "-o", "y.npy")
        self.assertEqual(self.get("y.npy")[-2:], b"\x01\x3c")

    def test_floats_are_written_shortest_and_read_back_the_same(self):
        self.assertEqual(self.scan_text("0.1 0.2"), ["0.1", "0.30000000000000004"])
        self.assertEqual(self.scan_text("0.1", "--dtype", "f4"), ["0.1"])
        self.assertEqual(self.scan_text("0.1", "--dtype", "f2"), ["0.1"])
        self.assertEqual(self.scan_text("0.1", "--dtype", "f4", "--out-dtype", "f8"),
                         ["0.10000000149011612"])
        for kind, bits in ("f4", np.uint32), ("f8", np.uint64), ("f2", np.uint16):
            random = tool.random(5).integers(0, np.iinfo(bits).max, 3000, bits)
            values = random.view(kind)
            self.put("x.npy", values.reshape(1, -1))
            self.put("x.txt", self.scan("x.npy", "--axis", "0", "--op", "max"))
            self.scan("x.txt", "--dtype", kind, "--op", "max", "--axis", "0", "-o", "y.npy")
            words = self.get("x.txt").decode().split()
            # The scan runs along an axis of one element, so each value is its own result.
            self.assertEqual(len(words), 3000)
            back = np.array([float(word) for word in words]).astype(kind)
            self.assert_same(back, values)

    def test_text_in_and_text_out_is_one_a_line(self):
        self.assertEqual(self.scan("-", stdin="1 2 3"), b"1\n3\n6\n")
        self.put("x.txt", "1 2 3")
        for name in "y.txt", "y.other", "y":
            self.scan("x.txt", "-o", name)
            self.assertEqual(self.get(name), b"1\n3\n6\n")
        self.assertEqual(self.scan("x.txt", "-o", "-"), b"1\n3\n6\n")

    def test_bools(self):
        self.assertEqual(self.scan_text("0 1 true FALSE 1", "--dtype", "bool"),
                         ["0", "1", "2", "2", "3"])
        self.assertEqual(self.scan_text("0 1 0", "--dtype", "bool", "--op", "or"), ["0", "1", "1"])

    def test_a_byte_order_means_nothing_here(self):
        self.refused("1", "byte order", status=2, arguments=["--dtype", ">i4"])


if __name__ == "__main__":
    tool.main()
