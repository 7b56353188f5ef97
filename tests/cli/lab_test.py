# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep lab from outside: the lecture's traces and tables, refusals, exit statuses."""

import json
import os
import re
import unittest

import tool

NO_GPU = dict(os.environ, CUDA_VISIBLE_DEVICES="")
SAMPLE = "3,1,7,0,4,1,6,3"


def oracle(addresses, banks):
    """Transactions of a warp's access to words: lanes in groups of as many as there are banks."""
    total = 0
    for first in range(0, len(addresses), banks):
        crowd = {}
        for word in addresses[first:first + banks]:
            crowd.setdefault(word % banks, set()).add(word)
        total += max((len(words) for words in crowd.values()), default=0)
    return total


def tree(n, banks, place):
    """Transactions of one left and one right access of each step of a tree over n leaves."""
    left = right = 0
    stride = 1
    while stride < n:
        for first in range(0, n // 2 // stride, 32):
            rights = [(t + 1) * 2 * stride - 1
                      for t in range(first, min(first + 32, n // 2 // stride))]
            right += oracle([place(i) for i in rights], banks)
            left += oracle([place(i - stride) for i in rights], banks)
        stride *= 2
    return left, right


class LabTest(tool.ToolTest):
    def lab(self, *arguments, status=0):
        done = self.run_tool("lab", *arguments)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.stdout.decode()

    def lab_json(self, *arguments, status=0):
        return json.loads(self.lab(*arguments, "--json", status=status))

    def refused(self, words, *arguments):
        self.assert_refused(2, words, "lab", *arguments)

    def test_list_names_every_kernel(self):
        names = [row["kernel"] for row in self.lab_json("list")]
        self.assertEqual(len(names), 13)
        most = {row["kernel"]: row["most_simulated"] for row in self.lab_json("list")}
        self.assertEqual((most["naive"], most["blelloch"], most["lookback"]), (8192, 2048, 1 << 24))
        text = self.lab("list")
        for name in names:
            self.assertIn(name, text)

    def arrays(self, kernel, *arguments):
        steps = self.lab_json("trace", kernel, "--input", SAMPLE, *arguments)["launches"][0]["steps"]
        return [(step["phase"], step["stride"], " ".join(step["array"])) for step in steps]

    def test_trace_of_hillis_steele(self):
        self.assertEqual(self.arrays("hillis-steele"), [
            ("", 0, "3 1 7 0 4 1 6 3"), ("step", 1, "3 4 8 7 4 5 7 9"),
            ("step", 2, "3 4 11 11 12 12 11 14"), ("step", 4, "3 4 11 11 15 16 22 25")])
        text = self.lab("trace", "hillis-steele", "--input", SAMPLE)
        for words in ("7 active", "6 active", "4 active", "[3]+"):
            self.assertIn(words, text)

    def test_trace_of_blelloch(self):
        self.assertEqual([array for _, _, array in self.arrays("blelloch")], [
            "3 1 7 0 4 1 6 3", "3 4 7 7 4 5 6 9", "3 4 7 11 4 5 6 14", "3 4 7 11 4 5 6 25",
            "3 4 7 11 4 5 6 0", "3 4 7 0 4 5 6 11", "3 0 7 4 4 11 6 16", "0 3 4 11 11 15 16 22"])

    def test_trace_of_texts_shows_the_order(self):
        for kernel in ("blelloch", "brent-kung", "hillis-steele", "warp-shuffle", "vectorized"):
            result = self.lab_json("trace", kernel, "--op", "concat", "--input", "a,b,c,d,e")
            self.assertEqual(result["result"], ["a", "ab", "abc", "abcd", "abcde"], kernel)
        result = self.lab_json("trace", "tree-lookback", "--op", "concat", "--input", "a,b,c",
                               "--exclusive", "--block", "32")
        self.assertEqual(result["result"], ["-", "a", "ab"])

    def test_page_holds_the_drawing(self):
        self.lab("trace", "blelloch", "--input", SAMPLE, "--html", "page.html")
        page = self.get("page.html").decode()
        self.assertIn("<svg", page)
        self.assertNotIn("http", page)
        self.assertGreater(page.count("<line"), 20)
        self.refused(["64 elements"], "trace", "blelloch", "--input", ",".join("1" * 65))

    def test_banks_of_hillis_steele(self):
        result = self.lab_json("banks", "hillis-steele", "--n", "1024")
        by_site = {}
        for row in result["accesses"]:
            if row["phase"] == "step":
                self.assertEqual(row["degree"], 1)
                by_site.setdefault((row["place"], row["kind"]), []).append(row)
        own = by_site["src[t]", "read"]
        neighbour = by_site["src[t-stride]", "read"]
        written = by_site["dst[t]", "write"]
        self.assertEqual([r["active_threads"] for r in own],
                         [1024 - 2**k for k in range(10)])
        self.assertEqual([r["transactions"] for r in neighbour],
                         [32, 32, 32, 32, 32, 31, 30, 28, 24, 16])
        sums = lambda rows, field: sum(r[field] for r in rows)
        self.assertEqual([sums(rows, "transactions") for rows in (own, neighbour, written)],
                         [320, 289, 320])
        self.assertEqual([sums(rows, "active_transactions") for rows in (own, neighbour, written)],
                         [289, 289, 289])
        self.assertEqual(result["totals"]["step"], 929)
        self.assertEqual(result["active_totals"]["step"], 867)
        self.assertEqual(result["shared_words"], 2048)
        self.assertEqual(result["kind_totals"], {"read": 320 + 289, "write": 32 + 320})

    def sums(self, kernel, n):
        """The table behind the accesses: columns by phase, place and kind."""
        text = self.lab("banks", kernel, "--n", n).split("\nsum over")[1]
        rows = [line.split() for line in text.splitlines()[1:]]
        return {tuple(row[:-4]): [float(word) for word in row[-4:]] for row in rows}

    def test_sums_by_place_and_by_phase_an_element(self):
        table = self.sums("hillis-steele", 1024)
        self.assertEqual(table["step", "src[t-stride]", "read"], [289, 0.28, 289, 0.28])
        self.assertEqual(table["step", "src[t]", "read"], [320, 0.31, 289, 0.28])
        self.assertEqual(table["step", "all"], [929, 0.91, 867, 0.85])
        table = self.sums("blelloch", 2048)
        for phase, place, kind in (("up-sweep", "s[left]", "read"), ("up-sweep", "s[right]", "write"),
                                   ("down-sweep", "s[left]", "write")):
            self.assertEqual(table[phase, place, kind][0], 383)
        self.assertEqual(table["up-sweep", "all"][0], 1149)
        self.assertEqual(table["down-sweep", "all"][0], 1532)
        self.assertEqual(table["work", "all"], [2681, 1.31, 2681, 1.31])
        result = self.lab_json("banks", "blelloch", "--n", "2048")
        self.assertEqual(sum(row["transactions"] for row in result["place_totals"]),
                         sum(result["totals"].values()))
        self.assertIn("no accesses to shared memory", self.lab("banks", "naive", "--n", "40"))

    def test_banks_of_trees_agree_with_an_oracle(self):
        for banks, n in ((32, 2048), (16, 512)):
            places = {"none": lambda i: i, "1": lambda i: i + i // banks,
                      "2": lambda i: i + i // banks + i // banks**2}
            for pad, place in places.items():
                result = self.lab_json("banks", "blelloch", "--n", n, "--pad", pad, "--banks", banks)
                left, right = tree(n, banks, place)
                self.assertEqual(result["totals"]["up-sweep"], left + 2 * right, (banks, pad))
                self.assertEqual(result["totals"]["down-sweep"], 2 * left + 2 * right, (banks, pad))
                if pad == "2":
                    self.assertEqual({row["degree"] for row in result["accesses"]}, {1})
        plain = self.lab_json("banks", "blelloch", "--n", "2048")
        self.assertEqual((plain["totals"]["up-sweep"], plain["totals"]["down-sweep"]), (1149, 1532))

    def index(self, expression, *arguments):
        return self.lab_json("banks", "--index", expression, *arguments)

    def test_banks_of_the_companion_note(self):
        plain = self.index("2*t", "--threads", "16", "--banks", "16")
        self.assertEqual([row["bank"] for row in plain["rows"]], list(range(0, 16, 2)) * 2)
        self.assertEqual(plain["degree"], 2)
        padded = self.index("2*t", "--threads", "16", "--banks", "16", "--pad", "i + i/16")
        self.assertEqual([row["physical"] for row in padded["rows"]],
                         [*range(0, 16, 2), *range(17, 33, 2)])
        self.assertEqual([row["bank"] for row in padded["rows"]],
                         [*range(0, 16, 2), *range(1, 16, 2)])
        self.assertEqual(padded["degree"], 1)
        self.assertEqual(self.index("4*t+1", "--threads", "16", "--banks", "16")["degree"], 4)
        self.assertEqual(self.index("2*t")["degree"], 2)
        self.assertEqual(self.index("2*t", "--threads", "16")["degree"], 1)
        moved = self.index("2*t", "--base", "20")
        self.assertEqual((moved["degree"], moved["rows"][0]["bank"]), (2, 5))
        self.assertEqual(self.index("t", "--word", "16")["transactions"], 4)
        self.assertEqual(self.index("t*33")["degree"], 1)
        self.assertEqual(self.index("32*t")["degree"], 32)

    def test_expressions_mean_what_they_mean_in_c(self):
        for text, function in (("7*t%5", lambda t: 7 * t % 5), ("t/3*2", lambda t: t // 3 * 2),
                               ("1+t<<2", lambda t: 1 + t << 2), ("t^1", lambda t: t ^ 1),
                               ("t&5|8", lambda t: t & 5 | 8), ("20-t-1", lambda t: 20 - t - 1),
                               ("-(0-t)>>1", lambda t: t >> 1), ("0x1F*t+0Xa", lambda t: 31 * t + 10),
                               ("t*017 + 00", lambda t: 15 * t)):
            rows = self.index(text, "--threads", "8")["rows"]
            self.assertEqual([row["logical"] for row in rows], [function(t) for t in range(8)], text)

    def test_bad_expressions_are_refused_with_position_and_reason(self):
        for text, words in (("2*", ["position 3", "missing"]), ("t+x", ["position 3", "'x'"]),
                            ("1.5*t", ["position 2", "'.'"]), ("3t", ["position 2"]),
                            ("(t", ["position 1", "parenthesis"]), ("0x+t", ["position 1"]), ("0x1g", ["position 4"]),
                            ("08", ["position 2", "octal"]), ("1u", ["position 2"]),
                            ("t1", ["position 1", "'t1'"]), ("1/t", ["t = 0", "division by zero"]),
                            ("t-5", ["index -5"]), ("t t", ["position 3"])):
            self.refused(words, "banks", "--index", text)
        for text in ("9007199254740993%32", "99999999999999999999 & 31", "9223372036854775807/4",
                     "99999999999999999999%(0-1)", "0x20000000000001&1", "99999999999999999999-99999999999999999999"):
            self.refused(["beyond 2^53"], "banks", "--index", text)
        self.refused(["'j'"], "banks", "--index", "t", "--pad", "i+j")
        self.refused(["'3'", "expression in i"], "banks", "--index", "t", "--pad", "3")
        for terms, degree in ("none", 32), ("1", 1), ("2", 1):
            self.assertEqual(self.index("32*t", "--pad", terms)["degree"], degree)
        self.refused(["needs a kernel"], "banks")

    def test_check_finds_the_race_and_only_there(self):
        done = self.run_tool("lab", "check", "hillis-steele-racy", "--n", "64", "--schedules", "5")
        self.assertEqual(done.returncode, 4)
        self.assertIn("data race", done.stdout.decode())
        self.assertIn("'s[t-stride]' in step 1", done.stdout.decode())
        result = self.lab_json("check", "hillis-steele-racy", "--n", "64", status=4)
        self.assertGreater(result["results"], 1)
        for kernel, n in (("hillis-steele", 200), ("blelloch", 200), ("lookback", 2000),
                          ("tree-lookback", 2000), ("grid-sync", 2000)):
            result = self.lab_json("check", kernel, "--schedules", "3", "--n", n, "--block",
                                   64 if n > 200 else 256)
            self.assertEqual((result["faults"], result["results"], result["wrong_runs"]), ([], 1, 0))

    def test_pitfalls_are_caught(self):
        text = self.lab("pitfalls")
        for words in ("data race", "barrier divergence", "uninitialised read", "out of bounds",
                      "grid does not cover n", "shared memory over the limit", "launch refused",
                      "wrong result", "compute-sanitizer"):
            self.assertIn(words, text)
        self.assertNotIn("not caught", text)
        self.assertEqual(text.count("not seen here"), 4)

    def test_run_verifies(self):
        result = self.lab_json("run", "hierarchical", "--n", "5000", "--tile-kernel", "blelloch")
        self.assertTrue(result["verified"])
        self.assertEqual([launch["kernel"] for launch in result["launches"]],
                         ["scan tiles", "scan tiles", "add offsets"])
        result = self.lab_json("run", "blelloch", "--n", "2048", "--pad", "2")
        self.assertTrue(result["canonical_bits"])
        self.assertEqual(result["launches"][0]["operations"], 4094)
        for op in ("max", "min", "prod", "concat", "matrix"):
            result = self.lab_json("run", "warp-shuffle", "--n", "77", "--op", op, "--exclusive")
            self.assertTrue(result["verified"], op)
        self.lab("run", "hillis-steele-racy", "--n", "64", status=4)

    def test_lecture_has_its_figures(self):
        self.assertIn("2098176", self.lab("lecture", "1"))
        text = self.lab("lecture", "2")
        for words in ("adds 9217, barriers 10", "hillis-steele-racy, n = 1024"):
            self.assertIn(words, text)
        self.assertIn("WRONG", text)

    def test_the_same_run_prints_the_same(self):
        for arguments in (("run", "lookback", "--n", "3000", "--json"),
                          ("check", "hillis-steele-racy", "--n", "40", "--schedules", "4")):
            runs = {self.run_tool("lab", *arguments).stdout for _ in range(2)}
            self.assertEqual(len(runs), 1)

    def test_wrong_calls_are_refused(self):
        self.refused(["kogge", "blelloch"], "run", "kogge")
        self.refused(["kogge", "blelloch"], "banks", "kogge")
        self.refused(["serial", "warp-shuffle"], "run", "hierarchical", "--tile-kernel", "serial")
        self.refused(["at most 1024", "hierarchical"], "run", "hillis-steele", "--n", "1025")
        self.refused(["element 1"], "trace", "blelloch", "--input", "1,,2")
        self.refused(["'x'"], "trace", "blelloch", "--input", "1,x")
        self.refused(["power of two"], "run", "blelloch", "--n", "10", "--block", "12")
        self.refused(["tree"], "banks", "hillis-steele", "--n", "64", "--pad", "1")
        self.refused(["at most 8192"], "run", "naive", "--n", "10000")
        self.assertIn("8192", self.lab("list"))
        self.refused(["lab --help", "lecture"], )
        self.refused(["'bogus'", "lecture", "lab --help"], "bogus")
        self.refused(["lab banks --help"], "banks", "--nosuch")
        for command in (("check", "blelloch", "--n"), ("run", "blelloch", "--n"),
                        ("banks", "blelloch", "--n"), ("banks", "--index", "t", "--base")):
            self.refused(["'-3'", "no whole number from"], *command, "-3")

    def test_options_that_cannot_apply_are_refused(self):
        index = ("--index", "t")
        for words, *call in (
                (["--n"], "check", "blelloch", "--n", "0"),
                (["--input", "--n"], "check", "blelloch", "--n", "2", "--input", "1,2"),
                (["--input", "--n"], "run", "blelloch", "--n", "2", "--input", "1,2"),
                (["--banks"], "check", "blelloch", "--banks", "16"),
                (["--threads"], "banks", "blelloch", "--n", "8", "--threads", "8"),
                (["--word"], "banks", "blelloch", "--n", "8", "--word", "8"),
                (["--base"], "banks", "blelloch", "--n", "8", "--base", "8"),
                (["--index"], "banks", "blelloch", *index),
                (["--n"], "banks", *index, "--n", "8"),
                (["--block"], "banks", *index, "--block", "8"),
                (["--html"], "trace", "blelloch", "--input", "1,2", "--html", ""),
                (["--op"], "trace", "blelloch", "--input", "1,2", "--op", ""),
                (["--block"], "run", "serial", "--block", "8"),
                (["--tile-kernel"], "run", "lookback", "--tile-kernel", "blelloch"),
                (["--repeat"], "run", "blelloch", "--repeat", "3"),
                (["--banks"], "run", "blelloch", "--banks", "16", "--device", "cuda"),
                (["--repeat"], "lecture", "2", "--repeat", "3")):
            self.refused(words, *call)

    def test_blocks_fit_the_shared_memory(self):
        for kernel, n in ("hierarchical", 1000), ("hierarchical", 5000), ("lookback", 3000):
            self.lab("run", kernel, "--op", "concat", "--n", n)
            self.lab("check", kernel, "--op", "concat", "--n", n, "--schedules", "1")
        for kernel in "hillis-steele", "tree-lookback", "hierarchical":
            self.refused(["32 bytes", "49152", "smaller blocks"], "run", kernel, "--op", "concat",
                         "--block", "1024", "--n", "40")
        self.refused(["hillis-steele is one block", "768"], "run", "hillis-steele", "--op", "concat")
        self.refused(["tree-lookback needs a power"], "run", "tree-lookback", "--block", "96")

    def test_faults_are_told_with_the_check_that_shows_them(self):
        call = ("hillis-steele-racy", "--input", "1,2,3,4,5,6,7,8")
        done = self.run_tool("lab", "trace", *call, "--html", "page.html")
        self.assertEqual(done.returncode, 4)
        again = re.search(r"\(upsweep (lab check .*)\)$", done.stderr.decode().strip()).group(1).split()
        found = self.run_tool(*again)
        self.assertEqual(found.returncode, 4)
        self.assertIn("data race", found.stdout.decode())
        self.assertIn("class='fault'>data race", self.get("page.html").decode())
        self.assertEqual(self.lab_json("trace", *call, status=4)["faults"][0]["fault"], "data race")

    def test_the_last_launch_begins_with_what_the_memory_holds(self):
        call = ("trace", "hierarchical", "--op", "concat", "--input", "a,b,c,d,e,f,g", "--block", "2")
        steps = lambda *more: [" ".join(step["array"]) for step in
                               self.lab_json(*call, *more)["launches"][-1]["steps"]]
        self.assertEqual(steps("--exclusive")[0], "- a ab c cd e ef")
        self.assertEqual(steps("--exclusive")[-1], "- a ab abc abcd abcde abcdef")
        self.assertEqual(steps()[0], "a ab c cd e ef g")
        self.assertEqual(steps("--tile-kernel", "blelloch")[-1], "a ab abc abcd abcde abcdef abcdefg")

    def test_elements_are_text(self):
        for word in b"\xff", b"\x1b", b"\n":
            done = self.run_tool("lab", "trace", "serial", "--op", "concat", "--json", "--input",
                                 os.fsdecode(word + b",b"))
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"element 0 of --input has bytes that are no text", done.stderr)
        self.assertIn("\u00e9b", self.lab("trace", "serial", "--op", "concat", "--input", "\u00e9,b"))

    def test_lost_output_is_told_once(self):
        for command in ("check hillis-steele-racy --n 64", "list", "banks blelloch --n 2048 --json"):
            with open("/dev/full", "wb") as full:
                self.assert_refused(1, ["standard output: cannot write: No space left"], "lab",
                                    *command.split(), stdout=full)

    def test_trace_of_a_wrong_result_draws_and_fails(self):
        overflow = ("serial", "--input", "3e38,3e38,-3e38")  # inf, where a double has 3e38
        for command in "trace", "run":
            self.lab(command, *overflow, status=3)
        text = self.lab("trace", *overflow, status=3)
        self.assertIn("step 2", text)
        self.assertIn("1 of them is wrong", text)
        self.assertEqual(self.lab_json("trace", *overflow, status=3)["mismatches"], 1)
        self.assertIn("data race", self.lab("trace", "hillis-steele-racy", "--input", SAMPLE, status=4))

    def test_numbers_that_are_none_are_right_where_they_belong(self):
        for kernel in "serial", "hillis-steele", "blelloch", "lookback":
            for values in "1,nan,2,3", "inf,1,-inf,2", "3e38,3e38", "1e-45,-0":
                for op in "sum", "max", "prod":
                    self.lab("run", kernel, "--op", op, "--input", values)
        self.refused(["'1e39'", "float"], "run", "blelloch", "--input", "1e39")

    def test_what_an_operator_would_cut_is_refused_or_told(self):
        for command in "run", "trace", "check":
            for words in "first 32 characters", "from 0 to 65520":
                self.assertIn(words, self.lab(command, "--help"))
        self.refused(["33 characters", "32"], "trace", "blelloch", "--op", "concat", "--input",
                     "a" * 20 + "," + "b" * 13)
        self.lab("trace", "blelloch", "--op", "concat", "--input", "a" * 20 + "," + "b" * 12)
        cut = "first 32 characters"
        for command in "run", "check":
            self.assertIn(cut, self.lab(command, "blelloch", "--op", "concat", "--n", "33"))
            self.assertNotIn(cut, self.lab(command, "blelloch", "--op", "concat", "--n", "32"))
        for word in "1.5", "-1", "65521", "a", "4294967297", "1 ":
            self.refused([f"'{word}'", "65520"], "trace", "blelloch", "--op", "matrix", "--input", word)
        self.assertIn("(65520 1; 1 0)",
                      self.lab("trace", "serial", "--op", "matrix", "--input", "65520"))

    def test_a_lecture_without_its_gpu_prints_nothing(self):
        for number in "1", "2", "3":
            done = self.run_tool("lab", "lecture", number, "--device", "cuda", env=NO_GPU)
            self.assertEqual((done.returncode, done.stdout), (1, b""))

    def counted(self, kernel, *arguments):
        """Operations, steps with operations in the order of one block, barriers of the busiest one."""
        launches = self.lab_json("run", kernel, *arguments)["launches"]
        steps = [sum(step["operations"] > 0 for step in launch["steps"]) for launch in launches]
        return (sum(launch["operations"] for launch in launches), sum(steps),
                launches[0]["barriers"])

    def formula(self, text, second, **letters):
        text = text.removeprefix("about ").removesuffix(" a tile")
        text = text.split(" or ")[second and " or " in text]
        text = re.sub(r"([\dnkjlr)]) ?(?=[nkjlr(])", r"\1*", text)
        return eval(text, {}, letters)

    def test_formulas_of_the_list_are_what_is_counted(self):
        rows = {row["kernel"]: row for row in self.lab_json("list")}
        calls = [(kernel, ["--n", 1024], dict(n=1024, k=10)) for kernel in rows]
        calls = [call for call in calls if call[0] not in ("hierarchical", "grid-sync", "lookback",
                                                           "tree-lookback", "hillis-steele-racy")]
        calls += [("hierarchical", ["--n", 65536], dict(n=65536, j=10, l=2)),
                  ("hierarchical", ["--n", 4096, "--block", 16], dict(n=4096, j=4, l=3)),
                  ("grid-sync", ["--n", 65536], dict(n=65536, r=1)),
                  ("grid-sync", ["--n", 262144], dict(n=262144, r=4)),
                  ("lookback", ["--n", 65536], dict(n=65536)),
                  ("tree-lookback", ["--n", 65536], dict(n=65536, j=9)),
                  ("tree-lookback", ["--n", 8192, "--block", 32], dict(n=8192, j=6))]
        for kernel, arguments, letters in calls:
            row, second = rows[kernel], letters.get("r", 1) > 1
            work, steps, barriers = self.counted(kernel, *arguments)
            want = lambda field: self.formula(row[field], second, **letters)
            with self.subTest(kernel=kernel, **letters):
                if row["work"].startswith("about"):
                    self.assertAlmostEqual(work / want("work"), 1, delta=0.1)
                else:
                    self.assertEqual(work, want("work"))
                if kernel not in ("warp-shuffle", "vectorized") or letters["n"] > 1024:
                    self.assertEqual(steps, want("steps"))
                self.assertEqual(barriers, want("barriers") + 3 * (kernel == "grid-sync"))
        self.assertNotEqual(self.counted("lookback", "--n", 65536)[2],  # a planted formula
                            self.formula("2j+3", False, j=9))

    def test_barriers_of_blocks_that_differ_and_of_the_grid(self):
        launch = self.lab_json("run", "grid-sync", "--n", "65536")["launches"][0]
        self.assertEqual((launch["barriers"], launch["fewest_barriers"], launch["grid_barriers"]),
                         (6, 3, 2))
        self.assertEqual(sum(step["barriers"] for step in launch["steps"]), 63 * 3 + 6)
        text = self.lab("run", "grid-sync", "--n", "65536")
        for words in (" 3..6 ", "2 of the whole grid"):
            self.assertIn(words, text)
        self.assertNotIn("whole grid", self.lab("run", "lookback", "--n", "65536"))

    def test_places_of_races_fit_the_elements(self):
        result = self.lab_json("check", "hillis-steele-racy", "--n", "3", "--op", "sum",
                               "--schedules", "300", status=4)
        self.assertGreater(len(result["faults"]), 1)
        for fault in result["faults"]:
            for racer in fault["race"]["later"], fault["race"]["earlier"]:
                moved = racer["stride"] if racer["place"] == "s[t-stride]" else 0
                self.assertEqual(fault["race"]["element"], racer["thread"] - moved, fault["text"])

    def test_look_back_is_traced_over_three_tiles(self):
        values = ",".join(map(str, range(1, 25)))
        text = self.lab("trace", "lookback", "--input", values)
        self.assertIn("lookback: 3 blocks of 2 threads", text)
        self.assertEqual(text.count("\nlook-back "), 2)
        self.assertIn("[15]+", text)
        text = self.lab("trace", "tree-lookback", "--input", values)
        self.assertIn("3 blocks of 4 threads", text)
        self.assertIn("=[15]", text)
        self.assertIn("3 blocks of 2 threads", self.lab("trace", "grid-sync", "--input", values))
        self.refused(["16 elements"], "trace", "tree-lookback", "--block", "2", "--input", values + ",1" * 9)

    def test_exclusive_results_stand_in_the_last_row(self):
        text = self.lab("trace", "hillis-steele", "--exclusive", "--input", SAMPLE)
        self.assertRegex(text, r"\nstored +0 +3 +4 +11 +11 +15 +16 +22\n\nexclusive")
        self.assertNotIn("stored", self.lab("trace", "hillis-steele", "--input", SAMPLE))

    def lines(self, page):
        """(from x, to x, whether it is of another element) of each row's lines."""
        return [(int(x1), int(x2), bool(kind)) for kind, x1, x2 in
                re.findall(r"<line( class='add')? x1='(\d+)' y1='\d+' x2='(\d+)'", page)]

    def test_the_page_draws_where_values_come_from(self):
        self.lab("trace", "blelloch", "--exclusive", "--input", SAMPLE, "--html", "page.html")
        page = self.get("page.html").decode()
        boxes = [int(x) for x in re.findall(r"class='value' x='(\d+)'", page)[:8]]
        # Up 7 sums, at the root nothing, down 7 copies from the parent and 7 sums.
        lines = self.lines(page)
        self.assertEqual(len(lines), 7 * 2 + 7 + 7 * 2)
        down = lines[14:17]
        self.assertEqual(down, [(boxes[7], boxes[7], False), (boxes[3], boxes[7], True),
                                (boxes[7], boxes[3], True)])
        for words in ("<svg role='img'", "<title>The array", "blelloch of 8 elements by sum, exclusive", "1 block of 4 threads",
                      "exclusive result: 0 3 4 11"):
            self.assertIn(words, page)
        longest = max(len(name) for name in re.findall(r"<text x='4' y='\d+'>([^<]*)<", page))
        first_box = int(re.search(r"<rect class='old' x='(\d+)'", page)[1])
        self.assertGreater(first_box, 4 + 8.4 * longest)

    def test_a_page_appears_whole_or_not_at_all(self):
        self.put("page.html", "old")
        before = sorted(os.listdir(self.dir))
        self.lab("trace", "blelloch", "--input", "1,2", "--html", "page.html")
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        done = self.run_tool("lab", "trace", "blelloch", "--input", "1,2", "--html", "none/page.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"none/page.html: cannot create", done.stderr)

    def test_a_launch_has_its_name_and_a_place_is_one_everywhere(self):
        text = self.lab("banks", "hierarchical", "--n", "64", "--block", "16")
        self.assertEqual(text.count("\nscan tiles: "), 2)
        self.assertNotIn("\nhillis-steele: ", self.lab("banks", "hillis-steele", "--n", "64"))
        result = self.lab_json("banks", "blelloch", "--n", "64")
        self.assertEqual(result["accesses"][0]["place"], "s[t]")
        self.assertEqual(result["place_totals"][0]["place"], "s[t]")

    def test_cancellation_is_no_fault(self):
        call = ("serial", "--input", "1e8,1,1,-1e8,0.5")
        for command in "trace", "run":
            self.assertIn("by cancellation", self.lab(command, *call))
        self.assertIn("by cancellation", self.lab("check", *call, "--op", "sum"))
        self.assertNotIn("cancellation", self.lab("run", "serial", "--n", "4096"))
        # More than roundings are wrong, and without a fault the status is 3.
        overflow = ("--input", "3e38,3e38,-3e38,-3e38")
        self.assertIn("largest error inf", self.lab("run", "hillis-steele", *overflow, status=3))
        self.lab("check", "hillis-steele", "--op", "sum", *overflow, status=3)

    def test_numbers_of_one_are_singular(self):
        text = self.lab("trace", "serial", "--input", "1,2")
        self.assertIn("1 block of 1 thread, 1 operation, 0 barriers", text)
        one = ("check", "serial", "--n", "1", "--schedules", "0")
        self.assertIn("1 order of threads, 0 faults, 1 result, 0 wrong runs", self.lab(*one))
        text = self.lab("check", "hillis-steele-racy", "--n", "8", "--schedules", "1", status=4)
        self.assertRegex(text, "2 orders of threads, [0-9]+ faults, [12] (result|different results), ")

    def test_padding_of_a_check_takes_sums(self):
        self.assertIn(", sum: ", self.lab("check", "blelloch", "--pad", "1", "--n", "64"))
        self.refused(["--op sum"], "check", "blelloch", "--pad", "1", "--op", "matrix")

    def test_one_pitfall_and_json(self):
        self.assertIn("deadlock", self.lab("pitfalls", "14"))
        self.assertTrue(self.lab("pitfalls", "5").startswith("5. idle threads"))
        listed = self.lab_json("pitfalls")["pitfalls"]
        self.assertEqual([p["number"] for p in listed], list(range(1, 19)))
        self.assertEqual(sum(not p["seen"] for p in listed), 4)
        self.assertIn("no progress", listed[12]["report"][0])
        self.assertEqual(len(self.lab_json("pitfalls", "3")["pitfalls"]), 1)
        self.refused(["19"], "pitfalls", "19")

    def test_naive_has_as_many_requests_as_warps(self):
        result = self.lab_json("run", "naive", "--n", "1000")
        loads = sum(min(first + 32, 1000) for first in range(0, 1000, 32))
        self.assertEqual(result["launches"][0]["sectors"], loads + 1000 // 8)
        self.assertEqual(result["launches"][0]["steps"][999]["active_warps"], 1)


if __name__ == "__main__":
    tool.main()
