#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants one fault at a time in a small tree and demands that check_tree.py finds it, and only it."""

import tempfile
import unittest
from pathlib import Path

from check_tree import CHECKS, SPDX, Tree

CXX = f"// {SPDX}\n"
PY = f"# {SPDX}\n"
SOUND = {
    "CMakeLists.txt": "target_compile_features(upsweep PUBLIC cxx_std_20)\n"
                      "target_include_directories(upsweep PUBLIC\n"
                      "  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)\n"
                      "target_compile_options(upsweep PRIVATE -Wall)  # -ffast-math is not used\n",
    "cli/CMakeLists.txt": "",
    "docs/order.md": "Blocks must be full. [test: Order.Full]\n\nSo it is. [test: tool_numpy]\n",
    "include/upsweep/order.hpp": CXX + '#include <vector>\n#include "upsweep/error.hpp"\n',
    "include/upsweep/error.hpp": CXX + "// exit() is never called, says std::cerr\n",
    "include/upsweep/policy.hpp": CXX + "#include <upsweep/order.hpp>\n",
    "include/upsweep/cpu/kernel.hpp": CXX + '#include "upsweep/policy.hpp"\n',
    "include/upsweep/scan.hpp": CXX + '#include "upsweep/cpu/kernel.hpp"\n',
    "src/simd.cpp": CXX + '#include <hwy/highway.h>\n#include "upsweep/cpu/kernel.hpp"\n'
                          'const char* text = "abort()"; int exits = 1\'000; bool on_exit;\n',
    "cli/main.cpp": CXX + '#include "upsweep/scan.hpp"\n#include "failure.hpp"\n'
                          "int main() { std::exit(0); }\n",
    "cli/failure.hpp": CXX + '#include "report/plot.hpp"\n',
    "report/plot.hpp": CXX + '#include <fmt/format.h>\n#include "upsweep/version.hpp"\n',
    "include/upsweep/version.hpp": CXX,
    "bench/scan_bench.cpp": CXX + '#include "upsweep/scan.hpp"\n',
    "fuzz/fuzz_check.hpp": CXX + '#include "cli/failure.hpp"\n',
    "tests/test_order.cpp": CXX + '#include "cli/failure.hpp"\nTEST(Order, Full) {}\n',
    "tests/CMakeLists.txt": "add_test(NAME tool_numpy COMMAND python3)\n",
    "scripts/run.sh": f"#!/bin/sh\n# {SPDX}\nmktemp x.XXXXXX\n",
    "tests/oracle.py": PY,
}

# (check, file, what is appended to it)
PLANTED = [
    ("arrows", "include/upsweep/order.hpp", '#include "upsweep/cpu/kernel.hpp"\n'),
    ("arrows", "include/upsweep/error.hpp", '#include "upsweep/policy.hpp"\n'),
    ("arrows", "include/upsweep/order.hpp", "#include <upsweep/scan.hpp>\n"),
    ("arrows", "include/upsweep/policy.hpp", '#include "cpu/kernel.hpp"\n'),
    ("arrows", "include/upsweep/cpu/kernel.hpp", '#include "upsweep/scan.hpp"\n'),
    ("arrows", "include/upsweep/cpu/kernel.hpp", '#include "../scan.hpp"\n'),
    ("arrows", "include/upsweep/scan.hpp", '#include "src/simd.cpp"\n'),
    ("arrows", "include/upsweep/scan.hpp", '#  include "../../src/simd.cpp"\n'),
    ("arrows", "include/upsweep/scan.hpp", "#include <hwy/highway.h>\n"),
    ("arrows", "include/upsweep/scan.hpp", '#include "cli/failure.hpp"\n'),
    ("arrows", "src/simd.cpp", '#include "cli/failure.hpp"\n'),
    ("arrows", "src/simd.cpp", '#include "../bench/scan_bench.cpp"\n'),
    ("arrows", "src/simd.cpp", '#include "tests/test_order.cpp"\n'),
    ("arrows", "cli/main.cpp", '#include "src/simd.cpp"\n'),
    ("arrows", "bench/scan_bench.cpp", '#include "tests/test_order.cpp"\n'),
    ("arrows", "cli/main.cpp", '#include "fuzz/fuzz_check.hpp"\n'),
    ("arrows", "packaging/pages.cpp", CXX + '#include "src/simd.cpp"\n'),
    ("arrows", "fuzz/fuzz_check.hpp", '#include "tests/test_order.cpp"\n'),
    ("arrows", "report/page.hpp", CXX + '#include "cli/failure.hpp"\n'),
    ("arrows", "bench/scan_bench.cpp", '#include "report/plot.hpp"\n'),
    ("arrows", "lab/simulator.hpp", CXX + '#include "upsweep/policy.hpp"\n'),
    ("names", "lab/failure.hpp", CXX),
    ("names", "docs/run.sh", f"# {SPDX}\n"),
    ("spdx", "src/more.cpp", "\n" + CXX),
    ("spdx", "include/upsweep/more.hpp", "#pragma once\n" + CXX),
    ("spdx", "tests/more.py", "#!/usr/bin/python3\n\n" + PY),
    ("spdx", "demo", "#!/bin/sh\necho\n"),
    ("length", "src/simd.cpp", "\n" * 600),
    ("length", "tests/oracle.py", "\n" * 600),
    ("words", "src/simd.cpp", "// TO" + "DO: later\n"),
    ("words", "docs/order.md", "FIX" + "ME\n"),
    ("words", "scripts/run.sh", "# XX" + "X\n"),
    ("flags", "cli/CMakeLists.txt", "target_compile_options(tool PRIVATE -ffast-math)\n"),
    ("flags", "CMakeLists.txt", "set(CMAKE_CXX_FLAGS -Ofast)\n"),
    ("flags", "cmake/more.cmake", "add_compile_options(-ffp-contract=fast)\n"),
    ("flags", "CMakePresets.json", '{"CMAKE_CXX_FLAGS": "-funsafe-math-optimizations"}\n'),
    ("flags", "CMakeLists.txt", "target_compile_options(upsweep PUBLIC -mavx2)\n"),
    ("flags", "CMakeLists.txt", "target_compile_options(upsweep PRIVATE -Wall\n INTERFACE -O3)\n"),
    ("flags", "CMakeLists.txt", "target_compile_definitions(upsweep PUBLIC FAST=1)\n"),
    ("flags", "CMakeLists.txt", "target_compile_features(upsweep PUBLIC cxx_std_23)\n"),
    ("flags", "CMakeLists.txt", "target_include_directories(upsweep PUBLIC ${CMAKE_SOURCE_DIR})\n"),
    ("flags", "CMakeLists.txt", "target_compile_options(upsweep -mavx2)\n"),
    ("flags", "cmake/own.cmake", "function(own t)\ntarget_link_options(${t} PUBLIC -static)\n"),
    ("library", "include/upsweep/scan.hpp", 'inline auto e = std::getenv("X");\n'),
    ("library", "src/simd.cpp", "void f() { exit(1); }\n"),
    ("library", "src/simd.cpp", "void f() { ::std::abort (); }\n"),
    ("library", "src/simd.cpp", 'void f() { printf("x"); }\n'),
    ("library", "src/simd.cpp", "void f() { std::cout << 1; }\n"),
    ("library", "include/upsweep/order.hpp", "/* about\n */ void f() { std::cerr << 1; }\n"),
    ("order_doc", "docs/order.md", "\nIt must hold. [test: Order.Missing]\n"),
    ("order_doc", "docs/order.md", "\nIt must hold. [test:\n  Order.Missing]\n"),
    ("order_doc", "docs/order.md", "\nIt must hold. [test: Order.Full Order.Missing]\n"),
    ("order_doc", "docs/order.md", "\nIt must hold, says nobody.\n"),
    ("order_doc", "docs/order.md", "- It must hold.\n- [test: tool_numpy]\n"),
    ("kernels", "include/upsweep/cuda/late.cuh",
     CXX + "__global__ void late(const __grid_constant__ int p) {\n  run(p);\n}\n"
           "__global__ void right(int p) {\n  follow_earlier_kernels();\n  run(p);\n}\n"),
]


class CheckTree(unittest.TestCase):
    def faults(self, extra_file=None, extra_text="", remove=None):
        """The faults that each check finds in the sound tree with one change."""
        with tempfile.TemporaryDirectory() as folder:
            files = dict(SOUND)
            if extra_file:
                files[extra_file] = files.get(extra_file, "") + extra_text
            files.pop(remove, None)
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            tree = Tree(folder)
            self.assertEqual(len(tree.files), len(files))
            return {name: list(check(tree)) for name, check in CHECKS.items()}

    def test_sound_tree_has_no_fault(self):
        self.assertEqual(self.faults(), {name: [] for name in CHECKS})

    def test_planted_faults_are_found(self):
        self.assertEqual({check for check, _, _ in PLANTED}, set(CHECKS))
        for check, file, text in PLANTED:
            with self.subTest(check=check, file=file, text=text):
                found = self.faults(file, text)
                self.assertEqual(len(found.pop(check)), 1)
                self.assertEqual(found, {name: [] for name in CHECKS if name != check})

    def test_missing_order_page_is_found(self):
        self.assertEqual(len(self.faults(remove="docs/order.md")["order_doc"]), 1)


if __name__ == "__main__":
    unittest.main()
