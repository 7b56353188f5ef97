#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the tool's manual pages and completions against its --help, in the shells themselves.

usage: pages_test.py PREFIX
"""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PREFIX = Path(sys.argv[1]).resolve()
TOOL = PREFIX / "bin/upsweep"
MAN = PREFIX / "share/man/man1"
BASH = PREFIX / "share/bash-completion/completions/upsweep"
ZSH = PREFIX / "share/zsh/site-functions"
FISH = PREFIX / "share/fish/vendor_completions.d/upsweep.fish"


def tool_help(*subcommand):
    return subprocess.run([TOOL, *subcommand, "--help"], check=True, capture_output=True,
                          text=True).stdout


def subcommands(*of):
    block = tool_help(*of).split("\nSubcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w[\w-]*)", block, re.M)


def options(text):
    """The long options that a --help lists, and the words that --op takes."""
    block = text.split("\nOptions:\n")[1].split("\n\n")[0]
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", block, re.M))


def words_of(option, *command):
    """Those that a --help puts in braces behind an option."""
    return set(re.search(option + r" [A-Z]+:\{([\w,-]+)\}", tool_help(*command)).group(1).split(","))


def operations():
    return words_of("--op", "scan")


def kernels():
    done = subprocess.run([TOOL, "lab", "list", "--json"], check=True, capture_output=True)
    return {row["kernel"] for row in json.loads(done.stdout)}


def page_faults(pages):
    """What is wrong with the manual pages, text by name."""
    found = []
    for command in [[], *([name] for name in subcommands())]:
        name = "-".join(["upsweep", *command])
        text = pages.get(name + ".1", "").replace("\\-", "-")
        found += [f"{name} lacks {option}" for option in options(tool_help(*command))
                  if f"\\fB{option}\\fP" not in text]
        if name == "upsweep-lab":
            found += [f"{name} {sub} lacks {option}" for sub in subcommands("lab")
                      for option in options(tool_help("lab", sub))
                      if f"\\fB{option}\\fP" not in text.split(f".SS \\fBupsweep lab {sub}\\fP")[-1]
                      .split(".SS")[0]]
        found += [f"{name} lacks {part}" for part in ("NAME", "SYNOPSIS", "OPTIONS", "SEE ALSO")
                  if f".SH {part}\n" not in text]
    for name, text in pages.items():
        if name == "upsweep-scan.1" and "\n.EX\nupsweep scan " not in text:
            found.append("upsweep-scan lacks the examples")
        done = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, text=True,
                              capture_output=True)
        if done.stderr or done.returncode:
            found.append(f"{name}: {done.stderr}")
    return found


def bash(line, script=BASH):
    words = line.split(" ")
    # bash takes --op=x for three words.
    words = [part for word in words for part in re.findall(r"=|[^=]+", word) or [""]]
    command = (f"source {script}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _upsweep; "
               "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", command, "bash", *words], capture_output=True, text=True,
                          check=True)
    return set(done.stdout.split("\n")) - {""}


def fish(line):
    script = f"source {FISH}; complete -C '{line}'"
    with tempfile.TemporaryDirectory() as home:  # fish writes there
        environment = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home,
                       "PATH": f"{TOOL.parent}:{os.environ['PATH']}"}
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True,
                              check=True, env=environment)
    words = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
    return {word.split("=")[-1] for word in words}


class Zsh:
    """An interactive zsh, whose completion works on a terminal only."""

    def __init__(self):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", COLUMNS="200", LINES="100")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.write(f"PROMPT=; unset zle_bracketed_paste; fpath=({ZSH} $fpath); autoload -U compinit;"
                   " compinit -D -u; LISTMAX=0; bindkey -e; bindkey '^T' list-choices; echo RE''ADY\n")
        self.read_to("READY")

    def write(self, text):
        os.write(self.terminal, text.encode())

    def read_to(self, *texts, seconds=20):
        """What it writes until it has written all texts, or the time is up."""
        got, end = "", time.monotonic() + seconds
        while not all(text in got for text in texts) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                got += os.read(self.terminal, 65536).decode(errors="replace")
        return got

    def answers(self, line, *wanted):
        """The words listed for a line; waits for those that are wanted."""
        self.write(line + "\x14")
        got = self.read_to(*(f"\n{word}" if word.startswith("--") else word for word in wanted))
        self.write("\x15echo DO''NE\n")
        got += self.read_to("DONE")
        return set(re.findall(r"[\w.-]+", got.replace("echo DO''NE", "").replace(line, "")))

    def close(self):
        self.write("\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="upsweep-pages-")
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        Path("numbers.npy").touch()

    def test_manual_pages(self):
        pages = {p.name: p.read_text(encoding="utf-8") for p in MAN.iterdir()}
        self.assertEqual(set(pages), {"upsweep.1", *(f"upsweep-{s}.1" for s in subcommands())})
        self.assertEqual(page_faults(pages), [])
        scan = pages["upsweep-scan.1"]
        lab = pages["upsweep-lab.1"]
        for wrong in (lab.replace("\\fB\\-\\-schedules\\fP", ""), lab.replace("lab trace\\fP", "")):
            self.assertNotEqual(page_faults({**pages, "upsweep-lab.1": wrong}), [])
        for wrong in (scan.replace("\\fB\\-\\-axis\\fP", "axis"), scan.replace(".SH NAME\n", ""),
                      scan + "\\[no such sign]\n"):
            self.assertNotEqual(page_faults({**pages, "upsweep-scan.1": wrong}), [])

    def check_shell(self, complete):
        subs = set(subcommands())
        self.assertEqual(complete("upsweep "), subs)
        for sub in subs:
            self.assertEqual(complete(f"upsweep {sub} --") | {"--help"}, options(tool_help(sub)))
        self.assertEqual(complete("upsweep --") | {"--help"}, options(tool_help()))
        self.assertEqual(complete("upsweep scan --op "), operations())
        self.assertEqual(complete("upsweep scan --op=m"), {"min", "max"})
        self.assertEqual(complete("upsweep scan --op su"), {"sum"})
        self.assertEqual(complete("upsweep scan -o "), {"numbers.npy"})
        self.assertEqual(complete("upsweep scan num"), {"numbers.npy"})
        self.assertEqual(complete("upsweep scan --axis "), set())
        self.assertEqual(complete("upsweep info "), set())
        self.assertEqual(complete("upsweep scan --dtype bf"), {"bfloat16"})
        self.assertLessEqual({"int8", "uint64", "complex128"}, complete("upsweep scan --out-dtype "))
        self.assertEqual(complete("upsweep reduce --device "), {"auto", "cpu", "cuda"})
        self.assertEqual(complete("upsweep scan --stats "), {"json"})
        self.assertLessEqual({"f32", "affine", "all"}, complete("upsweep bench --type "))
        self.check_lab(complete)

    def check_lab(self, complete):
        subs = set(subcommands("lab"))
        self.assertEqual(complete("upsweep lab "), subs)
        for sub in subs:
            self.assertEqual(complete(f"upsweep lab {sub} --") | {"--help"},
                             options(tool_help("lab", sub)))
        for sub in subs & {"trace", "banks", "check", "run"}:
            self.assertEqual(complete(f"upsweep lab {sub} "), kernels())
        self.assertEqual(complete("upsweep lab check hillis-steele-r"), {"hillis-steele-racy"})
        for sub in "trace", "check", "run":
            self.assertEqual(complete(f"upsweep lab {sub} blelloch --op "), words_of("--op", "lab", sub))
        self.assertEqual(complete("upsweep lab run --device "), {"sim", "cuda"})
        self.assertLess(complete("upsweep lab run hierarchical --tile-kernel "), kernels())
        self.assertEqual(complete("upsweep lab lecture "), {"1", "2", "3"})
        self.assertEqual(complete("upsweep lab trace --html "), {"numbers.npy"})
        self.assertEqual(complete("upsweep lab list "), set())

    def test_bash(self):
        self.check_shell(bash)
        text = BASH.read_text(encoding="utf-8")
        for part in "--reverse ", " prod", "files=yes", "bfloat16", " warp-shuffle", "lab check --op":
            Path("wrong").write_text(text.replace(part, ""), encoding="utf-8")
            with self.assertRaises(AssertionError):
                self.check_shell(lambda line: bash(line, "./wrong") - {"wrong"})

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        self.check_shell(fish)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        zsh = Zsh()
        self.addCleanup(zsh.close)
        subs = set(subcommands())
        self.assertLessEqual(subs, zsh.answers("upsweep ", *subs))
        for sub in subs - {"info"}:  # of its one option zsh makes the line itself
            names = options(tool_help(sub))
            self.assertLessEqual(names, zsh.answers(f"upsweep {sub} --", *names) | {"--help"})
        words = operations()
        self.assertLessEqual(words, zsh.answers("upsweep scan --op ", *words))
        found = zsh.answers("upsweep scan --op=m", "min", "max")
        self.assertEqual(found & words, {"min", "max"})
        words = kernels()
        self.assertLessEqual(words, zsh.answers("upsweep lab check ", *words))
        for line, words in (("scan --dtype ", {"int8", "bfloat16"}), ("scan --device ", {"auto", "cuda"}),
                            ("lab ", set(subcommands("lab"))),
                            ("lab run --op ", words_of("--op", "lab", "run")),
                            ("lab trace --", options(tool_help("lab", "trace")))):
            self.assertLessEqual(words, zsh.answers("upsweep " + line, *words))
        self.assertIn("numbers.npy", zsh.answers("upsweep scan -o n", "numbers.npy"))
        self.assertNotIn("numbers.npy", zsh.answers("upsweep scan --axis "))


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(0 if result.wasSuccessful() and result.testsRun == 4 else 1)
