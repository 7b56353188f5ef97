# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checkers of these tests, each with a planted fault that it must catch."""

import os
import stat
import unittest.mock

import numpy as np

import canonical
import tool


class CheckersCatchPlantedFaults(tool.ToolTest):
    def stand_in(self, script):
        """A program of our own in the place of the tool, for the rest of the test."""
        path = self.path("stand-in")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, stat.S_IRWXU)
        replaced = unittest.mock.patch.dict(os.environ, UPSWEEP=path)
        replaced.start()
        self.addCleanup(replaced.stop)

    def test_one_wrong_bit_is_seen(self):
        x = np.arange(5, dtype=np.float32)
        y = x.copy()
        y.view(np.uint32)[3] ^= 1
        self.assertTrue(tool.same_bits(x, x.copy()))
        self.assertFalse(tool.same_bits(x, y))
        self.assertFalse(tool.same_bits(np.float32([0.0]), np.float32([-0.0])))
        self.assertTrue(tool.same_bits(np.float32([np.nan]), np.float32([-np.nan])))

    def test_another_dtype_or_shape_is_seen(self):
        x = np.arange(6)
        self.assertFalse(tool.same_bits(x, x.astype(np.int32)))
        self.assertFalse(tool.same_bits(x, x.reshape(2, 3)))

    def test_the_oracle_tells_the_canonical_order_from_a_serial_sum(self):
        x = tool.random().random(1000, np.float32)
        self.assertFalse(tool.same_bits(canonical.scan(x), np.cumsum(x, dtype=np.float32)))

    def test_the_oracle_is_its_definition(self):
        x = tool.random(1).standard_normal(70).astype(np.float32)
        for init in (None, np.float32(0.7)):
            want = [canonical.prefix_by_definition(x, k, np.add, init) for k in range(1, 71)]
            self.assert_same(canonical.scan(x, init=init), np.array(want, np.float32))

    def test_the_oracle_keeps_the_order_of_operands(self):
        x = np.array([b"a", b"b", b"c", b"d", b"e"], object)
        words = canonical.prefixes(x, np.frompyfunc(lambda a, b: a + b, 2, 1))
        self.assertEqual(list(words), [b"a", b"ab", b"abc", b"abcd", b"abcde"])

    def test_the_oracle_agrees_with_numpy_where_order_does_not_matter(self):
        x = tool.random(2).integers(-100, 100, 131)
        for op in canonical.OPERATORS:
            self.assert_same(canonical.scan(x, op), canonical.OPERATORS[op].accumulate(x))

    def test_a_file_left_behind_is_seen(self):
        self.stand_in("echo half > out.npy; echo 'upsweep: no' >&2; exit 1")
        with self.assertRaises(AssertionError):
            self.assert_refused(1, ["no"], "scan")

    def test_a_changed_file_is_seen(self):
        self.put("out.npy", "old")
        self.stand_in("echo half > out.npy; echo 'upsweep: no' >&2; exit 1")
        with self.assertRaises(AssertionError):
            self.assert_refused(1, ["no"], "scan")

    def test_another_status_is_seen(self):
        self.stand_in("echo 'upsweep: no' >&2; exit 1")
        self.assert_refused(1, ["no"], "scan")
        with self.assertRaises(AssertionError):
            self.assert_refused(2, ["no"], "scan")

    def test_a_message_of_two_lines_or_without_the_words_is_seen(self):
        self.stand_in("echo 'upsweep: no' >&2; echo why >&2; exit 1")
        with self.assertRaises(AssertionError):
            self.assert_refused(1, ["no"], "scan")
        self.stand_in("echo 'upsweep: no' >&2; exit 1")
        with self.assertRaises(AssertionError):
            self.assert_refused(1, ["yes"], "scan")

    def test_noise_on_success_is_seen(self):
        self.stand_in("echo done >&2; exit 0")
        with self.assertRaises(AssertionError):
            self.scan("x.npy")

    def test_a_run_without_tests_fails(self):
        code = "import sys, tool; sys.argv = ['x']; tool.main()"
        here = os.path.dirname(os.path.abspath(tool.__file__))
        self.assertNotEqual(os.spawnle(os.P_WAIT, os.sys.executable, "python3", "-c", code,
                                       {**os.environ, "PYTHONPATH": here}), 0)


if __name__ == "__main__":
    tool.main()
