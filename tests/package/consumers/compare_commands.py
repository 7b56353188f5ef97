# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that linking upsweep adds an include path and the language level to a compiler's command,
and nothing else.

usage: compare_commands.py COMPILE_COMMANDS_JSON

The commands compared are those of with.cpp and without.cpp. That of leaky.cpp has a macro more,
which must be found.
"""

import json
import re
import sys
from pathlib import Path

commands = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for entry in json.load(file):
        name = Path(entry["file"]).stem
        if name in ("with", "without", "leaky"):
            # The compiler, which may differ by nothing, and what names the files, are left out.
            words = re.sub(r" -(o|c) \S+", "", entry["command"]).split()
            commands[name] = words[1:]


def additions(name):
    rest = list(commands[name])
    for word in commands["without"]:
        rest.remove(word)
    text = " ".join(rest)
    text = re.sub(r"-isystem \S+/include(?= |$)", "", text)
    return re.sub(r"-std=gnu\+\+20(?= |$)", "", text).strip()


found = additions("with")
if found:
    print(f"a consumer's command has also: {found}")
if additions("leaky") != "-DLEAK":
    print(f"the planted macro was not found: {additions('leaky')!r}")
    sys.exit(1)
sys.exit(1 if found else 0)
