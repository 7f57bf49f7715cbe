"""The command line itself: help, version, mistakes, formats, and where things are printed."""

import fcntl
import os
import pty
import re
import signal
import shutil
import struct
import subprocess
import termios
import unittest

import harness
from harness import WARPMEM


class Usage(harness.CommandTest):
    def test_help_lists_every_subcommand_with_a_line(self):
        run = self.run_command("--help")
        self.assert_works(run)
        for name in ("info", "dump", "doctor", "completion"):
            self.assertRegex(run.out, r"\n  %s +\w" % name)
        self.assertEqual(run.err, "")

    def test_version_has_the_form_name_and_three_numbers(self):
        run = self.run_command("--version")
        self.assert_works(run)
        self.assertRegex(run.out, r"^warpmem \d+\.\d+\.\d+\n$")

    def test_no_subcommand(self):
        run = self.run_command()
        self.assertEqual((run.status, run.out), (2, ""))
        self.assertIn("which line wastes", run.err)
        verbs = re.findall(r"(?m)^  warpmem (\w+) ", run.err)
        self.assertEqual(verbs, ["pattern", "emulate", "explain", "replay", "report"])
        self.assertLessEqual(max(map(len, run.err.splitlines())), 80)

    def test_unknown_subcommand_names_the_nearest(self):
        self.assert_fails(self.run_command("inof"), 2, "'inof'", "did you mean 'info'?")

    def test_unknown_option_names_the_nearest(self):
        self.assert_fails(self.run_command("doctor", "--fromat", "json"), 2, "'--fromat'",
                          "did you mean '--format'?")

    def test_unknown_top_level_option(self):
        self.assert_fails(self.run_command("--verison"), 2, "did you mean '--version'?")

    def test_unknown_format(self):
        self.assert_fails(self.run_command("doctor", "--format", "xml"), 2, "xml")

    def test_missing_trace_argument(self):
        self.assert_fails(self.run_command("info"), 2, "trace")

    def test_every_subcommand_has_help(self):
        names = self.verbs()
        self.assertGreaterEqual(len(names), 20)
        for name in names:
            with self.subTest(name):
                run = self.run_command(name, "--help")
                self.assert_works(run)
                self.assertIn("Usage: warpmem " + name, run.out)

    def test_help_is_a_word_too(self):
        self.assertEqual(self.run_command("help").out, self.run_command("--help").out)
        run = self.run_command("help", "replay")
        self.assert_works(run)
        self.assertEqual(run.out, self.run_command("replay", "--help").out)
        self.assert_fails(self.run_command("help", "inof"), 2, "did you mean 'info'?")

    def test_help_has_examples_and_says_what_an_argument_is(self):
        for name in ("record", "emulate", "replay", "validate", "explain", "diff", "gpus", "dump"):
            with self.subTest(name):
                text = self.run_command(name, "--help").out
                self.assertRegex(text, r"Examples:\n  warpmem %s\b" % name)

    def test_doctor_says_what_decides_the_level_of_a_trace(self):
        checks = {c["name"]: c for c in self.run_command("doctor", "--format", "json", env={"PATH": "/nowhere"}).json()["checks"]}
        for name in ("nvcc", "ptxas", "nvdisasm"):
            self.assertIn("emulate", checks[name]["for"])
        if not checks["nvdisasm"]["ok"]:
            self.assertIn("level ptx, not sass", checks["nvdisasm"]["fix"])


class Output(harness.CommandTest):
    def test_doctor_never_fails_and_parses_in_every_format(self):
        self.assert_works(self.run_command("doctor"))
        checks = self.run_command("doctor", "--format", "json").json()["checks"]
        for check in checks:
            self.assertTrue(check["ok"] or check["fix"], check)
        lines = self.run_command("doctor", "--format", "csv").out.splitlines()
        self.assertEqual(len(lines), len(checks) + 1)

    def test_a_full_disk_behind_stdout_ends_5(self):
        for arguments in (["doctor"], ["--help"], ["completion", "bash"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                run = self.run_command(*arguments, stdout=full)
                self.assert_fails(run, 5, "No space left")

    def test_output_goes_to_a_file_whole(self):
        run = self.run_command("doctor", "-o", "d.txt")
        self.assert_works(run)
        self.assertEqual(run.out, "")
        self.assertEqual(os.listdir(self.folder), ["d.txt"])
        with open(self.path("d.txt")) as file:
            self.assertIn("driver", file.read())

    def test_unwritable_output(self):
        run = self.run_command("doctor", "-o", "no/such/folder/d.txt")
        self.assert_fails(run, 2, "no/such/folder/d.txt", "--output")

    def test_output_to_a_full_device_ends_5(self):
        run = self.run_command("doctor", "-o", "/dev/full")
        self.assertEqual(run.status, 5, run.err)
        self.assertIn("/dev/full is a device: it is written as it is", run.err)
        self.assertIn("No space left", run.err)

    def test_output_to_dev_null_leaves_the_device_alone(self):
        self.assert_works(self.run_command("doctor", "-o", "/dev/null"))
        self.assertFalse(os.path.isfile("/dev/null"))

    def in_terminal(self, *arguments, env=None, columns=None):
        """What a terminal receives."""
        ours, theirs = pty.openpty()
        if columns:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment.update({"TERM": "xterm", **(env or {})})
        with subprocess.Popen([WARPMEM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                              env=environment, cwd=self.folder) as process:
            os.close(theirs)
            received = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the other side is closed
                    break
                if not part:
                    break
                received += part
            process.wait(60)
        os.close(ours)
        return received

    def test_tables_fit_the_terminal(self):
        for arguments in (["gpus"], ["gpus", "h200"], ["metrics"], ["words"]):
            for columns in (80, 120):
                with self.subTest(arguments, columns=columns):
                    text = self.in_terminal(*arguments, env={"NO_COLOR": "1"}, columns=columns).decode()
                    self.assertLessEqual(max(len(line.rstrip("\r")) for line in text.split("\n")), columns)
        # For a file or another program a row is a line.
        run = self.run_command("gpus")
        self.assertRegex(run.out, r"\nh200 +NVIDIA H200 .* launches")

    def test_colour_is_for_terminals_only(self):
        self.assertIn(b"\x1b[", self.in_terminal("doctor"))
        self.assertNotIn("\x1b", self.run_command("doctor").out)

    def test_no_color_is_honoured(self):
        self.assertNotIn(b"\x1b", self.in_terminal("doctor", env={"NO_COLOR": "1"}))
        self.assertIn(b"\x1b", self.in_terminal("doctor", env={"NO_COLOR": ""}))

    def test_a_dumb_terminal_gets_no_colour(self):
        self.assertNotIn(b"\x1b", self.in_terminal("doctor", env={"TERM": "dumb"}))


class Record(harness.CommandTest):
    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there is a GPU here")
    def test_without_a_gpu_it_ends_6_and_leaves_nothing(self):
        run = self.run_command("record", "-o", "x.wmt", "--", "/bin/echo", "hello")
        self.assert_fails(run, 6, "NVIDIA")
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_program_that_is_not_there(self):
        run = self.run_command("record", "-o", "x.wmt", "--", "./nothere")
        self.assert_fails(run, 2, "./nothere")

    def test_no_program(self):
        self.assert_fails(self.run_command("record", "-o", "x.wmt"), 2, "command")


class Interrupt(harness.CommandTest):
    def test_ctrl_c_ends_130_with_a_line_on_stderr(self):
        trace = self.trace("large")
        # Nobody reads the pipe, so the command is still writing when the signal comes.
        with subprocess.Popen([WARPMEM, "dump", trace], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
            self.assertIn(b"interrupted", process.stderr.read())

    def test_a_closed_pipe_ends_quietly(self):
        done = subprocess.run(["bash", "-c", '"$0" dump "$1" | head -n 3', WARPMEM,
                               self.path(self.trace("large"))], capture_output=True, timeout=60)
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertEqual(done.stderr, b"")


class Completion(harness.CommandTest):
    def complete(self, *words):
        """What bash would offer for the last of `words`."""
        script = self.run_command("completion", "bash").out
        quoted = " ".join("'%s'" % word for word in words)
        program = script + (
            "\nCOMP_WORDS=(%s); COMP_CWORD=%d; _warpmem; printf '%%s\\n' \"${COMPREPLY[@]}\""
            % (quoted, len(words) - 1))
        done = subprocess.run(["bash", "-c", program], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode().split()

    def test_subcommands(self):
        self.assertEqual(self.complete("warpmem", "inf"), ["info"])

    def test_options_of_a_subcommand(self):
        self.assertIn("--format", self.complete("warpmem", "info", "--f"))

    def test_values_of_an_option(self):
        self.assertEqual(self.complete("warpmem", "info", "--format", "j"), ["json"])

    def test_cards_and_their_numbers(self):
        self.assertEqual(self.complete("warpmem", "replay", "--gpu", "h"), ["h100_sxm", "h200"])
        keys = self.complete("warpmem", "replay", "--set", "l1.")
        self.assertIn("l1.size=", keys)
        self.assertTrue(all(key.startswith("l1.") and key.endswith("=") for key in keys), keys)

    def in_shell(self, shell, program):
        """What a shell prints of which the completion is sourced."""
        script = self.path("completion." + shell)
        with open(script, "w", encoding="utf-8") as file:
            file.write(self.run_command("completion", shell).out)
        done = subprocess.run([shell, *(["-f"] if shell == "zsh" else ["--no-config"]), "-c", program.format(script=script)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split("\n")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        offered = lambda line: [l.split("\t")[0] for l in self.in_shell("fish", "source {script}; complete -C '%s'" % line) if l]
        self.assertEqual(offered("warpmem inf"), ["info"])
        self.assertEqual(offered("warpmem replay --gpu h"), ["h100_sxm", "h200"])
        self.assertEqual(offered("warpmem info --format j"), ["json"])
        self.assertIn("l1.size=", offered("warpmem replay --set l1.s"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        def offered(*words):
            # What the function hands to zsh's own completion, which no script can ask.
            return self.in_shell("zsh", "autoload -U compinit; compinit -D -u; source {script};"
                                 "compadd() {{ print -l -- \"$@\" }}; _describe() {{ print -l -- \"${{commands[@]}}\" }};"
                                 f"words=({' '.join(words)} ''); CURRENT={len(words) + 1}; PREFIX=''; _warpmem")
        self.assertTrue(any(line.startswith("info:") for line in offered("warpmem")))
        self.assertIn("h100_sxm", offered("warpmem", "replay", "--gpu"))
        self.assertIn("l1.size=", offered("warpmem", "replay", "--set"))

    def test_an_unknown_shell(self):
        self.assert_fails(self.run_command("completion", "tcsh"), 2, "tcsh")


if __name__ == "__main__":
    harness.main()
