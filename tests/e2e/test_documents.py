"""Runs every sh block of README.md and docs/, so that what they tell people to type works."""

import glob
import os
import re
import struct
import subprocess
import unittest

import harness
from harness import SOURCE, WARPMEM

FENCE = re.compile(r"^```sh(?P<words>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def documents():
    return [os.path.join(SOURCE, "README.md"), *sorted(glob.glob(SOURCE + "/docs/**/*.md", recursive=True))]


def blocks(path):
    """(line number, words after "sh", commands) of each sh block."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in FENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match["words"].split(), match["body"]


class Documents(harness.CommandTest):
    def setUp(self):
        super().setUp()
        # The repository as a reader has it after ./demo, with a build/ that is the one under test.
        for name in os.listdir(SOURCE):
            if not name.startswith(("build", ".")):
                os.symlink(os.path.join(SOURCE, name), self.path(name))
        os.mkdir(self.path("build"))
        os.symlink(WARPMEM, self.path("build/warpmem"))

    def test_every_command_block_runs(self):
        ran = 0
        for document in documents():
            for line, words, commands in blocks(document):
                if "gpu" in words or "setup" in words:
                    continue
                expected = next((int(w[5:]) for w in words if w.startswith("exit=")), 0)
                with self.subTest(document=os.path.basename(document), line=line):
                    done = subprocess.run(
                        ["bash", "-eu", "-o", "pipefail", "-c", commands], cwd=self.folder,
                        stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
                    self.assertEqual(done.returncode, expected, done.stderr.decode())
                ran += 1
        self.assertGreater(ran, 0)

    def test_the_demo_ends_with_a_picture_that_fits_a_screen(self):
        # What installs and builds does nothing here: the command is there already.
        os.mkdir(self.path("nothing"))
        for tool, does in (("cmake", "exit 0"), ("ninja", "exit 0"), ("dpkg-query", "printf installed")):
            with open(self.path(f"nothing/{tool}"), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{does}\n")
            os.chmod(self.path(f"nothing/{tool}"), 0o755)
        done = subprocess.run([self.path("demo")], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              env={**os.environ, "PATH": self.path("nothing") + ":" + os.environ["PATH"], "NVCC": "/none"})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        self.assertLessEqual(len(lines), 25)
        self.assertLessEqual(max(map(len, lines)), 80)
        text = "\n".join(lines)
        for part in ("bottleneck: ", "132 SMs", "worst lines", "counters are equal", "Next:\n  build/warpmem explain"):
            self.assertIn(part, text)
        self.assertEqual(len(re.findall(r"(?m)^  build/warpmem ", text)), 3)
        # The table is in a file, whose last line is what the sentence was made of.
        with open(self.path("build/demo-accuracy.txt"), encoding="utf-8") as file:
            self.assertIn(" where the model is off", file.read().splitlines()[-1])

    def test_the_readme_shows_what_explain_prints(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            shown = re.search(r"^```text explain\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
        trace = os.path.join(SOURCE, "validate/reference/h200/transpose_naive_row.wmt")
        self.assertIn(shown[1], self.run_command("explain", trace).out)

    def test_the_pages_show_the_accuracy_that_the_command_prints(self):
        done = subprocess.run([os.path.join(SOURCE, "validate/accuracy_pages.py"), WARPMEM, "--check"], capture_output=True)
        self.assertEqual((done.returncode, done.stdout.decode()), (0, ""))

    def test_the_format_has_the_version_that_is_written(self):
        with open(self.path(self.trace("copy")), "rb") as file:
            major, minor = struct.unpack("<8xHH", file.read(12))
        with open(os.path.join(SOURCE, "docs/reference/trace-format.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(re.search(r"\A# The trace format, version (\S+)", text)[1], f"{major}.{minor}")
        self.assertEqual(re.search(r"major version: (\d+)\.", text)[1], str(major))
        self.assertEqual(re.search(r"minor version: (\d+)\.", text)[1], str(minor))

    def test_who_writes_traces_are_subcommands_that_are_there(self):
        run = self.run_command("info", os.path.join(SOURCE, "README.md"))
        fix = re.search(r"fix: give a file written by (.*)", run.err)
        self.assertIsNotNone(fix, run.err)
        for name in re.findall(r"[a-z]+", fix[1].replace("warpmem", "").replace(" or ", " ")):
            self.assertEqual(self.run_command(name, "--help").status, 0, name)

    def test_every_test_that_holds_a_promise_is_there(self):
        with open(os.path.join(SOURCE, "docs/reference/promises.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| ([^|]+) \| (`tests/.*) \|$", file.read(), re.MULTILINE)
        self.assertGreater(len(rows), 30)
        for promise, held_by in rows:
            for place in held_by.split("; "):
                where, names = re.fullmatch(r"`(tests/[^`]+)`: (`.*`)", place).groups()
                with open(os.path.join(SOURCE, where), encoding="utf-8") as file:
                    text = file.read()
                for name in re.findall(r"`([^`]+)`", names):
                    with self.subTest(promise, file=where, test=name):
                        begin = f"def {name}(" if where.endswith(".py") else f'TEST_CASE("{name}"'
                        self.assertIn(begin, text)

    def test_every_file_and_folder_of_the_repository_that_a_page_names_is_there(self):
        rooms = [n for n in os.listdir(SOURCE) if not n.startswith(("build", "."))]
        for document in [*documents(), os.path.join(SOURCE, "validate/DEVIATIONS.md")]:
            with open(document, encoding="utf-8") as file:
                names = set(re.findall(r"`([\w./-]+/[\w./*-]*)`", file.read()))
            for name in sorted(names):
                if name.split("/")[0] not in rooms:
                    continue
                with self.subTest(document=os.path.basename(document), name=name):
                    self.assertTrue(glob.glob(os.path.join(SOURCE, name)))


if __name__ == "__main__":
    harness.main()
