"""./check and what it runs: its options, and when the format check passes and fails."""

import os
import shutil
import subprocess

import harness
from harness import SOURCE


def run(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, text=True, capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)


class Check(harness.CommandTest):
    def check(self, *options):
        return run(os.path.join(SOURCE, "check"), *options, cwd=self.folder)

    def test_help_names_every_option_and_builds_nothing(self):
        for option in "--help", "-h":
            done = self.check(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for word in "--quick", "--nightly", "--help":
                self.assertIn(word, done.stdout)

    def test_options_that_are_wrong_end_with_2_and_a_fix(self):
        for options, words in ((["--quik"], "unknown option '--quik'"), (["build"], "unknown option 'build'"),
                               (["--quick", "--nightly"], "--quick and --nightly exclude each other"),
                               (["--quick", "--quik"], "unknown option '--quik'")):
            with self.subTest(options):
                done = self.check(*options)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn("check: error: " + words, done.stderr)
                self.assertIn("\n  fix: ", done.stderr)


class Format(harness.CommandTest):
    """In a small repository of its own, with the script and the style of this one."""

    def setUp(self):
        super().setUp()
        if not shutil.which("git"):
            self.skipTest("needs git")
        shutil.copy(os.path.join(SOURCE, ".clang-format"), self.folder)
        os.mkdir(self.path("cmake"))
        shutil.copy(os.path.join(SOURCE, "cmake/format.sh"), self.path("cmake"))
        self.write("cmake/unformatted.txt", "# Why there is a list.\n")
        self.write("good.cpp", "int good() { return 1; }\n")
        run("git", "init", "-q", cwd=self.folder)
        if "there is no clang-format" in self.script().stderr:
            self.skipTest("needs the clang-format of cmake/format.sh")

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def script(self, *options):
        run("git", "add", "-A", cwd=self.folder)
        return run(self.path("cmake/format.sh"), *options)

    def test_a_file_that_is_not_formatted_fails_and_is_named(self):
        self.assertEqual(self.script().returncode, 0)
        self.write("bad.cpp", "int   bad(){return 1;}\n")
        done = self.script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.cpp: not formatted", done.stderr)
        self.assertNotIn("good.cpp", done.stderr)

    def test_a_file_on_the_list_may_be_unformatted_and_leaves_it_when_it_is_not(self):
        self.write("bad.cpp", "int   bad(){return 1;}\n")
        self.write("cmake/unformatted.txt", "# Why.\nbad.cpp\n")
        self.assertEqual(self.script().returncode, 0)
        self.write("cmake/unformatted.txt", "# Why.\nbad.cpp\ngood.cpp\ngone.cpp\n")
        done = self.script()
        self.assertEqual(done.returncode, 1)
        for name in "good.cpp", "gone.cpp":
            self.assertIn(f"{name} is formatted or gone", done.stderr)

    def test_fix_formats_all_but_the_listed_and_shortens_the_list(self):
        self.write("bad.cpp", "int   bad(){return 1;}\n")
        self.write("old.cpp", "int   old(){return 1;}\n")
        self.write("cmake/unformatted.txt", "# Why.\ngood.cpp\nold.cpp\n")
        self.assertEqual(self.script("--fix").returncode, 0)
        self.assertEqual(self.read("bad.cpp"), "int bad() { return 1; }\n")
        self.assertEqual(self.read("old.cpp"), "int   old(){return 1;}\n")
        self.assertEqual(self.read("cmake/unformatted.txt"), "# Why.\nold.cpp\n")

    def test_wrong_options(self):
        done = self.script("--fxi")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown options: --fxi", done.stderr)


if __name__ == "__main__":
    harness.main()
