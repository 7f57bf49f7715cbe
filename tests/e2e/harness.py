"""Runs the command and checks what its users see. Shared by the test_*.py files beside it."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

WARPMEM = os.environ["WARPMEM"]
MAKE_TRACE = os.environ["MAKE_TRACE"]
SOURCE = os.environ["WARPMEM_SOURCE"]


def is_sanitized():
    """Whether the command has a sanitizer in it. Its shadow memory goes beyond any limit on memory, and it cannot be loaded into
    another program, as emulating one would have to."""
    with open(WARPMEM, "rb") as file:
        code = file.read()
    return b"__asan_init" in code or b"__tsan_init" in code


class Run:
    """One finished run of the command."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)


class CommandTest(unittest.TestCase):
    """A test with a folder of its own, the current one while the command runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="warpmem-e2e-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def trace(self, kind, name=None):
        """A small trace of a kind that make_trace knows; returns its file name."""
        name = name or kind + ".wmt"
        subprocess.run([MAKE_TRACE, kind, self.path(name)], check=True)
        return name

    def run_command(self, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=None, timeout=120, **options):
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment.update(env or {})
        process = subprocess.run(
            [WARPMEM, *arguments], stdin=subprocess.DEVNULL, stdout=stdout,
            stderr=stderr, cwd=self.folder, env=environment, timeout=timeout, **options)
        if process.stdout is None:
            process.stdout = b""
        if process.stderr is None:
            process.stderr = b""
        return Run(process)

    def verbs(self):
        """The subcommands, as the help lists them below its groups."""
        return re.findall(r"(?m)^  ([a-z]+) {2,}", self.run_command("--help").out.split("\nGet a trace:")[1])

    def assert_fails(self, run, status, *words):
        """Ends with `status`, says all `words` and a fix on stderr, and nothing on stdout."""
        self.assertEqual(run.status, status, run.err)
        self.assertEqual(run.out, "")
        self.assertTrue(run.err.startswith("warpmem: error: "), run.err)
        self.assertIn("\n  fix: ", run.err)
        for word in words:
            self.assertIn(word, run.err)

    def assert_works(self, run):
        self.assertEqual(run.status, 0, run.err)


def main():
    unittest.main(verbosity=2)
