#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the shape of the source tree: who includes whom, names, sizes, words, flags, promises.

usage: check_tree.py ROOT [CHECK ...]     no CHECK: all of them

Prints one line for each fault and exits with 1 when there is any. check_tree_selftest.py plants
one fault of each kind and demands that it is found.
"""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
CXX = (".hpp", ".cpp", ".cuh", ".cu", ".h")
MAX_LINES = 600

# The layers of include/upsweep, lowest first. A header includes its own layer and those below. A
# header that is not named here is an algorithm: it may include all of them.
CORE = {"order.hpp", "operators.hpp", "composites.hpp", "error.hpp", "float16.hpp",
        "reference.hpp", "version.hpp"}
CALLS = {"policy.hpp", "array_view.hpp", "arguments.hpp", "geometry.hpp"}
RANK = {"core": 0, "calls": 1, "cpu": 2, "cuda": 2, "algorithms": 3}


class Tree:
    """The files of the project, by their path from the root."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.files = sorted(self._tracked() or self._walked())
        self._text = {}

    def _tracked(self):
        def git(*arguments):
            done = subprocess.run(["git", "-C", str(self.root), *arguments], capture_output=True)
            return done.stdout if done.returncode == 0 else b""

        try:
            if Path(git("rev-parse", "--show-toplevel").decode().strip() or ".") != self.root:
                return []
            listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
        except FileNotFoundError:  # no git
            return []
        return [f for f in listed.split("\0") if f and (self.root / f).is_file()]

    def _walked(self):
        inside = (p.relative_to(self.root) for p in self.root.rglob("*") if p.is_file())
        skipped = {".git", ".cache", "build", "__pycache__"}
        return [p.as_posix() for p in inside if not skipped & set(p.parts)]

    def text(self, file):
        """What the file holds; empty for files that are not text."""
        if file not in self._text:
            try:
                self._text[file] = (self.root / file).read_bytes().decode()
            except UnicodeDecodeError:
                self._text[file] = ""
        return self._text[file]

    def code(self, file):
        """A C++ file without comments and literals, its lines kept."""
        pattern = r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
        keep_lines = lambda m: " " + "\n" * m.group().count("\n")
        # A digit separator is no character literal.
        text = re.sub(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])", "", self.text(file))
        return re.sub(pattern, keep_lines, text, flags=re.S)

    def cxx(self, *folders):
        return [f for f in self.files if f.endswith(CXX) and f.split("/")[0] in folders]

    def cmake_files(self):
        return [f for f in self.files if f.endswith((".cmake", ".cmake.in", "CMakePresets.json"))
                or f.split("/")[-1] == "CMakeLists.txt"]


def layer(file):
    """The layer of a file of the project, for the arrows."""
    parts = file.split("/")
    if parts[:2] != ["include", "upsweep"]:
        return parts[0]
    if len(parts) > 3:
        return parts[2]
    return "core" if parts[2] in CORE else "calls" if parts[2] in CALLS else "algorithms"


def includes(tree, file):
    """(line, name as written, file of the project or None) for each #include of a file."""
    known = set(tree.files)
    pattern = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
    for number, line in enumerate(tree.text(file).splitlines(), 1):
        if not (found := pattern.match(line)):
            continue
        quoted, name = found.group(1) == '"', found.group(2)
        near = PurePosixPath(file).parent / name
        folded = []
        for part in near.parts:
            folded = folded[:-1] if part == ".." else folded + [part]
        places = ["include/" + name, name] + (["/".join(folded)] if quoted else [])
        yield number, name, next((p for p in places if p in known), None)


def may_include(file, other):
    """Whether the arrows let file include other, both files of the project."""
    mine, theirs = layer(file), layer(other)
    if mine == theirs or mine == "tests":
        return True
    if mine in RANK:  # a public header
        return theirs in RANK and RANK[theirs] < RANK[mine]
    if mine == "lab":
        return other in {f"include/upsweep/{name}.hpp"
                         for name in ("order", "operators", "composites", "error")}
    if mine == "report":
        return other == "include/upsweep/version.hpp"
    if mine == "src":
        return theirs in RANK
    if mine in ("cli", "fuzz") and theirs == "report":
        return True
    if mine in ("packaging", "fuzz") and theirs == "cli":
        return True
    return theirs in RANK or theirs == "lab"  # cli, bench, examples


def check_arrows(tree):
    """Arrows point down only; public headers use the standard library and nothing else."""
    for file in tree.cxx("include", "src", "lab", "report", "cli", "bench", "packaging", "fuzz",
                         "tests"):
        for number, name, other in includes(tree, file):
            if other and not may_include(file, other):
                yield f"{file}:{number}: {layer(file)} must not include {other}"
            elif other is None and file.startswith("include/") and not file.endswith(".cuh"):
                if re.search(r"[./]", name):
                    yield f"{file}:{number}: a public header must not need {name}"


def check_names(tree):
    """File names are unique across the tree, so that a name is an address."""
    places = {}
    for file in tree.files:
        name = file.split("/")[-1]
        if name not in ("README.md", "CMakeLists.txt"):
            places.setdefault(name, []).append(file)
    for name, files in places.items():
        if len(files) > 1:
            yield f"{name} is the name of {' and '.join(files)}"


def is_source(tree, file):
    return file.endswith((*CXX, ".py", ".sh")) or tree.text(file).startswith("#!")


def check_spdx(tree):
    """Every source file names its licence in its first line, or right below #!."""
    for file in tree.files:
        if is_source(tree, file):
            lines = tree.text(file).splitlines()[:2] + ["", ""]
            line = lines[1] if lines[0].startswith("#!") else lines[0]
            if line not in ("// " + SPDX, "# " + SPDX):
                yield f"{file}:1: the licence line is missing: {SPDX}"


def check_length(tree):
    """A file that does not fit in a head is cut."""
    for file in tree.files:
        if is_source(tree, file) and (lines := tree.text(file).count("\n")) > MAX_LINES:
            yield f"{file}: {lines} lines; {MAX_LINES} are the limit"


def check_words(tree):
    """Nothing unfinished is kept; what is left to do is an issue."""
    pattern = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3)) + r")\b")
    for file in tree.files:
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            if found := pattern.search(line):
                yield f"{file}:{number}: says {found.group()}"


def cmake_commands(tree, file):
    """(line, command, arguments) of a CMake file, comments removed."""
    text = re.sub(r"#[^\n]*", "", tree.text(file))
    for found in re.finditer(r"(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)", text):
        yield text.count("\n", 0, found.start()) + 1, found.group(1).lower(), found.group(2).split()


def reaches_consumers(command, argument):
    """Whether a PUBLIC or INTERFACE argument of a command is more than consumers may get."""
    allowed = {
        "target_compile_features": r"cxx_std_20$",
        "target_include_directories": r"\$<BUILD_INTERFACE:.*/include>$",
        "target_link_options": r"-fsanitize=",  # an archive built so must be linked so
        "target_sources": r"",
    }
    return not re.match(allowed.get(command, r"$^"), argument)


def check_flags(tree):
    """No flag that changes float results; none that reaches a consumer."""
    loose = re.compile(r"-Ofast|-ffast-math|-ffp-contract=(?:fast|on)|-funsafe-math-optimizations|"
                       r"-ffinite-math-only|-fassociative-math|-freciprocal-math|"
                       r"-fno-signed-zeros|use_fast_math|-fmad=true|/fp:fast")
    for file in tree.cmake_files():
        comment = r"$^" if file.endswith(".json") else r"#.*"
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            if found := loose.search(re.sub(comment, "", line)):
                yield f"{file}:{number}: {found.group()} changes the bits"
        if file != "CMakeLists.txt" and not file.startswith(("cmake/", "src/")):
            continue
        for number, command, arguments in cmake_commands(tree, file):
            if not command.startswith("target_") or command == "target_link_libraries":
                continue
            scope = ""
            for argument in arguments[1:]:
                if argument in ("PUBLIC", "PRIVATE", "INTERFACE"):
                    scope = argument
                elif scope != "PRIVATE" and reaches_consumers(command, argument):
                    yield f"{file}:{number}: {command} hands {argument} to consumers"


def check_library(tree):
    """The library never prints, exits or reads the environment."""
    calls = (r"getenv|secure_getenv|setenv|putenv|exit|_exit|_Exit|quick_exit|abort|terminate|"
             r"printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|system")
    pattern = re.compile(rf"\b(?:{calls})\s*\(|\bstd::(?:cout|cerr|clog|cin)\b|<iostream>|"
                         r"\benviron\b")
    for file in tree.cxx("include", "src"):
        code = tree.code(file)
        for number, line in enumerate(code.splitlines(), 1):
            if found := pattern.search(line):
                yield f"{file}:{number}: the library must not use {found.group().rstrip('( ')}"


def registered_tests(tree):
    """The names that docs may cite: GoogleTest's Suite.Name and CTest's own names."""
    names = set()
    gtest = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
    for file in tree.cxx("tests"):
        names |= {f"{suite}.{name}" for suite, name in gtest.findall(tree.code(file))}
    for file in tree.cmake_files():
        for _, command, arguments in cmake_commands(tree, file):
            if command == "add_test" and arguments[:1] == ["NAME"]:
                names.add(arguments[1])
    return names


def check_order_doc(tree):
    """Every test that docs/order.md names exists, and every paragraph with a "must" names one."""
    file = "docs/order.md"
    if file not in tree.files:
        yield f"{file} is missing"
        return
    names = registered_tests(tree)
    text = tree.text(file)
    cited = set(re.findall(r"\[test:\s+([^\]\s]+)\s*\]", text))
    if not cited or text.count("[test:") != len(re.findall(r"\[test:\s+[^\]\s]+\s*\]", text)):
        yield f"{file} has a malformed [test: name], or none"
    for name in sorted(cited - names):
        yield f"{file} names a test that does not exist: {name}"
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", text):
        if re.search(r"\bmust\b", paragraph) and "[test:" not in paragraph:
            yield f"{file}: no test is named for: {' '.join(paragraph.split())[:70]}"


def check_kernels(tree):
    """Every kernel of the engine waits for those before it, which launch() lets it overtake."""
    for file in tree.files:
        if not file.startswith("include/upsweep/cuda/"):
            continue
        for kernel in tree.text(file).split("__global__")[1:]:
            body = re.match(r"[^{]*\{(.*?)\n\}", kernel, re.S)
            if body is None or "follow_earlier_kernels();" not in body[1]:
                name = re.search(r"(\w+)\(\s*const __grid_constant__", kernel)
                yield f"{file}: {name[1] if name else 'a kernel'} does not call follow_earlier_kernels"


CHECKS = {name[len("check_"):]: function for name, function in list(globals().items())
          if name.startswith("check_")}


def main(arguments):
    if not arguments or set(arguments[1:]) - set(CHECKS):
        print(__doc__ + "\nCHECK is one of: " + " ".join(CHECKS), file=sys.stderr)
        return 2
    tree = Tree(arguments[0])
    faults = 0
    for name in arguments[1:] or CHECKS:
        for fault in CHECKS[name](tree):
            print(f"{name}: {fault}")
            faults += 1
    print(f"{len(tree.files)} files, {faults} faults")
    return 1 if faults or not tree.files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
