# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The course of docs/lab.md: what it says the tool prints is what it prints, and its editions have
the same sections, commands and figures.

usage: lab_doc_test.py UPSWEEP FILE [FILE ...] [--update]     the first FILE leads; --update
writes what the tool prints into all of them
"""

import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"```console\n\$ ([^\n]*)\n(.*?)```", re.S)


def printed(upsweep, command):
    """What a command line prints; upsweep is the tool under test."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(upsweep), os.path.join(folder, "upsweep"))
        environment = dict(os.environ, PATH=folder + ":" + os.environ["PATH"], LC_ALL="C")
        done = subprocess.run(["sh", "-c", command], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=120)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"{command}: exit status {done.returncode}")
    return "".join(line.rstrip() + "\n" for line in done.stdout.decode().splitlines())


def sections(text):
    """(heading, prose without code, figures in it) of each section."""
    found = []
    for part in re.split(r"^##? ", text, flags=re.M)[1:]:
        heading, _, body = part.partition("\n")
        prose = re.sub(r"```.*?```", "", body, flags=re.S)
        figures = re.findall(r"\d+(?:[.,]\d+)*", prose)
        found.append((heading, sorted(figures)))
    return found


def differences(first, second):
    """What is not the same in two editions."""
    faults = []
    mine, theirs = sections(first), sections(second)
    if len(mine) != len(theirs):
        return [f"{len(mine)} and {len(theirs)} sections"]
    for (heading, figures), (other, others) in zip(mine, theirs):
        if re.match(r"[a-z-]+$", heading) and heading != other:
            faults.append(f"section {heading} is {other}")
        if figures != others:
            lost = [f for f in figures if figures.count(f) > others.count(f)]
            new = [f for f in others if others.count(f) > figures.count(f)]
            faults.append(f"section {heading}: lost {lost}, new {new}")
    if BLOCK.findall(first) != BLOCK.findall(second):
        faults.append("commands or what they print differ")
    return faults


def main(upsweep, *arguments):
    files = [a for a in arguments if a != "--update"]
    texts = [open(f, encoding="utf-8").read() for f in files]
    results = {command: printed(upsweep, command) for command, _ in BLOCK.findall(texts[0])}
    if "--update" in arguments:
        for file, text in zip(files, texts):
            fill = lambda m: f"```console\n$ {m[1]}\n{results.get(m[1]) or printed(upsweep, m[1])}```"
            with open(file, "w", encoding="utf-8") as out:
                out.write(BLOCK.sub(fill, text))
        return 0
    faults = [f"{files[0]}: {command} prints\n{results[command]}and not\n{shown}"
              for command, shown in BLOCK.findall(texts[0]) if results[command] != shown]
    if len(results) < 20:
        faults.append("there are hardly any commands")
    for file, text in zip(files[1:], texts[1:]):
        faults += [f"{file}: {fault}" for fault in differences(texts[0], text)]
        # Checks that cannot fail are none.
        for planted in (text.replace("289", "290", 1), text.replace("## naive", "## serial", 1),
                        text.replace("$ upsweep", "$  upsweep", 1)):
            if not differences(texts[0], planted):
                faults.append(f"{file}: a planted difference was not found")
    print("\n".join(faults) or f"{len(results)} commands, {len(files)} editions: the same")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
