# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--device: what a machine without a GPU is told, and that one with a GPU gives the same bytes."""

import os
import re

import numpy as np

import tool

NO_GPU = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}


class WithoutGpu(tool.ToolTest):
    def test_cuda_is_refused_with_the_reason_and_a_remedy(self):
        self.put("x.txt", "1 2 3")
        for word in "cuda", "cuda:0", "cuda:7":
            with self.subTest(word):
                message = self.assert_refused(1, ["--device cuda: ", "--device cpu"], "scan",
                                              "x.txt", "-o", "y.txt", "--device", word, env=NO_GPU)
                self.assertRegex(message, r"driver|GPU|without CUDA")

    def test_it_is_refused_before_the_input_is_read(self):
        self.assert_refused(1, ["--device cuda"], "scan", "missing.npy", "--device", "cuda",
                            env=NO_GPU)

    def test_words_that_name_no_device(self):
        for word in "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1.5", "CUDA", "auto,cpu":
            with self.subTest(word):
                self.assert_refused(2, ["--device", f"'{word}'", "cuda:0"], "scan", "-", "--device",
                                    word, stdin="1")

    def test_auto_and_cpu_need_none(self):
        for word in "auto", "cpu":
            done = self.run_tool("scan", "-", "--device", word, stdin="1 2 3", env=NO_GPU)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"1\n3\n6\n", b""))

    def test_info_says_why_there_is_none(self):
        done = self.run_tool("info", env=NO_GPU)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"\nGPUs +none: \w[^\n]+\n$")


class OnGpu(tool.ToolTest):
    def setUp(self):
        super().setUp()
        text = self.run_tool("info").stdout.decode()
        self.gpus = len(re.findall(r"^cuda:\d+ ", text, re.M))
        if self.gpus == 0:
            self.skipTest("no GPU on this machine")

    def same(self, array, *arguments):
        self.put("in.npy", array)
        for device in "cpu", "cuda":
            done = self.run_tool("scan", "in.npy", "-o", device + ".npy", "--device", device,
                                 *arguments)
            self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertEqual(self.get("cpu.npy"), self.get("cuda.npy"), (array.dtype, arguments))

    def test_same_bytes_as_the_cpu(self):
        random = tool.random(5)
        for kind in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f4"):
            array = (random.standard_normal(70001) * 3).astype(kind) if "f" in kind else \
                random.integers(0, 2 if kind == "b1" else 100, 70001).astype(kind)
            self.same(array[:1])
            for line in ("", "--op max --reverse", "--exclusive --total", "--op prod --init 1",
                         "--exclusive --reverse --threads 1", "--verify"):
                with self.subTest(kind, line=line):
                    self.same(array, *line.split())

    def test_more_than_one_chunk(self):
        array = tool.random(6).standard_normal((1 << 23) + 12345).astype("f4")
        self.same(array)
        self.same(array, "--exclusive", "--total", "--reverse", "--init", "2.5")
        self.same(array[: 1 << 22], "--out-dtype", "f8")

    def test_arrays(self):
        array = tool.random(7).standard_normal((30, 50, 7)).astype("f4")
        for axis in "0", "1", "2", "-1":
            self.same(array, "--axis", axis)
            self.same(np.asfortranarray(array), "--axis", axis, "--exclusive", "--total")
        self.same(array)

    def test_a_gpu_that_is_not_there(self):
        self.put("x.txt", "1 2 3")
        self.assert_refused(2, [f"this machine has {self.gpus} GPU"], "scan", "x.txt", "--device",
                            f"cuda:{self.gpus}")

    def test_info_lists_them(self):
        text = self.run_tool("info").stdout.decode()
        self.assertRegex(text, r"\ncuda:0 +\S.*, compute capability \d+\.\d+, \d+ MiB, "
                               r"\d+ multiprocessors, L2 \d+ [KM]iB\n")
        self.assertRegex(text, r"\nCUDA +driver \d+\.\d+, runtime \d+\.\d+\n$")


if __name__ == "__main__":
    tool.main()
