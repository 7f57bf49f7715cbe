"""No command loses data: what it reads, what was there before, and what it was asked not to touch."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import time
import unittest

import harness
from harness import SOURCE, WARPMEM

VECTOR_COPY = os.path.join(SOURCE, "tests/emulate/ptx/vector_copy.ptx")
REFERENCE = os.path.join(SOURCE, "validate/reference/h200")

# A kernel that faults after its CTAs before have stored, one that never ends, one with a race.
KERNELS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z6strayxPf(.param .u64 p)
{
  .reg .pred %c; .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.s64 %d1, %d1, %d2;
  setp.lt.u32 %c, %r1, 63;
  @%c bra FINE;
  mov.u64 %d1, 0;
FINE:
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry _Z4spinPf(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, 1;
LOOP:
  st.volatile.global.u32 [%d1], %r1;
  bra LOOP;
}
.visible .entry _Z4racePf(.param .u64 p)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r2, %r3, %r2;
  st.shared.u32 [%r2], %r1;
  xor.b32 %r1, %r1, 32;
  shl.b32 %r2, %r1, 2;
  add.u32 %r2, %r3, %r2;
  ld.shared.u32 %r1, [%r2];
  st.global.u32 [%d1], %r1;
  ret;
}
"""


class Files(harness.CommandTest):
    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def launch(self, entry, grid=64, block=64, name="l.toml"):
        self.write("k.ptx", KERNELS.encode())
        self.write(name, ('entry = "%s"\ngrid = %d\nblock = %d\nargs = [{ buffer = "p", type = "u32", count = 64 }]\n'
                          % (entry, grid, block)).encode())
        return ["emulate", "k.ptx", "--level", "ptx", "--launch", name]

    def copy(self, *more):
        """emulate of a kernel that works, in few records."""
        self.write("copy.toml", b'entry = "vector_copy_b4"\ngrid = 4\nblock = 64\nargs = [\n'
                   b'{ buffer = "in", type = "f32", count = 256 },\n'
                   b'{ buffer = "out", type = "f32", count = 256' + b"".join(m.encode() for m in more) + b' },\n'
                   b'{ type = "s32", value = 256 }]\n')
        return ["emulate", VECTOR_COPY, "--level", "ptx", "--launch", "copy.toml"]


class Inputs(Files):
    def test_no_command_writes_over_what_it_reads(self):
        trace = self.trace("copy")
        os.symlink(trace, self.path("link.wmt"))
        os.link(self.path(trace), self.path("hard.wmt"))
        whole = self.read(trace)
        for verb in ("replay", "info", "dump"):
            for name in (trace, "./" + trace, "link.wmt", "hard.wmt"):
                for force in ([], ["--force"]):
                    with self.subTest(verb, name=name, force=force):
                        self.assert_fails(self.run_command(verb, trace, "-o", name, *force), 2, "reads")
        self.assert_fails(self.run_command("replay", trace, "--timeline", trace, "--force"), 2, "reads")
        self.assertEqual(self.read(trace), whole)
        self.assertEqual(sorted(os.listdir(self.folder)), ["copy.wmt", "hard.wmt", "link.wmt"])

    def test_validate_and_diff_keep_their_files(self):
        for name in ("vector_copy_b4.wmt", "vector_copy_b4.csv"):
            shutil.copy(os.path.join(REFERENCE, name), self.path(name))
        before = {n: self.read(n) for n in os.listdir(self.folder)}
        for name in before:
            run = self.run_command("validate", "vector_copy_b4.wmt", "--ncu", "vector_copy_b4.csv", "-o", name, "--force")
            self.assert_fails(run, 2, "reads")
        run = self.run_command("validate", "--suite", ".", "-o", "vector_copy_b4.csv", "--force")
        self.assert_fails(run, 2, "reads")
        self.assertEqual({n: self.read(n) for n in os.listdir(self.folder)}, before)
        self.assert_works(self.run_command("replay", "vector_copy_b4.wmt", "--format", "json", "-o", "a.json"))
        self.assert_fails(self.run_command("diff", "a.json", "a.json", "-o", "a.json", "--force"), 2, "reads")

    def test_emulate_keeps_its_ptx_its_launch_file_and_its_buffers(self):
        words = self.launch("_Z4racePf")
        for name in ("k.ptx", "l.toml"):
            self.assert_fails(self.run_command(*words, "-o", name, "--force"), 2, "reads")
        self.write("x.bin", bytes(1024))
        words = self.copy(', file = "x.bin", write_back = "x.bin"')
        self.assert_fails(self.run_command(*words, "--force"), 2, "reads")
        words = self.copy(', write_back = "t.wmt"')
        self.assert_fails(self.run_command(*words, "-o", "t.wmt", "--force"), 2, "same name")
        self.assertEqual(self.read("x.bin"), bytes(1024))

    def test_two_outputs_are_two_files(self):
        run = self.run_command("replay", self.trace("copy"), "-o", "x", "--timeline", "./x")
        self.assert_fails(run, 2, "same name")
        self.assertEqual(os.listdir(self.folder), ["copy.wmt"])


class Existing(Files):
    def test_every_verb_replaces_a_file_only_with_force_and_says_so(self):
        trace = self.trace("copy")
        verbs = {"replay": ["replay", trace, "-o"], "info": ["info", trace, "-o"],
                 "dump": ["dump", trace, "-o"], "gpus": ["gpus", "-o"], "metrics": ["metrics", "-o"],
                 "doctor": ["doctor", "-o"], "timeline": ["replay", trace, "--timeline"],
                 "emulate": [*self.copy(), "-o"]}
        for name, words in verbs.items():
            with self.subTest(name):
                self.write("mine", b"mine")
                run = self.run_command(*words, "mine")
                self.assert_fails(run, 2, "mine", "there already", "--force")
                self.assertEqual(self.read("mine"), b"mine")
                self.assert_works(self.run_command(*words, "mine", "--force"))
                self.assertNotEqual(self.read("mine"), b"mine")

    def test_what_a_buffer_is_written_to_is_asked_for_before_the_kernel_runs(self):
        self.write("out.bin", b"mine")
        words = self.copy(', write_back = "out.bin"')
        self.assert_fails(self.run_command(*words, "-o", "t.wmt"), 2, "out.bin", "--force")
        self.assertFalse(os.path.exists(self.path("t.wmt")))
        self.assert_works(self.run_command(*words, "-o", "t.wmt", "--force"))
        self.assertEqual(len(self.read("out.bin")), 1024)

    def test_a_missing_folder_is_the_same_mistake_everywhere(self):
        trace = self.trace("copy")
        for words in (["replay", trace, "-o"], ["replay", trace, "--timeline"], ["info", trace, "-o"],
                      ["dump", trace, "-o"], ["gpus", "-o"], [*self.copy(), "-o"]):
            with self.subTest(words):
                self.assert_fails(self.run_command(*words, "no/such/x"), 2, "No such file or directory")

    def test_links_are_followed_and_it_is_said(self):
        os.symlink("target", self.path("link"))
        run = self.run_command("gpus", "-o", "link")
        self.assert_works(run)
        self.assertIn("link is a link", run.err)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertTrue(os.path.isfile(self.path("target")))
        os.symlink("t.wmt", self.path("l.wmt"))
        run = self.run_command(*self.copy(), "-o", "l.wmt")
        self.assert_works(run)
        self.assertIn("l.wmt is a link", run.err)
        self.assertTrue(os.path.islink(self.path("l.wmt")))
        self.assert_works(self.run_command("info", "t.wmt"))

    def test_devices_and_pipes_are_left_as_they_are(self):
        os.mkfifo(self.path("pipe"))
        for name in ("/dev/full", "/dev/null", "pipe"):
            for force in ([], ["--force"]):
                self.assert_fails(self.run_command(*self.copy(), "-o", name, *force), 2, name)
        self.assert_fails_after_notes(self.run_command("gpus", "-o", "/dev/full", "--force"), 5, "No space")
        with subprocess.Popen([WARPMEM, "gpus", "-o", "pipe"], cwd=self.folder, stderr=subprocess.PIPE) as process:
            with open(self.path("pipe"), "rb") as pipe:
                self.assertIn(b"h200", pipe.read())
            self.assertIn(b"pipe is a pipe", process.stderr.read())
        for name in ("/dev/full", "/dev/null"):
            self.assertTrue(stat.S_ISCHR(os.stat(name).st_mode))
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        run = self.run_command("gpus", "-o", "/dev/stdout")
        self.assertEqual(run.out, self.run_command("gpus").out)

    def assert_fails_after_notes(self, run, status, word):
        self.assertEqual(run.status, status, run.err)
        self.assertIn(word, run.err)

    def test_two_at_once_do_not_disturb_each_other(self):
        trace = self.trace("gather")
        words = [WARPMEM, "replay", trace, "--format", "json", "-o", "same.json"]
        running = [subprocess.Popen([*words, "--force"], cwd=self.folder, stderr=subprocess.PIPE) for _ in range(4)]
        for process in running:
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(sorted(os.listdir(self.folder)), [trace, "same.json"])
        os.remove(self.path("same.json"))
        running = [subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE) for _ in range(4)]
        ends = []
        for process in running:
            _, err = process.communicate(timeout=120)
            ends.append(process.returncode)
            if process.returncode != 0:
                self.assertIn(b"there already", err)
        self.assertEqual(set(ends) - {0, 2}, set())
        self.assertEqual(ends.count(0), 1)
        self.assertIn("no counter differs", self.run_command("diff", "same.json", "same.json").out)


class Failures(Files):
    def test_a_failed_run_keeps_the_complete_trace_of_before(self):
        self.assert_works(self.run_command(*self.copy(), "-o", "t.wmt"))
        whole = self.read("t.wmt")
        run = self.run_command(*self.launch("_Z6strayxPf"), "-o", "t.wmt", "--force")
        self.assertEqual(run.status, 3, run.err)
        self.assertIn("t.wmt.partial", run.err)
        self.assertEqual(self.read("t.wmt"), whole)
        run = self.run_command("info", "t.wmt.partial")
        self.assert_works(run)
        self.assertIn("the kernel did not end", run.out)
        self.assert_fails(self.run_command("replay", "t.wmt.partial"), 4, "--partial")
        self.assert_works(self.run_command("replay", "t.wmt.partial", "--partial"))
        # The next run that works removes it.
        self.assert_works(self.run_command(*self.copy(), "-o", "t.wmt", "--force"))
        self.assertFalse(os.path.exists(self.path("t.wmt.partial")))

    def test_a_fault_names_its_kernel_once_and_as_it_was_written(self):
        run = self.run_command(*self.launch("_Z6strayxPf"), "-o", "t.wmt")
        message = [line for line in run.err.splitlines() if "error:" in line][0]
        self.assertNotIn("_Z6strayxPf", run.err)
        self.assertEqual(message.count("strayx(float*)"), 1, message)

    def limited(self, kind, value, *words):
        """As after `ulimit`: writes beyond the limit would be a signal."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(kind, (value, value))
        return self.run_command(*words, preexec_fn=limit)

    def test_a_limit_on_the_size_of_files_ends_5(self):
        trace = self.trace("large")
        run = self.limited(resource.RLIMIT_FSIZE, 8192, "dump", trace, "--format", "json", "-o", "x.json")
        self.assert_fails(run, 5, "x.json", "File too large", "ulimit -f")
        with open(self.path("out"), "wb") as out:
            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
            run = self.run_command("dump", trace, stdout=out, preexec_fn=limit)
        self.assertEqual(run.status, 5, run.err)
        self.write("big.toml", self.big().encode())
        run = self.limited(resource.RLIMIT_FSIZE, 5000, "emulate", VECTOR_COPY, "--level", "ptx", "--launch",
                           "big.toml", "-o", "t.wmt")
        self.assertEqual(run.status, 5, run.err)
        self.assertIn("ulimit -f", run.err)
        self.assertEqual([n for n in os.listdir(self.folder) if n.startswith("t.wmt") and "partial" not in n], [])
        self.assertIn("t.wmt.partial", os.listdir(self.folder))
        self.assertIn("t.wmt.partial", run.err)  # the file that is there
        self.assert_works(self.run_command("info", "t.wmt.partial", "--partial"))

    @staticmethod
    def big():
        return ('entry = "vector_copy_b1"\ngrid = 40000\nblock = 256\nargs = [\n'
                '{ buffer = "in", type = "u8", count = 10240000 },\n'
                '{ buffer = "out", type = "u8", count = 10240000 },\n{ type = "s32", value = 10240000 }]\n')

    def test_no_more_threads_end_5(self):
        trace = self.trace("gather")
        os.chmod(self.folder, 0o777)
        def limit():
            if os.getuid() == 0:  # root is let through
                os.setgid(65534)
                os.setuid(65534)
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        run = self.run_command("replay", trace, "--threads", "2", preexec_fn=limit)
        self.assert_fails(run, 5, "ulimit -u")

    def test_no_more_memory_ends_5(self):
        run = self.limited(resource.RLIMIT_AS, 200 << 20, "replay", self.trace("large"), "--threads", "1")
        self.assertIn(run.status, (0, 5), run.err)  # 0: it needs less
        if run.status == 5:
            self.assertIn("memory", run.err)

    @unittest.skipIf(harness.is_sanitized(), "a sanitizer needs more memory than any limit leaves it")
    def test_no_more_memory_is_taken_than_allowed(self):
        trace, base = self.trace("large"), 64 << 10  # KiB: the program itself

        def replayed(*words):
            with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
                process = subprocess.Popen([WARPMEM, "replay", trace, *words], cwd=self.folder, stdout=out, stderr=err)
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_maxrss
        for limit, expected in ((32, (5,)), (64, (0, 5)), (128, (0, 5)), (1024, (0,))):
            status, peak = replayed("--max-memory", f"{limit}MiB")
            self.assertIn(status, expected, limit)
            self.assertLess(peak, (limit << 10) + base, limit)
            if status == 5:
                with open(self.path("err")) as err:
                    self.assertIn(f"--max-memory {limit} MiB does not do", err.read())

    @unittest.skipIf(harness.is_sanitized(), "a sanitizer needs more memory than any limit leaves it")
    def test_an_emulated_program_keeps_to_the_limit_as_well(self):
        self.write("big.toml", self.big().encode())
        words = ["emulate", VECTOR_COPY, "--level", "ptx", "--launch", "big.toml", "-o", ""]
        self.assert_works(self.run_command(*words, "--max-memory", "1GiB"))
        self.write("big.toml", self.big().replace("10240000", "20480000").encode())  # 39 MiB of buffers
        self.assert_fails(self.run_command(*words, "--max-memory", "32MiB"), 5, "memory", "fix:")


@unittest.skipUnless(os.environ.get("FAIL_ALLOCATION_LIBRARY"), "a sanitizer has allocations of its own")
class Allocations(Files):
    def fails(self, n, words):
        """Its n-th allocation fails; None: it needs fewer."""
        told = self.path("told")
        if os.path.exists(told):
            os.remove(told)
        run = self.run_command(*words, env={"LD_PRELOAD": os.environ["FAIL_ALLOCATION_LIBRARY"],
                                            "FAIL_ALLOCATION": str(n), "FAIL_TOLD": told})
        return run if os.path.exists(told) else None

    def test_the_nth_allocation_fails_and_nothing_aborts(self):
        trace = self.trace("gather")
        other = self.path("other.json")
        self.assert_works(self.run_command("replay", trace, "--counts", "--format", "json", "-o", other))
        for words in (["replay", trace, "--counts", "--format", "json"], ["replay", trace, "--format", "json"],
                      ["explain", trace, "--counts", "--no-gain", "--format", "json"],
                      ["info", trace, "--format", "json"], ["dump", trace, "--program", "--format", "json"],
                      ["gpus", "h200", "--format", "json"], ["diff", other, other, "--format", "json"]):
            whole = self.run_command(*words)
            self.assert_works(whole)
            most = 1
            while self.fails(most, words):
                most *= 2
            least = most // 2  # the number of its allocations lies between
            while most - least > 1:
                middle = (least + most) // 2
                least, most = (middle, most) if self.fails(middle, words) else (least, middle)
            tries = 60 if os.environ.get("WARPMEM_THOROUGH") else 15
            step = max(1, least // tries)
            for n in sorted({*range(1, least + 1, step), *range(max(1, least - 400), least + 1, 800 // tries)}):
                run = self.fails(n, words)
                with self.subTest("%s, %d of %d" % (" ".join(words), n, least)):
                    if run is None:  # threads: not each run needs as many
                        continue
                    # The C library itself gives up where it cannot note what a thread has to clean up.
                    if run.status == -6 and "failed to register TLS destructor" in run.err:
                        continue
                    self.assertIn(run.status, (0, 5), run.err)
                    if run.status == 0:
                        self.assertEqual(run.out, whole.out)
                    else:
                        self.assertIn("warpmem: error: ", run.err)


class Signals(Files):
    def end_by(self, number, *words, wait_for):
        with subprocess.Popen([WARPMEM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            deadline = time.time() + 60
            while not any(wait_for(n) for n in os.listdir(self.folder)) and time.time() < deadline:
                time.sleep(0.02)
            time.sleep(0.5)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        return process.returncode, err.decode()

    def test_a_kernel_that_is_ended_by_a_signal_leaves_its_trace_as_partial(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                self.write("t.wmt", b"mine")
                words = self.launch("_Z4spinPf", grid=1, block=32)
                ended, err = self.end_by(number, *words, "-o", "t.wmt", "--force",
                                         wait_for=lambda name: name == "t.wmt.partial")
                self.assertEqual(ended, status, err)
                self.assertIn("interrupted" if number == signal.SIGINT else "signal", err)
                self.assertIn("t.wmt.partial", err)
                self.assertEqual(self.read("t.wmt"), b"mine")
                run = self.run_command("info", "t.wmt.partial")  # sealed
                self.assert_works(run)
                self.assertIn("did not end: interrupted", run.out)

    def test_other_commands_say_it_and_leave_nothing(self):
        trace = self.trace("large")
        os.mkfifo(self.path("pipe"))
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                # Nobody reads the other output, so it is still at work when the signal comes.
                reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
                ended, err = self.end_by(number, "dump", trace, "--format", "json", "-o", "pipe",
                                         wait_for=lambda name: name == "pipe")
                os.close(reader)
                self.assertEqual(ended, status, err)
                self.assertIn("interrupted" if number == signal.SIGINT else "ended by SIG", err)
                self.assertEqual(sorted(os.listdir(self.folder)), [trace, "pipe"])


class Hazards(Files):
    def test_a_reported_hazard_ends_1(self):
        words = self.launch("_Z4racePf", grid=2)
        self.assert_works(self.run_command(*words, "-o", "a.wmt"))
        run = self.run_command(*words, "-o", "b.wmt", "--check")
        self.assertEqual(run.status, 1, run.err)
        self.assertIn("wrote", run.err)
        self.assertIn("race(float*)", run.err)
        self.assertNotIn("_Z4racePf", run.err)
        self.assert_works(self.run_command("info", "b.wmt"))  # the trace is whole
        self.assert_works(self.run_command(*self.copy(), "-o", "c.wmt", "--check"))


class Names(Files):
    def test_nothing_from_outside_reaches_the_terminal_as_it_is(self):
        evil = "\x1b]0;owned\x07"
        self.write("k.ptx", KERNELS.replace("st.volatile", "st.%s" % evil).encode())
        self.write("l.toml", b'entry = "_Z4spin\\u001b[2JPf"\ngrid = 1\nblock = 1\nargs = []\n')
        runs = [self.run_command("info", "no" + evil), self.run_command(evil),
                self.run_command("replay", "x", "--gpu", evil), self.run_command("dump", "x", "--launch", evil),
                self.run_command("emulate", "k.ptx", "--launch", "l.toml"),
                self.run_command("emulate", VECTOR_COPY, "--launch", "l.toml"),
                self.run_command("gpus", "-o", "no/" + evil),
                self.run_command("validate", "x.wmt", "--ncu", evil)]
        for run in runs:
            self.assertNotEqual(run.status, 0)
            self.assertNotIn("\x1b", run.err)
            self.assertNotIn("\x07", run.err)

    def test_bytes_that_are_no_utf8_are_spelled_out(self):
        process = subprocess.run([WARPMEM, "info", b"no\xff\xfe.wmt"], cwd=self.folder, capture_output=True)
        process.stderr.decode("utf-8")
        self.assertIn(b"no\\xff\\xfe.wmt", process.stderr)

    def test_names_in_a_trace_are_escaped_in_tables_and_csv_and_valid_in_json(self):
        trace = self.trace("evil")
        for words in (["info", trace], ["info", trace, "--format", "csv"], ["replay", trace], ["replay", trace, "--all"],
                      ["replay", trace, "--format", "csv"], ["dump", trace], ["dump", trace, "--program"],
                      ["dump", trace, "--program", "--format", "csv"]):
            with self.subTest(words):
                run = subprocess.run([WARPMEM, *words], cwd=self.folder, capture_output=True)
                self.assertEqual(run.returncode, 0, run.stderr)
                text = run.stdout.decode("utf-8")  # valid
                self.assertNotIn("\x1b", text)
                self.assertIn("\\x1b", text)
        for words in (["info", trace], ["replay", trace], ["dump", trace, "--program"]):
            run = subprocess.run([WARPMEM, *words, "--format", "json"], cwd=self.folder, capture_output=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            run.stdout.decode("utf-8")
            self.assertNotIn(b"\x1b", run.stdout)


if __name__ == "__main__":
    harness.main()
