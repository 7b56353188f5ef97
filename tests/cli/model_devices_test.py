# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""upsweep lab model with devices of a user: what a file may be, and what is refused of it."""

import json
import os
import re
import resource
import subprocess

import tool

PAGES = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs", name)
         for name in ("lab.md", "lab.zh.md")]


class DevicesTest(tool.ToolTest):
    def model(self, *arguments, stdin=b""):
        done = self.run_tool("lab", "model", *arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def device(self, shipped="h200", /, **more):
        result = json.loads(self.model("serial", "--device", shipped, "--json"))["device"]
        return {**result, **more}

    def put_devices(self, *devices):
        return self.put("mine.json", json.dumps({"devices": devices}))

    def refused(self, words, text):
        self.put("mine.json", text)
        message = self.assert_refused(1, ["mine.json: ", words], "lab", "model", "--devices",
                                      "mine.json")
        self.assertNotRegex(message, r"json\.exception|basic_filebuf")

    def test_a_device_of_a_user(self):
        self.put_devices(self.device(name="mine", dram_bytes_per_s=1e11))
        asked = ("hierarchical", "--n", "100000000", "--json")
        mine = json.loads(self.model("--devices", "mine.json", "--device", "mine", *asked))
        self.assertEqual(mine["device"]["dram_bytes_per_s"], 1e11)
        self.assertGreater(mine["kernels"][0]["bandwidth_s"],
                           10 * json.loads(self.model(*asked))["kernels"][0]["bandwidth_s"])

    def test_a_file_stands_for_its_device(self):
        mine, other = self.device(name="mine"), self.device(name="other")
        def taken(*devices):
            self.put_devices(*devices)
            return json.loads(self.model("--devices", "mine.json", "serial", "--json"))["device"]["name"]
        self.assertEqual(taken(mine), "mine")
        self.assertEqual(taken(self.device("v100"), mine), "mine")
        self.assertEqual(taken(self.device("v100")), "v100")
        self.assertEqual(taken(), "h200")
        self.put_devices(mine, self.device("v100"), other)
        self.assert_refused(2, ["--devices has several", "by --device", ": mine, other\n"], "lab",
                            "model", "--devices", "mine.json")
        self.assertIn("- for standard input", " ".join(self.model("--help").split()))

    def test_what_the_tool_prints_is_a_file_of_devices(self):
        text = self.model("--device", "v100", "--json", "serial")
        self.put("v100.json", text.replace('"v100"', '"mine"'))
        again = self.model("--device", "mine", "--devices", "v100.json", "--json", "serial")
        self.assertEqual(again.replace('"mine"', '"v100"'), text)
        self.assertEqual(self.model("--device", "mine", "--devices", "-", "--json", "serial",
                                    stdin=self.get("v100.json")), again)

    def test_the_example_of_the_pages_is_a_device(self):
        for page in PAGES:
            with open(page, encoding="utf-8") as file:
                example, = re.findall(r"```json\n(.*?)```", file.read(), re.S)
            self.put("mine.json", example)
            name = json.loads(example)["devices"][0]["name"]
            self.assertIn(name, self.model("--devices", "mine.json", "--device", name))

    def test_small_devices_get_smaller_blocks(self):
        """Each kernel on devices that hold no block of the size that it likes."""
        for more in ({"block_threads": 128}, {"threads": 128, "block_threads": 128},
                     {"register_unit": 16384}, {"registers": 4096}):
            self.put_devices(self.device(name="mine", **more))
            result = json.loads(self.model("--devices", "mine.json", "--device", "mine", "--json"))
            for kernel in result["kernels"]:
                self.assertGreaterEqual(kernel["occupancy"]["blocks"], 1, (more, kernel["kernel"]))

    def test_fields_have_to_make_sense(self):
        for words, more in (
                ("banks is 20: it is 16 or 32", {"banks": 20}), ("banks is 16.5", {"banks": 16.5}),
                ("processors is 1.5: it is a whole number", {"processors": 1.5}),
                ("block_threads is 86.6: it is a whole", {"block_threads": 86.6}),
                ("block_threads is more than threads", {"threads": 128}),
                ("block_shared_bytes is more than shared_bytes", {"shared_bytes": 4096}),
                ("launch_s is more than first_launch_s", {"first_launch_s": 1e-6}),
                ("holds no block of one warp: for that it lacks registers", {"register_unit": 1e5}),
                ("holds no block of one warp: for that it lacks shared", {"reserved_shared_bytes": 1e5,
                                                                         "shared_bytes": 1024,
                                                                         "block_shared_bytes": 1024}),
                ("clock_hz is -1: it can be 1e+06 to 1e+11 1/s", {"clock_hz": -1})):
            self.refused(words, json.dumps({"devices": [self.device(name="mine", **more)]}))

    def test_assumed_names_figures_each_once(self):
        for words, names in (("assumed names hop_s twice: keep one", ["hop_s", "gap_s", "hop_s"]),
                             ("assumed names name, which is no figure", ["name"]),
                             ("assumed names assumed, which is no figure", ["assumed"]),
                             ("assumed names x, which is no field", ["x"])):
            self.refused(words, json.dumps({"devices": [self.device(name="mine", assumed=names)]}))

    def test_what_is_given_twice_is_refused(self):
        device = self.device(name="mine")
        self.refused("devices[0] and devices[1] are both 'mine'",
                     json.dumps({"devices": [device, device]}))
        text = json.dumps({"devices": [device]})
        self.refused("banks is given twice", text.replace('"banks": 32', '"banks": 32, "banks": 16'))
        self.refused("devices is given twice", text[:-1] + ', "devices": []}')

    def test_files_that_are_no_devices(self):
        lacking = self.device(name="mine")
        del lacking["clock_hz"]
        for words, text in (("has no clock_hz: give it", json.dumps({"devices": [lacking]})),
                            ("is no JSON", "{"), ("is no JSON", "["*100000), ("is no JSON", b"\xff"),
                            ("has no list devices", "[]"),
                            ("has a number that no double holds", '{"devices": 1e999}')):
            self.refused(words, text)
        os.mkdir(self.path("folder"))
        for words, path in (("cannot open", "/nowhere.json"), ("is a directory", "folder"),
                            ("cannot read", "/proc/self/mem")):
            done = self.run_tool("lab", "model", "--devices", self.path(path))
            message = done.stderr.decode()
            self.assertEqual((done.returncode, done.stdout, message.count("\n")), (1, b"", 1))
            self.assertIn(words, message)

    def test_what_has_no_end_is_left_at_the_limit(self):
        limits = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
        done = subprocess.run([tool.binary(), "lab", "model", "--devices", "/dev/zero"],
                              capture_output=True, timeout=30, preexec_fn=limits)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"/dev/zero: is larger than 1 MiB", done.stderr)

    def test_text_of_a_file_does_not_rule_the_terminal(self):
        evil = "x\x1b[31m\n\0\u202e\u2028y"
        self.put_devices(self.device(name="a\u202e", about=evil, assumed=["hop_s"]))
        for kernels in (["lookback"], []):
            text = self.model("--devices", "mine.json", "--device", "a\u202e", *kernels)
            self.assertIn("x\\x1b[31m\\x0a\\x00\\xe2\\x80\\xae", text)
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f\u2028-\u202e]")
        done = self.run_tool("lab", "model", "--devices", "mine.json", "--device", "none")
        self.assertNotIn("\u202e", done.stderr.decode())

    def test_only_the_a100_that_is_shipped_is_that_of_the_lecture(self):
        for more, compared in (({}, True), ({"clock_hz": 1.4e9}, False)):
            self.put_devices(self.device("a100", **more))
            text = self.model("--devices", "mine.json", "--device", "a100")
            self.assertEqual("lecture" in text, compared)


if __name__ == "__main__":
    tool.main()
