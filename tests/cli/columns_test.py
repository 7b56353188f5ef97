# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Columns of delimited text, comments, and the options that say what a file is."""

import csv
import io
import struct

import numpy as np

import tool

TABLE = 'time,"size, B",note\n0.5,1,"a, b"\n1.5,"2","say ""x"""\n\n2, 3 ,"two\nlines"\r\n4,-7,\n'


class Columns(tool.ToolTest):
    def column(self, text, name, *arguments):
        self.put("x.csv", text)
        return self.scan("x.csv", "--column", name, *arguments).decode().split()

    def test_names_numbers_and_quotes(self):
        self.assertEqual(self.column(TABLE, "size, B"), ["1", "3", "6", "-1"])
        self.assertEqual(self.column(TABLE, "2"), ["1", "3", "6", "-1"])
        self.assertEqual(self.column(TABLE, "time"), ["0.5", "2", "4", "8"])
        self.assertEqual(self.column("\ufeff" + TABLE, "time"), ["0.5", "2", "4", "8"])
        self.assertEqual(self.column('"say ""x"""\n5', 'say "x"'), ["5"])

    def test_a_file_without_a_header_loses_no_record(self):
        self.assertEqual(self.column("1,2\n3,4", "1"), ["1", "4"])
        self.assertEqual(self.column("a,2\n3,4", "2"), ["2", "6"])
        self.assertEqual(self.column("a,b\n3,4", "2"), ["4"])
        self.assertEqual(self.column("", "2"), [])
        self.assertEqual(self.column("a,b\n", "a"), [])

    def test_a_first_record_of_complex_or_bool_is_no_header(self):
        self.assertEqual(self.column("1+2j,5\n3+4j,6\n", "1", "--dtype", "c16"), ["1+2j", "4+6j"])
        self.assertEqual(self.column("true,5\nfalse,6\n", "1", "--dtype", "bool"), ["1", "1"])
        self.assertEqual(self.column("yes,5\nfalse,6\n", "1", "--dtype", "bool"), ["0"])
        self.refused("1+2j,5\n3,6\n", "line 1, column 1", "--dtype c16",
                     arguments=["--column", "1"])
        self.refused("true\n3\n", "line 1, column 1", "'true'", arguments=["--column", "1"])

    def test_a_record_of_empty_fields_is_no_blank_line(self):
        self.put("x.tsv", "a\tb\n1\t2\n\t\n3\t4\n")
        self.assert_refused(1, ["line 3, column ", "is empty"], "scan", "x.tsv", "--column", "b")
        self.refused("a,b\n1,2\n,\n3,4\n", "line 3, column 2", "is empty")
        self.put("x.tsv", "a\tb\n1\t2\n  \n\n3\t4\n")
        self.assertEqual(self.scan("x.tsv", "--column", "b"), b"2\n6\n")

    def test_what_the_csv_module_writes_is_read(self):
        random = tool.random()
        for delimiter in ",", ";", "\t":
            values = random.integers(-9, 9, 3000)
            text = io.StringIO()
            writer = csv.writer(text, delimiter=delimiter)
            writer.writerow(["a", f"b{delimiter}c", 'd"e'])
            for value in values:
                noise = "".join(random.choice(list('ab",;\n\t '), 5))
                writer.writerow([noise, value, noise])
            word = {"\t": "tab"}.get(delimiter, delimiter)
            got = self.column(text.getvalue(), f"b{delimiter}c", "--delimiter", word)
            self.assertEqual(got, [str(v) for v in np.cumsum(values)])

    def test_tsv_has_tabs(self):
        self.put("x.tsv", "a\tb\n1\t2\n3\t4\n")
        self.assertEqual(self.scan("x.tsv", "--column", "b"), b"2\n6\n")

    def test_records_across_the_buffer(self):
        lines = [f'{i},"{"x" * (i % 977)}\n",{i % 7}' for i in range(6000)]
        want = [str(v) for v in np.cumsum([i % 7 for i in range(6000)])]
        self.assertEqual(self.column("n,text,k\n" + "\n".join(lines), "k"), want)

    def test_mistakes_are_named_with_their_place(self):
        self.refused("a\n1\n", "line 1, column 1", "1 field,", "column 2")
        self.refused("a,b\n1,2\n3,x\n", "line 3, column 3", "'x'")
        self.refused("a,b\n1,2\n3,\n", "line 3, column 3", "column 2 is empty")
        self.refused('a,b\n1,"2"3\n', "line 2, column 3", "closing quote")
        self.refused('a,b\n1,"2\n3,4\n', "line 2, column 1", "without an end")
        self.refused('a,b\n"1\n\n",2\n3,y', "line 5, column 3", "'y'")
        self.refused('a,b\n1,"1,234"\n', "line 2, column 4", "'1,234'")
        self.refused("a,b\n1,2\n", "no column 'c'", "there are a, b", arguments=["--column", "c"])
        self.refused("a,b,a\n1,2,3\n", "2 columns 'a'", "--column 1", arguments=["--column", "a"])
        self.refused("a,b\n", "counted from 1", status=2, arguments=["--column", "0"])
        self.refused("", "no header", arguments=["--column", "a"])

    def test_records_have_as_many_fields_as_the_first(self):
        for column in "b", "1", "2":
            arguments = ["--column", column]
            self.refused("a,b,c\n1,2,3\n4,5\n", "line 3, column 4", "2 fields", "record has 3",
                         arguments=arguments)
            self.refused("a,b\n1,2,3\n", "line 2, column 5", "too many", "record has 2",
                         arguments=arguments)
            self.refused('a,b\n\n1,"2\n",3,4', "line 4, column 3", "too many",
                         arguments=arguments)
            self.refused("a,b\n1,2,\n", "line 2, column 5", "too many", arguments=arguments)
        self.refused("1,2\n3\n", "line 2, column 2", "1 field,", arguments=["--column", "1"])
        rows = "a,b\n" + "1,2\n" * 100000
        self.assertEqual(len(self.column(rows, "a")), 100000)
        self.refused(rows + "1\n", "line 100002, column 2", "1 field,")

    def test_nothing_stands_behind_a_closing_quote(self):
        for record, place in [('"1"x,2', 1), ('1,"x"y', 3), ('1,"x" "y"', 3), ('1,"x""" y', 3),
                              ('1,"x" y', 3)]:
            for column in "a", "1", "2":
                self.refused(f"a,b\n{record}\n", f"line 2, column {place}", "closing quote",
                             arguments=["--column", column])
        self.refused('a,b\n1,"x"y"\n', "line 2, column 1", "without an end")
        self.refused('a,"b"c\n1,2\n', "line 1, column 3", "closing quote")
        for note in '""', '""""', '"a"""', ' "a""b" ', '"""a"', 'a"b"', '5"':
            self.assertEqual(self.column(f"a,b\n1,{note}\n2,x\n", "a"), ["1", "3"], note)

    def test_delimiters_that_cannot_be(self):
        for word in '"', "ab", "\n":
            self.refused(TABLE, "--delimiter", status=2,
                         arguments=["--column", "2", "--delimiter", word])
        self.put("x.txt", "1")
        self.assert_refused(2, ["--delimiter", "--column"], "scan", "x.txt", "--delimiter", ";")

    def refused(self, text, *words, status=1, arguments=("--column", "2")):
        self.put("x.csv", text)
        return self.assert_refused(status, words, "scan", "x.csv", "-o", "y.txt", *arguments)


class Comments(tool.ToolTest):
    def test_they_end_with_the_line(self):
        for text in "1 #x 9\n2", "#\n1\n# 5\n2 # 6", "1#2\n2", "1,#x\n2", "1 2 #":
            self.assertEqual(self.scan_text(text, "--comment", "#"), ["1", "3"], text)
        self.assertEqual(self.scan_text("1 // 5\n2", "--comment", "//"), ["1", "3"])
        self.assertEqual(self.scan_text("1 %\n" * 3, "--comment", "%"), ["1", "2", "3"])
        self.assertEqual(self.scan_text("# only"[0:6], "--comment", "#"), [])

    def test_long_ones(self):
        text = "1\n#" + "x " * 400000 + "\n2\n"
        self.assertEqual(self.scan_text(text, "--comment", "#"), ["1", "3"])

    def test_places_count_them(self):
        self.assert_refused(1, ["line 2, column 4", "'x'"], "scan", "-", "--comment", "#",
                            stdin="1 # é\n 2 x")

    def test_none_without_the_option(self):
        self.assert_refused(1, ["'#x'"], "scan", "-", stdin="1 #x")

    def test_columns_leave_out_lines_of_them(self):
        self.put("x.csv", "# made by\na,b\n#1,2\n3,4\n")
        self.assertEqual(self.scan("x.csv", "--column", "b", "--comment", "#"), b"4\n")


    def test_quotes_in_lines_of_them_are_none(self):
        self.put("x.csv", 'v\n1\n# say, "hi\n2\n \t#"\n3\n# bye, "x\n#"\n"4"\n#"')
        self.assertEqual(self.scan("x.csv", "--column", "v", "--comment", "#"), b"1\n3\n6\n10\n")
        self.put("x.csv", '\ufeff// "\nv\n1\n//"\n2\n')
        self.assertEqual(self.scan("x.csv", "--column", "v", "--comment", "//"), b"1\n3\n")
        self.put("x.csv", 'v\n1\n"# 5"\n')  # within quotes it is none
        self.assert_refused(1, ["'# 5'"], "scan", "x.csv", "--column", "v", "--comment", "#")
        self.put("x.csv", 'v\n1\n"" 2"\n3\n')
        self.assertEqual(self.scan("x.csv", "--column", "v", "--comment", '""'), b"1\n4\n")


class SayingWhatItIs(tool.ToolTest):
    def test_format_overrides_the_name(self):
        self.put("x.txt", tool.npy_bytes(np.int64([1, 2])))
        self.assertEqual(self.scan("x.txt", "--format", "npy"), b"1\n3\n")
        self.put("x.npy", "1 2")
        self.assertEqual(self.scan("x.npy", "--format", "text"), b"1\n3\n")
        self.put("x.csv", struct.pack("<2i", 1, 2))
        self.assertEqual(self.scan("x.csv", "--format", "raw", "--dtype", "i4"), b"1\n3\n")
        self.assertEqual(self.scan("-", "--format", "npy", stdin=tool.npy_bytes(np.ones(2))),
                         b"1\n2\n")
        self.scan("x.npy", "--format", "text", "-o", "y.txt", "--out-format", "npy")
        self.assert_same(np.load(self.path("y.txt")), np.int64([1, 3]))
        got = self.scan("-", "--out-format", "npy", stdin="1 2")
        self.assertEqual(got, tool.npy_bytes(np.int64([1, 3])))

    def test_a_name_that_does_not_tell_what_it_is(self):
        for name in "counts", "counts.log":
            self.put(name, "1 2 3")
            self.assert_refused(2, [name, "--format text", "--dtype"], "scan", name)
            self.assertEqual(self.scan(name, "--format", "text"), b"1\n3\n6\n")
        for name in "x.npz", "x.npy.gz", "x.csv.xz":
            self.put(name, "1 2 3")
            message = self.assert_refused(2, [name, "unpack it first"], "scan", name)
            self.assertNotIn("--dtype", message)

    def test_offset(self):
        self.put("x.bin", b"head" + struct.pack("<3i", 1, 2, 3))
        for stdin in None, self.get("x.bin"):
            name = ["x.bin"] if stdin is None else ["-", "--format", "raw"]
            run = [*name, "--dtype", "i4", "--offset"]
            self.assertEqual(self.scan(*run, "4", stdin=stdin or b""), b"1\n3\n6\n")
            self.assertEqual(self.scan(*run, "16", stdin=stdin or b""), b"")
            self.assert_refused(1, ["--offset 17", "16 bytes"], "scan", *run, "17",
                                stdin=stdin or b"")
            self.assert_refused(1, ["11 bytes behind --offset 5"], "scan", *run, "5",
                                stdin=stdin or b"")
        self.assert_refused(2, ["--offset", "raw"], "scan", "-", "--offset", "1", stdin="1 2")
        for word in "-1", "x", "1.5", "1e3", "-1e400", "99999999999999999999":
            message = self.assert_refused(2, ["--offset", f"'{word}' is "], "scan", "x.bin",
                                          "--dtype", "i4", "--offset", word)
            self.assertLess(len(message), 150)

    def test_byte_order(self):
        self.put("x.bin", struct.pack(">3h", 1, 2, 3))
        self.assertEqual(self.scan("x.bin", "--dtype", "i2", "--byte-order", "big"), b"1\n3\n6\n")
        self.assertEqual(self.scan("x.bin", "--dtype", ">i2", "--byte-order", "big"), b"1\n3\n6\n")
        self.assert_refused(2, ["contradicts"], "scan", "x.bin", "--dtype", "<i2", "--byte-order",
                            "big")
        self.assert_refused(2, ["--dtype"], "scan", "x.bin", "--byte-order", "big")
        self.assert_refused(2, ["--byte-order"], "scan", "x.bin", "--dtype", "i2", "--byte-order",
                            "middle")
        self.assert_refused(2, ["no byte order"], "scan", "-", "--dtype", "i2", "--byte-order",
                            "big", stdin="1")

    def test_options_for_another_format(self):
        self.put("x.npy", np.ones(3))
        for option in ["--column", "1"], ["--comment", "#"]:
            self.assert_refused(2, ["x.npy", "are for text"], "scan", "x.npy", *option)


if __name__ == "__main__":
    tool.main()
