# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep lab lecture 3 without a GPU: four million elements, simulated."""

import unittest

import tool


class LectureTest(tool.ToolTest):
    def test_traffic_of_three_kernels(self):
        text = self.run_tool("lab", "lecture", "3").stdout.decode()
        self.assertNotIn("WRONG", text)
        self.assertIn("steps 22, adds 4094, barriers 24\n", text)
        rows = {tuple(line.split()[:-2]): line.split()[-2:] for line in text.splitlines()}
        tiles = 2**22 // 1024  # of x and y 128 sectors each, and a total or an offset a warp
        self.assertEqual(rows["scan", "tiles", str(tiles)], [str(tiles * 9217), str(tiles * 257)])
        self.assertEqual(rows["add", "offsets", str(tiles - 1)],
                         [str((tiles - 1) * 1024), str((tiles - 1) * (256 + 32))])
        self.assertIn("ratio 2.13\n", text)


if __name__ == "__main__":
    tool.main()
