# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options, exit statuses, help, and --verify from outside."""

import re
import subprocess

import numpy as np

import tool


class CommandLine(tool.ToolTest):
    def test_usage_is_status_2(self):
        for line in [
            "", "nothing", "info x", "scan", "scan a.txt b.txt", "scan - --op minus",
            "scan - --axis x", "scan - --threads -1", "scan - --threads x", "scan - --device cuda:x",
            "scan - --simd mmx", "scan - --total", "scan - --nothing", "scan - -o", "scan - --init",
            "scan - --op sum --op max", "scan - --exclusive=3", "scan - --verify=false",
            "bench --repeat 0", "bench --repeat -1",
        ]:
            with self.subTest(line):
                self.assert_refused(2, ["upsweep: "], *line.split(), stdin="1")

    def test_an_unknown_subcommand_is_named(self):
        for arguments in ["nothing"], [""], []:
            word = f"'{arguments[0]}'" if arguments else "missing"
            self.assert_refused(2, [word, "scan, reduce, bench, lab, report, info", "upsweep --help"], *arguments)

    def test_usage_errors_point_to_the_help_of_the_subcommand(self):
        for name in "scan", "reduce", "bench", "info":
            self.assert_refused(2, [f"upsweep {name} --help"], name, "--nothing")
        self.assert_refused(2, ["upsweep --help"], "--nothing")

    def test_flags_take_no_value(self):
        for flag in "--exclusive", "--verify", "--reverse", "--checked", "--quiet":
            self.assert_refused(2, [f"{flag} takes no value", "upsweep scan --help"], "scan", "-",
                                flag + "=3", stdin="1")

    def test_empty_values_are_not_left_out(self):
        self.put("x.txt", "1")
        for option in ("-o", "--output", "--init", "--axis", "--dtype", "--out-dtype", "--op",
                       "--threads", "--device", "--simd", "--format", "--out-format", "--offset",
                       "--byte-order", "--comment", "--column", "--delimiter", "--stats"):
            with self.subTest(option):
                self.assert_refused(2, [option.strip("-o") or "output"], "scan", "x.txt", option,
                                    "")
        self.assert_refused(2, ["INPUT", "''"], "scan", "")
        for option in "--json", "--sizes", "--op", "--shape", "--engines":
            self.assert_refused(2, [option], "bench", option, "")

    def test_messages_are_one_line_whatever_the_names(self):
        for arguments in (["scan", "a\nb.npy"], ["scan", "-", "-o", "no\n/b.npy"], ["a\nb"],
                          ["scan", "-", "--op", "a\nb"], ["scan", "-", "a\nb"]):
            message = self.assert_refused(1 if "npy" in arguments[-1] else 2, ["\\x0a"], *arguments,
                                          stdin="1")
            self.assertTrue(message.startswith("upsweep: "))

    def test_an_init_that_the_result_does_not_hold(self):
        for text, init, kind, advice in [
                ("1", "2.5", "i8", "give --out-dtype f8"), ("1", "1e3", "i4", "--out-dtype f8"),
                ("1", "3000000000", "i4", "out of range for int32: give --out-dtype i8"),
                ("1", "-1", "u8", "out of range for uint64: give --out-dtype i8"),
                ("1", "9223372036854775808", "i8", "out of range for int64: give --out-dtype u8"),
                ("1", "1e39", "f4", "out of range for float32: give --out-dtype f8")]:
            self.assert_refused(2, [init, advice], "scan", "-", "--init", init, "--out-dtype",
                                kind, stdin=text)
        message = self.assert_refused(2, ["'x' is not a value"], "scan", "-", "--init", "x",
                                      stdin="1")
        self.assertNotIn("--out-dtype", message)
        message = self.assert_refused(2, ["2.5"], "scan", "-", "--init", "2.5", "--op", "or",
                                      stdin="1")
        self.assertNotIn("--out-dtype", message)

    def test_bits_of_floats_are_refused(self):
        for op in "and", "or", "xor":
            self.assert_refused(2, [op, "integers and bool only"], "scan", "-", "--op", op,
                                stdin="1.5")

    def test_values_that_look_like_options(self):
        self.assertEqual(self.scan_text("1 2", "--init", "-5"), ["-4", "-2"])
        self.assertEqual(self.scan_text("1 2", "--axis", "-1"), ["1", "3"])
        self.assertEqual(self.scan_text("1.5", "--init", "-inf"), ["-inf"])
        self.put("-5.txt", "1 2")
        self.assertEqual(self.scan("./-5.txt"), b"1\n3\n")
        self.assertEqual(self.scan("--", "-5.txt"), b"1\n3\n")

    def test_version_info_and_help(self):
        version = self.run_tool("--version").stdout.decode()
        self.assertRegex(version, r"^upsweep \d+\.\d+\.\d+\n$")
        info = self.run_tool("info").stdout.decode()
        self.assertIn(version.split()[1], info)
        self.assertRegex(info,
                         r"simd +(scalar|sse4|avx2|avx512|neon)\ncores +\d+\ncaches +L1d \d+ KiB")
        self.assertRegex(info, r"\n(GPUs +none: \w.*|cuda:0 +.*\d+ MiB(.*\n)+CUDA +driver \d+.*)\n$")
        for arguments in ([], ["scan"], ["reduce"], ["info"], ["bench"]):
            arguments = [*arguments, "--help"]
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertRegex(done.stdout.decode(), r"Examples?:\n  upsweep |upsweep bench")
            self.assertNotIn(b"\x1b", done.stdout)
            self.assertNotIn(b"\n\n\n", done.stdout)

    def test_the_help_fits_a_page_of_100_columns(self):
        lab = [["lab", sub] for sub in ("list", "trace", "banks", "check", "run", "lecture")]
        for command in (["scan"], ["reduce"], ["lab"], *lab):
            text = self.run_tool(*command, "--help").stdout.decode()
            self.assertLessEqual(max(map(len, text.splitlines())), 100, command)
            if command[0] == "lab":  # the examples of the tool are not its own
                self.assertNotIn("counts.txt", text)

    def test_the_examples_of_the_help_run(self):
        texts = [self.run_tool(name, "--help").stdout.decode() for name in ("scan", "reduce")]
        self.put("counts.txt", "3 0 2")
        self.put("x.npy", np.ones(5))
        self.put("table.csv", "item,price\na,5\n")
        self.put("image.npy", np.ones((4, 5), np.float32))
        self.put("samples.bin", np.ones(8, np.float16).tobytes())
        examples = [line for text in texts for line in re.findall(
            r"^  (.*\bupsweep .*)$", text[text.index("Examples:"):], re.M)]
        self.assertGreaterEqual(len(examples), 7)
        for example in examples:
            line = example.replace("upsweep ", f"'{tool.binary()}' ")
            done = subprocess.run(line, shell=True, cwd=self.dir, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, (example, done.stderr))
        self.assertEqual(self.get("offsets.txt"), b"0\n3\n3\n5\n")

    def test_integers_are_decimal_with_or_without_zeros_in_front(self):
        self.put("x.bin", bytes(range(12)))
        raw = ("x.bin", "--dtype", "u1", "--offset")
        self.assertEqual(self.scan(*raw, "010", "-o", "-", "--out-format", "text"), b"10\n21\n")
        self.assertEqual(self.scan(*raw, "09", "-o", "-", "--out-format", "text"), b"9\n19\n30\n")
        self.put("x.npy", np.ones((2, 3), np.int64))
        same = self.scan("x.npy", "-o", "-", "--out-format", "text", "--axis", "01", "--threads", "08")
        self.assertEqual(same.split(), [b"1", b"2", b"3"] * 2)
        for option, word, allowed in [
                ("--threads", "0x10", "whole number from 0 to 1024"), ("--threads", "+1", "from 0 to"),
                ("--threads", "1025", "from 0 to 1024"), ("--axis", "x", "integer"),
                ("--axis", "0x1", "integer"), ("--axis", "99999999999", "more than 32 bits"),
                ("--offset", "0x4", "whole number from 0 on"), ("--op", "minus", "sum, prod")]:
            self.assert_refused(2, [f"{option}: '{word}' is", allowed], "scan", "x.npy", option, word)
        for option in "--threads", "--axis", "--repeat":
            self.assert_refused(2, [f"{option}: '0x1' is no "], "bench", option, "0x1", "--shape", "2x2")

    def test_threads_and_device_are_taken(self):
        for line in "--threads 0", "--threads 5", "--device cpu", "--device auto":
            self.assertEqual(self.scan_text("1 2", *line.split()), ["1", "3"])


class Verify(tool.ToolTest):
    def verified(self, array, *arguments, status=0):
        self.put("x.npy", array)
        done = self.run_tool("scan", "x.npy", "-o", "y.npy", "--verify", *arguments)
        report = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (status, b""), report)
        self.assertRegex(report, r"^verify: \d+ elements, largest error \S+, mismatches \d+ "
                                 r"\(tolerance \S+\): (PASS|FAIL)\n")
        return report

    def test_it_passes_and_reports_on_standard_error(self):
        for kind in "b1", "i1", "u8", "f2", "f4", "f8":
            for line in "", "--reverse", "--exclusive --total", "--op max", "--axis 0":
                x = tool.random(1).integers(0, 2, (50, 20)).astype(kind)
                self.assertIn("PASS", self.verified(x, *line.split()))
        x = tool.random(2).random(1 << 20, np.float32)
        report = self.verified(x)
        self.assertIn("1048576 elements", report)
        self.assertIn("mismatches 0", report)
        self.assertEqual(self.scan_with_verify("1 2 3"), b"1\n3\n6\n")

    def scan_with_verify(self, text):
        done = self.run_tool("scan", "-", "--verify", stdin=text)
        self.assertIn(b"PASS", done.stderr)
        return done.stdout

    def test_a_wrong_result_is_status_3_and_leaves_nothing(self):
        # float32 loses the 1 beside 1e8, which the double beside it keeps.
        x = np.float32([1e8, 1, -1e8])
        self.put("y.npy", b"old")
        report = self.verified(x, status=3)
        self.assertIn("mismatches 1", report)
        self.assertIn("FAIL", report)
        self.assertIn("element 2", report)
        self.assertEqual(self.get("y.npy"), b"old")
        done = self.run_tool("scan", "x.npy", "--verify")
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertIn("PASS", self.verified(x, "--out-dtype", "f8"))

    def test_empty_arrays(self):
        self.assertIn("0 elements", self.verified(np.zeros(0)))
        self.assertIn("1 elements", self.verified(np.zeros(0), "--exclusive", "--total"))

    def test_ones_are_compared_with_doubles_not_with_a_float_that_sticks(self):
        self.put("x.bin", np.ones(16777220, np.uint8).tobytes())
        done = self.run_tool("scan", "x.bin", "--dtype", "u1", "--out-dtype", "f4", "--verify",
                             "-o", "y.bin")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"largest error 5.96e-08,", done.stderr)
        self.assertEqual(self.get("y.bin")[-4:], np.float32(16777220).tobytes())

    def test_products_that_overflow_in_the_order_only(self):
        report = self.verified(np.float32([0, 1, 1e30, 1e30, 2]), "--op", "prod")
        self.assertIn("PASS\nverify: 2 elements are inf or nan", report)
        self.assertIn("PASS", self.verified(np.float32([0, 1e30, 1e30, 2]), "--op", "prod"))
        self.assertIn("PASS", self.verified(np.float32([3e38, 3e38, 1, -3e38]), "--op", "sum"))
        self.assertIn("PASS", self.verified(np.float16([60000, 60000, 1])))
        self.assertIn("PASS", self.verified(np.array([np.inf, 1, -np.inf, np.nan, 2])))


if __name__ == "__main__":
    tool.main()
