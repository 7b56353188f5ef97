# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
""".npy files: everything that NumPy writes is read, and nothing else is."""

import os
import struct
import subprocess

import numpy as np

import tool

DTYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
          "c8", "c16"]
SHAPES = [(), (0,), (1,), (7,), (0, 3), (3, 0), (2, 3), (1, 1, 5), (4, 1, 3), (2, 3, 4)]
LITERAL = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"
ONE_TWO_THREE = struct.pack("<3i", 1, 2, 3)


def npy(literal=LITERAL, data=ONE_TWO_THREE, version=1, pad=0, end="\n"):
    """A file by hand, so that it may be wrong."""
    header = (literal + " " * pad + end).encode("latin1")
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


class NpyFiles(tool.ToolTest):
    def sums(self, content, *arguments):
        self.put("x.npy", content)
        return self.scan("x.npy", *arguments).decode().split()

    def refused(self, content, *words, status=1, arguments=()):
        self.put("x.npy", content)
        return self.assert_refused(
            status, ["x.npy", *words], "scan", "x.npy", "-o", "y.npy", *arguments)

    def test_every_dtype_shape_order_version_and_byte_order(self):
        count = 0
        for number, name in enumerate(DTYPES):
            for shape in SHAPES:
                values = tool.random(number).integers(0, 2 if name == "b1" else 90, shape)
                for order in "CF" if len(shape) > 1 else "C":
                    for byte_order in "<>" if name[1:] != "1" else "|":
                        array = np.asarray(values).astype(byte_order + name, order=order)
                        # Each version meets each dtype, order and byte order, and each shape.
                        for version in (1, 2, 3) if shape == (2, 3) else (1 + count % 3,):
                            with self.subTest(array.dtype, shape=shape, order=order, v=version):
                                self.read_and_written(array, version)
                            count += 1

    def read_and_written(self, array, version):
        self.put("x.npy", tool.npy_bytes(array, (version, 0)))
        if os.path.exists(self.path("y.npy")):
            os.unlink(self.path("y.npy"))
        self.scan("x.npy", "-o", "y.npy")
        name = array.dtype.str[1:]
        kind = {"b": "i8", "i": "i8", "u": "u8"}.get(name[0], name)
        # Small integers: exact, whatever the order of a sum.
        got, want = np.load(self.path("y.npy")), np.cumsum(array.astype(kind), dtype=kind)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        self.assertEqual(got.tobytes(), want.tobytes())

    def test_negative_strides_and_slices_as_numpy_saves_them(self):
        base = np.arange(60.0).reshape(3, 4, 5)
        for source in (base[::-1], base[:, ::-1, ::2], base.T[::-1], base[1], base[:, 2:3],
                       np.broadcast_to(np.arange(4.0), (3, 4))):
            for axis in range(source.ndim):
                got = self.scan_array(source, "--axis", axis)
                self.assert_same(got, np.cumsum(source, axis=axis))

    def test_a_fortran_array_as_one_sequence(self):
        for shape in (33, 70), (100, 31, 7), (4, 5, 6, 7), (1, 64, 33), (64, 1, 33), (33, 64, 1):
            for kind in "i1", "u2", "i4", "f8", "c16":
                x = np.asfortranarray(tool.random().integers(0, 9, shape).astype(kind))
                with self.subTest(shape=shape, kind=kind):
                    self.assertTrue(np.array_equal(self.scan_array(x), np.cumsum(x)))

    def test_a_fortran_array_keeps_its_order(self):
        array = np.asfortranarray(np.arange(12, dtype=np.int64).reshape(3, 4))
        for axis in 0, 1, -1:
            got = self.scan_array(array, "--axis", axis)
            self.assert_same(got, np.cumsum(array, axis=axis))
            self.assertTrue(got.flags.f_contiguous and not got.flags.c_contiguous)
        self.assertEqual(self.scan("in.npy", "--axis", "0").decode().split(),
                         [str(v) for v in np.cumsum(array, axis=0).ravel()])
        self.scan("in.npy", "--axis", "0", "-o", "out.bin")
        self.assertEqual(self.get("out.bin"), np.cumsum(array, axis=0).tobytes("C"))

    def test_a_fortran_array_without_an_axis_is_read_in_c_order(self):
        array = np.asfortranarray(np.arange(24, dtype=np.int64).reshape(2, 3, 4))
        self.assert_same(self.scan_array(array), np.cumsum(array))

    def test_one_dimension_flagged_fortran(self):
        text = LITERAL.replace("False", "True")
        data = struct.pack("<3i", 7, 8, 9)
        self.assertEqual(self.sums(npy(text, data)), ["7", "15", "24"])
        self.scan("x.npy", "-o", "y.npy")
        self.assertIn(b"'fortran_order': False", self.get("y.npy"))

    def test_big_endian_floats(self):
        data = struct.pack(">3f", 1, 1, 1)
        self.assertEqual(self.sums(npy(LITERAL.replace("<i4", ">f4"), data)), ["1", "2", "3"])

    def test_headers_as_others_write_them(self):
        for literal in [
            LITERAL.replace(", }", "}"),
            LITERAL.replace("'", '"'),
            LITERAL.replace("(3,)", "(3L,)"),
            LITERAL.replace("(3,)", "( 3 , )"),
            "{'shape':(3,),'fortran_order':False,'descr':'<i4'}",
            "{'descr': 'i4', 'fortran_order': False, 'shape': (1L, 3L)}",
        ]:
            for version in 1, 2, 3:
                with self.subTest(literal, version=version):
                    self.assertEqual(self.sums(npy(literal, version=version)), ["1", "3", "6"])

    def test_any_padding_and_so_any_alignment_of_the_data(self):
        for pad in [*range(9), 1000, 60000]:
            for end in "\n", "":
                with self.subTest(pad=pad):
                    self.assertEqual(self.sums(npy(pad=pad, end=end)), ["1", "3", "6"])
                    self.assertEqual(self.sums(npy(LITERAL.replace("i4", "f4").replace("3,", "2,"),
                                                   struct.pack("<2f", 1, .5), pad=pad)),
                                     ["1", "1.5"])

    def test_the_file_written_is_numpys_own(self):
        for shape in [(5,), (2621,), (2, 3)]:
            array = np.ones(shape, np.int64)
            self.put("x.npy", array)
            self.scan("x.npy", "--axis", "0", "-o", "y.npy")
            self.assertEqual(self.get("y.npy"), tool.npy_bytes(np.cumsum(array, axis=0)))

    def test_a_total_along_an_axis_of_no_elements(self):
        array = np.zeros((3, 0), np.int64)
        got = self.scan_array(array, "--axis", "1", "--exclusive", "--total")
        self.assert_same(got, np.zeros((3, 1), np.int64))

    def test_a_cut_file(self):
        self.refused(npy(LITERAL.replace("3", "4"), struct.pack("<2i", 1, 2)),
                     "truncated", "4 elements expected", "2 present")
        whole = npy()
        for length in range(len(whole)):
            self.refused(whole[:length])

    def test_bytes_behind_the_data(self):
        self.refused(npy() + b"\0", "1 bytes too many")

    def test_shapes_whose_product_wraps(self):
        for shape in ["(4294967296, 4294967296)", "(0, 9223372036854775807, 4)",
                      "(4611686018427387904,)"]:
            self.refused(npy(LITERAL.replace("(3,)", shape)), "shape")
        self.refused(npy(LITERAL.replace("(3,)", "(99999999999999999999,)")), "64 bits")

    def test_too_many_dimensions(self):
        self.refused(npy(LITERAL.replace("(3,)", "(" + "1, " * 33 + ")")), "33 dimensions")

    def test_dtypes_that_are_not_numbers_of_ours(self):
        for descr in "|O", "<U5", "|S3", "|V8", "<c32", "<M8[ns]", "<f16", "bf16", ">", "":
            with self.subTest(descr):
                self.refused(npy(LITERAL.replace("<i4", descr)), f"dtype '{descr}'")
        self.refused(npy(LITERAL.replace("'<i4'", "[('i', '<i8'), ('k', '<f8')]")), "record")
        self.put("x.npy", np.zeros(3, [("i", "<i8"), ("k", "<f8")]))
        self.assert_refused(1, ["record"], "scan", "x.npy")

    def test_headers_that_are_not_the_literal(self):
        for literal in [
            "", "{", "{}", "{'descr': '<i4'}", LITERAL[:-1], LITERAL + " x", "[" + LITERAL + "]",
            LITERAL.replace("'shape'", "'form'"), LITERAL.replace("False", "0"),
            LITERAL.replace("False", "__import__('os').system('touch hacked')"),
            LITERAL.replace("(3,)", "(3)"), LITERAL.replace("(3,)", "[3]"),
            LITERAL.replace("(3,)", "(-3,)"), LITERAL.replace("(3,)", "(3.0,)"),
            LITERAL.replace("(3,)", "(,)"), LITERAL.replace("(3,)", "(3,,)"),
            LITERAL.replace("(3,)", "(0x3,)"), LITERAL.replace("(3,)", "(3LL,)"),
            LITERAL.replace("}", "'shape': (3,)}"), LITERAL.replace("<i4", "<i4\\"),
            LITERAL.replace("'<i4'", "'<i4"), LITERAL.replace("<i4", "\0"),
        ]:
            with self.subTest(literal):
                self.refused(npy(literal))
        self.assertFalse(os.path.exists(self.path("hacked")))

    def test_other_versions_and_other_files(self):
        self.refused(npy(version=4), "version 4.0")
        self.refused(b"", "not an .npy file")
        self.refused(b"1\n2\n3\n", "not an .npy file")
        self.refused(b"\x93NUMPY\x01\x00\xff\xff" + LITERAL.encode(), "truncated")

    def test_a_header_of_any_bytes_is_refused_in_one_line(self):
        random = tool.random(9)
        whole = bytearray(npy())
        for _ in range(150):
            broken = bytearray(whole)
            for at in random.integers(0, len(whole) - 12, 3):
                broken[at] = random.integers(0, 256)
            self.put("x.npy", bytes(broken))
            done = self.run_tool("scan", "x.npy")
            if done.returncode != 0:
                self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), broken)

    def test_a_dtype_that_contradicts_the_file(self):
        self.refused(npy(), "--dtype", "int32", status=2, arguments=["--dtype", "f4"])
        self.assertEqual(self.sums(npy(), "--dtype", "i4"), ["1", "3", "6"])

    def test_bfloat16_has_no_npy(self):
        self.put("x.bin", b"\x80\x3f")
        self.assert_refused(2, ["y.npy", "bfloat16"], "scan", "x.bin", "--dtype", "bf16", "-o",
                            "y.npy")

    def test_a_pipe_of_npy_bytes(self):
        os.mkfifo(self.path("pipe.npy"))
        self.put("x.npy", npy())
        writer = subprocess.Popen(["sh", "-c", "cat x.npy > pipe.npy"], cwd=self.dir)
        self.assertEqual(self.scan("pipe.npy").decode().split(), ["1", "3", "6"])
        writer.wait(30)

    def test_files_and_pipes_refuse_the_same_headers(self):
        def header(shape, blanks=0):
            text = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode()
            text += b" " * blanks + b"\n"
            return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text
        one = np.int64([1]).tobytes()
        for text, words in [(header("(1,)", 2000000), "bytes long"),
                            (header("(1,)", (1 << 20) + 1), "bytes long"),
                            (header("(" + "1," * 201 + ")"), "201 dimensions"),
                            (header("(" + "1," * 33 + ")"), "33 dimensions")]:
            self.put("x.npy", text + one)
            self.assert_refused(1, ["x.npy", words], "scan", "x.npy")
            self.assert_refused(1, ["standard input", words], "scan", "-", "--format", "npy",
                                stdin=text + one)
        for text in header("(1,)", 1000000), header("(" + "1," * 32 + ")"):
            self.put("x.npy", text + one)
            self.assertEqual(self.scan("x.npy"), b"1\n")
            self.assertEqual(self.scan("-", "--format", "npy", stdin=text + one), b"1\n")

    def test_messages_about_what_does_not_fit(self):
        self.assert_refused(1, ["element 1", "a float --out-dtype"], "scan", "-", "--out-dtype",
                            "i4", stdin="1 nan")
        self.assert_refused(2, ["standard output: .npy has no"], "scan", "-", "--dtype", "bf16",
                            "--out-format", "npy", stdin="1")


if __name__ == "__main__":
    tool.main()
