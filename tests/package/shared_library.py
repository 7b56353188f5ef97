#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a program by README.md's example for FetchContent, with the library shared; installs that
library, and builds a program with the installed one by the example for find_package.

usage: shared_library.py SOURCE FOLDER CMAKE [OPTION ...]

SOURCE is the root of the tree, which FetchContent takes for what it would download; FOLDER takes
the builds; options go to each configuration. The library must show no symbol but those that the
public headers declare, and its users must not need what it was linked with itself.
"""

import re
import sys
from pathlib import Path

from consumer_builds import build_and_run, readme_example, run

DECLARED = re.compile(r"(void )?upsweep::(cpu|detail)::\w+[(<]|upsweep::cpu::first_exception::\w+\(|"
                      r"(typeinfo|typeinfo name|vtable) for upsweep::\w+$")
# What a library without its list of exported symbols would show too.
PLANTED = ["void upsweep::cpu::N_AVX2::(anonymous namespace)::x()", "std::vector<int>::begin()",
           "tbb::detail::d1::task::execute()", "typeinfo for std::exception"]


def strangers(symbols):
    return [symbol for symbol in symbols if not DECLARED.match(symbol)]


def check_library(library, version):
    lines = run("nm", "-DC", "--defined-only", library).splitlines()
    shown = [line.split(" ", 2)[2] for line in lines]
    if found := strangers(shown):
        sys.exit(f"the library shows {len(found)} symbols that no header declares: {found[0]}")
    if len(shown) < 20 or len(strangers(PLANTED)) != len(PLANTED):
        sys.exit(f"{len(shown)} symbols; of the planted ones {strangers(PLANTED)} were found")
    if f"Library soname: [libupsweep.so.{version}]" not in run("readelf", "-d", library):
        sys.exit(f"the library's soname has not the version {version}")
    print(f"{len(shown)} symbols, version {version}")


source, folder, cmake, options = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
header = Path(source, "include/upsweep/version.hpp").read_text(encoding="utf-8")
build_and_run(readme_example(source, "FetchContent_Declare"), folder / "fetched", cmake,
              [f"-DFETCHCONTENT_SOURCE_DIR_UPSWEEP={source}", "-DBUILD_SHARED_LIBS=ON",
               "-DUPSWEEP_INSTALL=ON", *options])
installed = folder / "fetched" / "installed"
run(cmake, "--install", folder / "fetched" / "build", "--prefix", installed)
[library] = installed.rglob("libupsweep.so")
check_library(library, ".".join(re.findall(r"UPSWEEP_VERSION_M\w+ (\d+)", header)))
build_and_run(readme_example(source, "find_package"), folder / "found", cmake,
              [f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON",
               "-DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON", *options])
