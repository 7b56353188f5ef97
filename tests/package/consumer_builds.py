# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the small project of the folder snippet by an example for CMake from README.md."""

import re
import shutil
import subprocess
from pathlib import Path

SNIPPET_PROJECT = Path(__file__).parent / "snippet"


def run(*command):
    """Runs a command and returns what it prints; ends this program where it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\nstatus {done.returncode}")
    return done.stdout


def readme_example(source, command):
    """The one example for CMake in README.md that has this command."""
    text = Path(source, "README.md").read_text(encoding="utf-8")
    examples = [example for example in re.findall(r"^```cmake\n(.*?)^```$", text, re.S | re.M)
                if f"{command}(" in example]
    if len(examples) != 1:
        raise SystemExit(f"README.md has {len(examples)} examples with {command}")
    return examples[0]


def build_and_run(lines, folder, cmake, options):
    """Configures, builds and runs a program that gets upsweep by these lines, in a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    snippet = folder / "lines.cmake"
    snippet.write_text(lines, encoding="utf-8")
    run(cmake, "-S", SNIPPET_PROJECT, "-B", folder / "build", f"-DSNIPPET={snippet}",
        "-DCMAKE_BUILD_TYPE=Release", *options)
    run(cmake, "--build", folder / "build", "--target", "app")
    run(folder / "build" / "app")
