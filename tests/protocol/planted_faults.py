#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants one fault at a time in a copy of the CUDA headers and demands that a test of the protocol
fails; and that the tests pass on the copy without a fault.

usage: planted_faults.py ROOT COMPILER EMULATOR [quick | TEST]

EMULATOR is the library of tests/protocol/CMakeLists.txt. quick: a few of them. TEST: those that
tests with this in their name find. A fault names the text that is replaced, which must stand in
its file exactly once.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import strip_faults

LOOK, BLOCK, BULK = "test_look_back", "test_block_protocol", "test_bulk_protocol"
WALK = "test_walk_protocol"
WORD, LOOK_BACK, LANE, WARP = "word.cuh", "look_back.cuh", "lane.cuh", "warp.cuh"
BLOCK_SCAN, BLOCK_PREFIXES = "block_scan.cuh", "block_prefixes.cuh"
BULK_SCAN, ROLES = "bulk_scan.cuh", "bulk_roles.cuh"
BULK_RING = "bulk_ring.cuh"
BULK_WALK = "bulk_walk.cuh"
TREE = "*IsTheTree*"
WAIT = "    wait(&ring_.{0}[turn.{1}()], turn.{1}_parity());\n".format
LOOP = ("({0}) {{\n  ring_turn<shape> turn;\n"
        "  for (bool first = {1};; turn.next(), first = false) {{\n{2}").format

# (fault, file, text, what replaces it, test, filter, "tsan" or "" for how it is found)
FAULTS = [
    ("operands of the look-back's fold swapped", LOOK_BACK,
     "block : combine(op, value, block);", "block : combine(op, block, value);", LOOK, "*", ""),
    ("a group's sum published before its members", LOOK_BACK,
     "      while (!observe(line.at<T>(q - 1, (index & ~31u) + lane), v, line.epoch)) {\n      }\n",
     "      (void)observe(line.at<T>(q - 1, (index & ~31u) + lane), v, line.epoch);\n",
     LOOK, "*", ""),
    ("a group's sum published at the index of its last member", LOOK_BACK,
     "publish(line.at<T>(q, index >> 5)", "publish(line.at<T>(q, index)", LOOK, "*", ""),
    ("words of the upper level looked for in the lower one's group", LOOK_BACK,
     "line.at<T>(low + q, (t >> 5 * (low + q) & ~31u)", "line.at<T>(low + q, (t >> 5 * low & ~31u)",
     LOOK, "*", ""),
    ("the prefix of 1024 tiles kept too long", LOOK_BACK,
     "if (t >> 10 != high_index_ || line_index", "if (line_index", LOOK, "*", ""),
    ("words above the second level not looked for", LOOK_BACK,
     "for (int level = 2; level < max_levels", "for (int level = 2; level < 4", LOOK, "*", ""),
    ("nodes read before the warp has made them", LOOK_BACK,
     "collect<at_once>(line, t, low);\n    __syncwarp();\n", "collect<at_once>(line, t, low);\n",
     LOOK, "*Thousands*", "tsan"),
    ("nodes made before the warp has read the last ones", LOOK_BACK,
     "    __syncwarp();  // the last tile's nodes have been read\n", "",
     LOOK, "*Thousands*", "tsan"),
    ("a word's epoch not looked at", WORD,
     "there = there && g.epoch == epoch;", "there = there && g.epoch != 0;", BLOCK, "*Used*", ""),
    ("only the first granule's epoch looked at", WORD,
     "there = there && g.epoch == epoch;", "if (i == 0) there = g.epoch == epoch;", BLOCK, "*Used*", ""),
    ("the epoch not moved on", LOOK_BACK,
     "*all.state = {0, 0, epoch + 1};", "*all.state = {0, 0, epoch};", BLOCK, "*Used*", ""),
    ("the ticket not reset", LOOK_BACK,
     "*all.state = {0, 0,", "*all.state = {all.state->ticket, 0,", BLOCK, "*Used*", ""),
    ("the count of blocks that left not reset", LOOK_BACK,
     "*all.state = {0, 0,", "*all.state = {0, all.state->left,", BLOCK, "*Used*", ""),
    ("a block too few waited for", LOOK_BACK,
     "!= blocks - 1) return;", "!= blocks - 2) return;", BLOCK, "*Used*", ""),
    ("words of the last epoch not cleared", LOOK_BACK,
     "    for (std::size_t i = 0; i < all.capacity; ++i) store_granule(all.words + i, {{0, 0, 0}, 0});\n",
     "", BLOCK, "*Last*", ""),
    ("words of the last epoch cleared without a fence before", LOOK_BACK,
     "  if (epoch == last_epoch) __threadfence();\n", "", BLOCK, "*Last*", ""),
    ("chunk sums read before all are there", BLOCK_SCAN,
     "  sum_chunk(t, mine);\n  __syncthreads();\n", "  sum_chunk(t, mine);\n",
     BLOCK, TREE, ""),
    ("prefixes read before they are there", BLOCK_SCAN,
     "  find_prefixes<how>(line, tile, m, t);\n  __syncthreads();\n",
     "  find_prefixes<how>(line, tile, m, t);\n",
     BLOCK, TREE, ""),
    ("the ticket read before it is there", BLOCK_SCAN,
     "memory_.epoch = words_.state->epoch;\n    __syncthreads();\n",
     "memory_.epoch = words_.state->epoch;\n", BLOCK, TREE, ""),
    ("a block counted as left before its ticket is there", BLOCK_SCAN,
     "    if (threadIdx.x == 0) memory_.ticket",
     "    if (threadIdx.x == 32) leave(words_, gridDim.x, words_.state->epoch);\n"
     "    if (threadIdx.x == 0) memory_.ticket", BLOCK, TREE, ""),
    ("a block with one tile not counted as left", BLOCK_SCAN,
     "    leave(words_, gridDim.x, epoch_);\n    return 0;\n", "    return 0;\n", BLOCK, "*Any*", ""),
    ("a ticket taken by the block that left", BLOCK_SCAN,
     "    if (!last_) return take_ticket(words_);\n    leave(",
     "    if (last_) take_ticket(words_); else return take_ticket(words_);\n    leave(",
     BLOCK, "*Any*", ""),
    ("the ticket of the next tile dropped", BLOCK_PREFIXES,
     "  if (goes_on) memory_.ticket = next;\n", "", BLOCK, TREE, ""),
    ("sums of groups read before all warps have formed them", BLOCK_PREFIXES,
     "  if (!needed) return;\n  __syncthreads();\n", "  if (!needed) return;\n", BLOCK, TREE, ""),
    ("a tile's own group summed as if it were full", BLOCK_PREFIXES,
     "  if (used < 32) return make_nodes<1>(&v, &used, memory_.nodes, p_.op);\n", "",
     BLOCK, TREE, ""),
    ("a group that no warp reads", BLOCK_PREFIXES,
     "(warp_id() + shape::warps - 1) % shape::warps", "(warp_id() + shape::warps - 1)",
     BLOCK, TREE, ""),
    ("more groups than warps", BLOCK_PREFIXES,
     "line_tiles_ <= 32 * shape::warps)", "line_tiles_ <= 64 * shape::warps)",
     BLOCK, "*ManyTiles*", ""),
    ("items not put aside", BLOCK_PREFIXES,
     "  if constexpr (short_of_registers) t.put_aside(memory_.aside);\n", "",
     BLOCK, "*LargeTile*", ""),
    ("lanes put their items aside in one place", WARP,
     "        place[(k * vector::words + i) * 32 + lane_id()] = raw[k].word[i];",
     "        place[(k * vector::words + i) * 32] = raw[k].word[i];", BLOCK, "*LargeTile*", ""),
    ("chunks share the sums of their groups", BLOCK_SCAN,
     "T* const in_chunk = memory_.sums_in_chunk[warp];",
     "T* const in_chunk = memory_.sums_in_chunk[0];", BLOCK, "*LargeTile*", ""),
    ("sums of groups written before the warp has read the last ones", BLOCK_SCAN,
     "    __syncwarp();  // before the next tile's are written\n", "", BLOCK, "*LargeTile*", "tsan"),
    ("lines share words", BLOCK_SCAN,
     "line * words_.line_words * granules_of<T>", "line * words_.line_words", BLOCK, "*Lines*", ""),
    ("a block of a cluster beyond the end looks back", BLOCK_PREFIXES,
     "look.find_among(left, m > 0 ? tile : 0);", "look.find_among(left, tile);",
     BLOCK, "*InACluster*", ""),
    ("the next ticket not taken where words are read level by level", BLOCK_PREFIXES,
     "if (by_words && threadIdx.x == 32) memory_.ticket = go_on();", "", BLOCK, "*ManyTiles*", ""),
    ("a cluster's sums read before all are there", BLOCK_PREFIXES,
     "  cluster.sync();\n", "", BLOCK, "*Cluster*", ""),
    ("a cluster's sums handed to the blocks to the left", BLOCK_PREFIXES,
     "if (to > rank && to < cluster.num_blocks())", "if (to < rank)", BLOCK, "*Cluster*", ""),
    ("an operand beyond the last vector", LANE,
     "(lane & last) == last && lane < full)", "(lane & last) == last && lane <= full)",
     BLOCK, "*Meets*", ""),
    ("an operand beyond the last item", LANE,
     "if (!guarded<Op, T> || begin + size <= m)", "if (!guarded<Op, T> || begin + size - 1 <= m)",
     BLOCK, "*Meets*", ""),
    ("the prefix of the first lane that is not full left out", LANE,
     "lane >> j << j <= full)", "lane >> j << j < full)", BLOCK, TREE, ""),
    ("nodes of lanes that hold no word", LOOK_BACK,
     "static_cast<int>(used[q]), op);", "static_cast<int>(used[q]) + 1, op);", BLOCK, "*Meets*", ""),
    ("scanners do not wait for the carry", ROLES, WAIT("carried", "slot"), "", BULK, TREE, ""),
    ("the loader does not wait for an empty stage", ROLES,
     "    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);\n", "", BULK, TREE, ""),
    ("the loader waits for the wrong round of a stage", ROLES,
     "turn.stage_parity() ^ 1);", "turn.stage_parity());", BULK, TREE, ""),
    ("the publisher does not wait for the chunks' sums", ROLES,
     "  T first{};\n  for (;; turn.next()) {\n" + WAIT("summed", "slot"),
     "  T first{};\n  for (;; turn.next()) {\n", BULK, TREE, ""),
    ("look-back does not wait for the chunks' sums", ROLES,
     "      start = look.start;\n    }\n" + WAIT("summed", "slot"),
     "      start = look.start;\n    }\n", BULK, TREE, ""),
    ("look-back does not wait for the tile", ROLES,
     "  ring_turn<shape> turn;\n  for (;; turn.next()) {\n" + WAIT("full", "slot") +
     "    const unsigned number = ring_.tile[turn.slot()];\n    if (number >= tiles_) break;\n"
     "    const place at = place_of(number);\n    if (needs",
     "  ring_turn<shape> turn;\n  for (;; turn.next()) {\n"
     "    const unsigned number = ring_.tile[turn.slot()];\n    if (number >= tiles_) break;\n"
     "    const place at = place_of(number);\n    if (needs", BULK, TREE, ""),
    ("the halves of a pair swapped", ROLES,
     "sum = combine(p_.op, first, sum);", "sum = combine(p_.op, sum, first);", BULK, TREE, ""),
    ("a pair that reaches into the next line", BULK_SCAN,
     "if (tile % 2 == 0 && tile + 1 < line_tiles_)", "if (tile % 2 == 0)", BULK, "*InPlace*", ""),
    ("a group's sum overwritten before it is taken", ROLES,
     "  wait(&ring_.group_free, round % 2 ^ 1);\n", "", BULK, "*GroupsOfLines*", ""),
    ("a group's sum taken before it is there", ROLES,
     "    wait(&ring_.group_full, round % 2);\n", "", BULK, "*Groups*", ""),
    ("scanners do not wait for the copy", ROLES,
     "::scan" + LOOP("int chunk", "true", WAIT("full", "slot")),
     "::scan" + LOOP("int chunk", "true", ""), BULK, TREE, ""),
    ("reducers do not wait for the copy", ROLES,
     "::reduce" + LOOP("int warp", "shape::keep_left", WAIT("full", "slot")),
     "::reduce" + LOOP("int warp", "shape::keep_left", ""), BULK, TREE, ""),
    ("the first tile's sums not waited for", ROLES,
     "    if (first) wait(&ring_.first_summed, 0);\n", "", BULK, "*Float*", ""),
    ("a stage freed before all lanes have read it", ROLES,
     "    __syncwarp();\n    if (lane_id() == 0) arrive(&ring_.empty[turn.stage()]);\n    wait",
     "    if (lane_id() == 0) arrive(&ring_.empty[turn.stage()]);\n    wait", BULK, TREE, "tsan"),
    ("a chunk's sum handed on by another lane's arrival", ROLES,
     "    __syncwarp();\n    if (lane_id() == 0) {\n", "    if (lane_id() == 1) {\n",
     BULK, TREE, "tsan"),
    ("carried without the publisher's or the look-back's arrival", BULK_SCAN,
     "mbarrier_init(&ring_.carried[i], 2)", "mbarrier_init(&ring_.carried[i], 1)", BULK, TREE, ""),
    ("no more slots than stages", BULK_RING,
     "static constexpr int slots = stages + 1;", "static constexpr int slots = stages;",
     BULK, TREE, ""),
    ("barriers used before they are made", BULK_SCAN,
     "    __syncthreads();\n    const int warp = warp_id();\n", "    const int warp = warp_id();\n",
     BULK, TREE, ""),
    ("the last bytes of a line not copied", BULK_RING,
     "  by_hand(to, end);\n", "", BULK, "*Unaligned*", ""),
    ("a stage free before its results are copied away", BULK_WALK,
     "::cuda::ptx::cp_async_bulk_wait_group_read(::cuda::ptx::n32_t<1>());\n", "\n",
     WALK, "*BulkStores*", ""),
    ("results copied away before they are there", BULK_WALK,
     "    wait(&ring_.done[turn.stage()], turn.stage_parity());\n", "", WALK, "*BulkStores*", ""),
    ("walkers do not wait for their chunk", BULK_WALK,
     "    wait(&ring_.full[turn.stage()], turn.stage_parity());\n    T x", "    T x",
     WALK, "*Anywhere*", ""),
    ("a chunk copied over one that is not read", BULK_WALK,
     "    wait(&ring_.empty[turn.stage()], turn.stage_parity() ^ 1);\n", "",
     WALK, "*Anywhere*:*Lag*", ""),
    ("the first bytes of a line's row not copied", BULK_RING,
     "  by_hand(begin, from);\n", "", WALK, "*Anywhere*", ""),
    ("a stage handed on before all lanes have written", BULK_WALK,
     "    __syncwarp();\n    if (lane_id() == 0) arrive(b);", "    if (lane_id() == 0) arrive(b);",
     WALK, "*BulkStores*", "tsan"),
    *strip_faults.FAULTS,
]
QUICK = ("operands of the look-back's fold swapped", "a word's epoch not looked at",
         "scanners do not wait for the carry")
CRASH = "a crash, which tells nothing"


def check_texts(root):
    """Every fault's text stands in its header once; else it would plant nothing."""
    for name, file, old, *_ in FAULTS:
        count = (Path(root) / "include/upsweep/cuda" / file).read_text().count(old)
        if count != 1:
            raise SystemExit(f"{name}: its text stands in {file} {count} times")


class Bench:
    """Compiles a test of the protocol against headers, and runs it."""

    def __init__(self, root, compiler, emulator, scratch):
        self.root, self.compiler, self.emulator = Path(root), compiler, emulator
        self.scratch = Path(scratch)
        g = "-fno-extern-tls-init"  # g++ needs it, others do not know it
        known = subprocess.run([compiler, g, "-E", "-x", "c++", "/dev/null"], capture_output=True)
        self.flags = [g] if known.returncode == 0 else []

    def headers(self, number, fault):
        """A copy of include/ with the fault, if any."""
        copy = self.scratch / str(number) / "include"
        shutil.copytree(self.root / "include", copy)
        if fault:
            _, file, old, new = fault[:4]
            path = copy / "upsweep/cuda" / file
            path.write_text(path.read_text().replace(old, new))
        return copy

    def fails(self, number, fault, test, tests, how):
        """What the test prints when it fails; empty when it passes."""
        folder = self.root / "tests/protocol"
        program = self.scratch / f"{number}.out"
        headers = self.headers(number, fault)
        flags = ["-std=c++20", "-O1", "-g", "-w", "-Wno-psabi", "-ffp-contract=off", "-pthread"]
        flags += ["-fsanitize=thread"] if how == "tsan" else []
        flags += self.flags
        subprocess.run([self.compiler, *flags, f"-I{folder / 'stand_in'}", f"-I{headers}",
                        str(folder / f"{test}.cpp"), self.emulator, "-lgtest_main", "-lgtest",
                        "-lboost_context", "-o", str(program)], check=True)
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1")
        done = subprocess.run([str(program), f"--gtest_filter={tests}"], capture_output=True,
                              text=True, env=environment, timeout=300)
        program.unlink()
        return "" if done.returncode == 0 else done.stdout + done.stderr or CRASH


def how_found(output):
    """One line that says how a test failed."""
    for line in output.splitlines():
        for sign in ("SUMMARY: ThreadSanitizer", "description", "ThreadSanitizer:DEADLYSIGNAL"):
            if sign in line:
                return line[:110]
    return "wrong results" if "FAILED" in output else CRASH


def main(arguments):
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    quick = arguments[3:] == ["quick"]
    some = "" if quick else "".join(arguments[3:])
    faults = [f for f in FAULTS if (f[0] in QUICK if quick else some in f[4])]
    sound = [] if quick else sorted({(test, tests, how) for *_, test, tests, how in faults})
    missed = 0
    check_texts(arguments[0])
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        bench = Bench(*arguments[:3], scratch)
        runs = [(None, *case) for case in sound] + [(fault, *fault[4:]) for fault in faults]
        outputs = pool.map(lambda job: bench.fails(job[0], *job[1]), enumerate(runs))
        for (fault, test, tests, how), output in zip(runs, outputs):
            found = how_found(output) if output else "passed"
            good = bool(output) == bool(fault) and found != CRASH
            missed += not good
            name = fault[0] if fault else f"no fault ({test} {tests} {how})"
            print(f"{'ok' if good else 'NOT AS IT SHOULD BE'} {name}: {found}", flush=True)
    print(f"{len(faults)} faults planted, {missed} of {len(runs)} runs not as they should be")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
