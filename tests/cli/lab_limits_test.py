# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What upsweep lab says to numbers, expressions and texts that it cannot take, and what it needs."""

import json
import os
import subprocess
import unittest

import tool

LONGEST = 80  # bytes of a word that a message repeats whole


class LabLimits(tool.ToolTest):
    def refused(self, words, *arguments):
        return self.assert_refused(2, words, "lab", *arguments)

    def lab(self, *arguments):
        done = self.run_tool("lab", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def lab_json(self, *arguments):
        return json.loads(self.lab(*arguments, "--json"))

    def test_numbers_out_of_range_are_told_with_the_option_and_the_range(self):
        index, run = ("banks", "--index", "t"), ("run", "lookback")
        ranges = [
            ((*index, "--threads"), "1 to 1024", "0 1025"),
            ((*index, "--base"), "0 to 9007199254740992", "9007199254740993"),
            ((*run, "--block"), "1 to 1024", "0 1025"),
            (("banks", "blelloch", "--n", "8", "--block"), "1 to 1024", "0 1025"),
            ((*run, "--n"), "0 on", ""),
            (("check", "lookback", "--n"), "1 on", "0"),
            (("banks", "blelloch", "--n"), "1 on", "0"),
            (("check", "lookback", "--schedules"), "0 to 100000", "100001"),
            ((*run, "--device", "cuda", "--repeat"), "1 to 1000000", "0 1000001"),
            (("lecture", "1", "--repeat"), "1 to 1000000", "0 1000001"),
            (("model", "--n"), "1 to 1099511627776", "0 1099511627777 18446744073709551615"),
            (("model", "--block"), "1 to 1024", "0 1025"),
            (("pitfalls",), "1 to 18", "0 19"),
        ]
        for call, allowed, beyond in ranges:
            for word in (*beyond.split(), "-1", "x", "3.5", "1e2", "0x10", "+5", " 5"):
                option = call[-1] if len(call) > 1 else "NUMBER"
                self.refused([f"{option}: '{word}' is no whole number from {allowed}"], *call, word)
        sets = [((*index, "--word"), "4, 8, 16"), ((*index, "--banks"), "16, 32"),
                ((*run, "--banks"), "16, 32"), (("check", "blelloch", "--banks"), "16, 32"),
                (("lecture",), "1, 2, 3")]
        for call, allowed in sets:
            for word in "0", "5", "99999999999999999999", "-1", "x", "0x10", "+16", "8.0":
                option = call[-1] if len(call) > 1 else "PROGRAM"
                self.refused([f"{option}: '{word}' is none of {allowed}"], *call, word)
        for call in (*run, "--n"), ("check", "lookback", "--n"):
            self.refused(["--n: '18446744073709551616' is more than 64 bits"], *call,
                         "18446744073709551616")

    def test_sizes_are_powers_of_two_too(self):
        for call in ("run", "lookback"), ("check", "lookback"), ("banks", "blelloch"):
            self.assertEqual(self.lab(*call, "--n", "2^3"), self.lab(*call, "--n", "8"))
            self.refused(["--n: '2^64' is more than 64 bits hold"], *call, "--n", "2^64")
            self.refused(["--n: '2^x' is no power of two"], *call, "--n", "2^x")

    def test_words_that_are_not_expected_come_in_their_order(self):
        self.refused(["not expected: --repeat 5 ("], "check", "hillis-steele", "--repeat", "5")
        self.refused(["not expected: x y z ("], "list", "x", "y", "z")
        self.refused(["not expected: x ("], "list", "x")

    def test_one_is_no_plural(self):
        self.assertIn("serial of 1 element by max", self.lab("trace", "serial", "--op", "max",
                                                             "--input", "-nan"))
        self.assertIn("serial of 1 element by sum", self.lab("run", "serial", "--n", "1"))

    def test_padding_is_not_for_tile_kernels(self):
        self.refused(["--pad is not for tile kernels: blelloch and brent-kung"], "run",
                     "hierarchical", "--tile-kernel", "blelloch", "--pad", "1")

    def test_sizes_that_a_kernel_refuses_are_told(self):
        self.refused(["--n 10000", "at most 8192", "naive"], "run", "naive", "--n", "10000")
        self.refused(["at most 1024", "--n 1025"], "run", "hillis-steele", "--n", "1025")
        self.refused(["power of two", "--n 10, --block 12"], "run", "blelloch", "--n", "10",
                     "--block", "12")
        self.refused(["--input of 17", "--block 2"], "trace", "tree-lookback", "--block", "2",
                     "--input", ",".join("1" * 17))
        self.refused(["--input has 65 elements", "1 to 64"], "trace", "blelloch", "--input",
                     ",".join("1" * 65))

    def test_integers_are_decimal_with_or_without_zeros_in_front(self):
        index = lambda *more: self.lab_json("banks", "--index", "t", *more)
        self.assertEqual(index("--threads", "010")["threads"], 10)
        self.assertEqual(index("--threads", "0009")["threads"], 9)
        self.assertEqual(index("--word", "08", "--banks", "016")["word"], 8)
        self.assertEqual(index("--base", "020")["base"], 20)
        self.assertEqual(self.lab_json("run", "lookback", "--n", "0100")["n"], 100)
        self.assertEqual(self.lab_json("run", "naive", "--block", "010")["launches"][0]["threads"], 10)
        self.assertEqual(self.lab_json("check", "naive", "--schedules", "010")["runs"], 11)
        self.assertEqual(self.lab_json("model", "naive", "--n", "010")["n"], 10)
        self.assertTrue(self.lab("pitfalls", "010").startswith("10. "))
        self.assertEqual(self.lab_json("run", "serial", "--input", "010,1")["n"], 2)
        self.refused(["'0x10' of --input is no number"], "run", "serial", "--input", "0x10")

    def test_operators_of_other_languages_are_named(self):
        cases = [("t>3", 2, "'>'"), ("t<3", 2, "'<'"), ("t>=3", 2, "'>='"), ("t==3", 2, "'=='"),
                 ("t->3", 3, "'>'"), ("2**t", 2, "'**'"), ("t//2", 2, "'//'"), ("t&&1", 2, "'&&'"),
                 ("t||1", 2, "'||'"), ("t=3", 2, "'='"), ("!t", 1, "'!'"), ("~t", 1, "'~'"),
                 ("t?1:2", 2, "'?'"), ("t--1", 2, "'--'"), ("t++1", 2, "'++'"), ("t>>>1", 2, "'>>>'"),
                 ("1 != t", 3, "'!='")]
        for text, position, operator in cases:
            self.refused([f"--index '{text}', position {position}: {operator} is no operator here; "
                          "those are + - * / % << >> & ^ |"], "banks", "--index", text)
        self.refused(["--pad 'i>3', position 2"], "banks", "--index", "t", "--pad", "i>3")

    def test_expressions_are_refused_where_they_go_wrong(self):
        missing = "an operand is missing"
        cases = [(" ", 1, "the expression is empty"), ("()", 2, missing), ("*t", 1, missing),
                 ("t*/2", 3, missing), ("t+", 3, missing), ("t<<", 4, missing), ("- -t", 3, missing),
                 ("(t+(t)", 1, "not closed"), ("t)", 2, "no parenthesis is open"),
                 ("t(3)", 2, "an operator is missing"), ("(t)(t)", 4, "an operator is missing"),
                 ("t 3", 3, "an operator is missing"), ("sin(t)", 1, "'sin' is not known"),
                 ("i", 1, "the variable is t"), ("t;t", 2, "';'"), ("t,3", 2, "','"),
                 ("t\u00fc", 2, "'\u00fc'"), ("\u00b2", 1, "'\u00b2'"), ("t\n", 2, "'\\x0a'"),
                 ("t+99999999999999999999999", 3, "beyond 2^53"), ("0x+t", 1, "no digits")]
        for text, position, reason in cases:
            shown = text.replace("\n", "\\x0a")
            self.refused([f"--index '{shown}', position {position}: ", reason], "banks", "--index", text)
        self.refused(["position 1: '\\xff'"], "banks", "--index", os.fsdecode(b"\xff"))
        self.refused(["--index", "empty"], "banks", "--index", "")

    def test_values_are_refused_with_the_thread_and_the_operator(self):
        cases = [("32/(5-t)", "position 3, for t = 5: division by zero"),
                 ("7%t", "position 2, for t = 0: division by zero"),
                 ("1/0", "position 2, for t = 0: division by zero"),
                 ("8/(t+1)+8/(t-1)", " for t = 1: division by zero"),  # which of the two
                 ("t<<60", "position 2, for t = 0: a shift"), ("t>>-1", "position 2, for t = 0: a shift"),
                 ("t*9007199254740991", "position 2, for t = 2: the value is beyond 2^53"),
                 ("3-t", "for t = 4: the index -1 is below 0")]
        for text, words in cases:
            message = self.refused([f"--index '{text}'", words], "banks", "--index", text)
            self.assertEqual("position" in words, "position" in message)
        self.refused(["--pad 'i-2' for i = 0: the index -2 is below 0"], "banks", "--index", "t",
                     "--pad", "i-2")
        rows = self.lab_json("banks", "--index", "2*-t + 64 - -(+1)", "--threads", "5")["rows"]
        self.assertEqual([row["logical"] for row in rows], [65 - 2 * t for t in range(5)])

    def test_long_texts_are_repeated_in_short(self):
        long = "x" * 3000
        index = ("banks", "--index")
        for call in ((long,), ("run", long), ("run", "lookback", long), ("run", "lookback", "--" + long),
                     ("run", "lookback", "--n", long), ("run", "lookback", "--n=" + long),
                     ("run", "lookback", "--op", long), ("run", "lookback", "--device", long),
                     ("run", "blelloch", "--pad", long), ("run", "hierarchical", "--tile-kernel", long),
                     ("run", "lookback", "--input", long), ("run", "lookback", "--input", long + "\x01"),
                     ("trace", "serial", "--op", "concat", "--input", long),
                     ("trace", "serial", "--op", "matrix", "--input", long),
                     ("model", long), ("model", "--device", long), ("model", "--n", long),
                     ("lecture", long), ("pitfalls", long), ("check", "lookback", "--schedules", long),
                     (*index, long), (*index, "t", "--pad", "i+" + long), (*index, "t", "--pad", "7" * 3000),
                     (*index, "t+" * 1500), (*index, "9" * 3000), (*index, "0-t" + "+0" * 1000),
                     (*index, "1/t" + "+0" * 1000), (*index, "t+" * 5000 + "t"),
                     (*index, "t", "--word", long), (*index, "t", "--base", long)):
            message = self.refused([], *call)
            self.assertLess(len(message), 3 * LONGEST + 300, message)
            self.assertIn("...", message)
        whole = "y" * LONGEST
        self.assertNotIn("...", self.refused([f"'{whole}'"], "run", "lookback", "--op", whole))
        # Of an expression, what is around the place.
        text = "t+" * 700 + "u" + "+t" * 700
        self.refused(["'...", "t+t+u+t+t", "...', position 1401: 'u' is not known"], *index, text)
        self.lab(*index, "t" + "+0" * 1500)
        self.lab(*index, "(" * 2000 + "t" + ")" * 2000)
        self.refused(["at most 4096 characters"], *index, "t" + "+0" * 2048)

    def test_every_nan_is_the_same(self):
        call = ("--input", "nan,-nan,inf,-NaN,1")
        for kernel in "serial", "blelloch", "lookback", "hillis-steele":
            self.assertIn("largest error 0 ", self.lab("run", kernel, *call))
            # With NaN in front all is NaN, and its sign is not counted as bits.
            self.assertTrue(self.lab_json("run", kernel, *call)["canonical_bits"], kernel)
            text = self.lab("trace", kernel, *call)
            self.assertNotIn("-nan", text)
            self.assertTrue(text.endswith("inclusive result: nan nan nan nan nan\n"))
        result = self.lab_json("trace", "blelloch", "--op", "max", "--input", "-nan,1")
        self.assertEqual(result["input"], ["nan", "1"])

    def test_memory_grows_with_the_elements_not_with_the_square_of_the_blocks(self):
        call = [tool.binary(), "lab", "run", "lookback", "--block", "32", "--n", str(1 << 21)]
        process = subprocess.Popen(call, stdout=subprocess.DEVNULL)
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        # 16384 blocks: as lists of all that each knows of the others, 2 GB.
        self.assertLess(usage.ru_maxrss, 1 << 20, "KB")


if __name__ == "__main__":
    tool.main()
